/** Single rows of a part of an hour, summed like the hourly tables, for the edges of a span. */
import { type RawBuilder, sql } from 'kysely';
import { BOUNDS_MS } from '../../money/usage/latency-histogram.ts';
import { OUTCOMES_BY_CLASS, type OutcomeClass } from '../../money/usage/outcome-class.ts';
import { isInSpans, type TimeSpan } from '../../store/postgres/exact-span.ts';
import { COUNTED, type Dimension, type HourlyTable, SUMMED } from './roll-up-levels.ts';

type Sql = RawBuilder<unknown>;

const DIMENSIONS: Readonly<Record<Dimension, Sql>> = {
  account_id: sql`account_id`,
  member_id: sql`member_id`,
  key_id: sql`key_id`,
  model_id: sql`model_id`,
  provider: sql`coalesce(provider, '')`,
  protocol: sql`protocol`,
  outcome: sql`outcome`,
  lane: sql`coalesce(lane, '')`,
  tag: sql`tag.key`,
  // The values that sums keep apart are in the sums of the same hour.
  value: sql`case when exists (
    select from usage_tag_hourly h where h.account_id = e.account_id and h.hour = date_trunc('hour', e.received_at, 'UTC')
      and h.tag = tag.key and h.value = tag.value) then tag.value else 'other' end`,
};

const countOf = (outcomeClass: OutcomeClass): Sql =>
  sql`count(*) filter (where outcome = any(${[...OUTCOMES_BY_CLASS[outcomeClass]]}::text[]))`;
const tokensOf = (...meters: readonly string[]): Sql => {
  const each = meters.map((meter) => sql`coalesce((details -> 'usage' ->> ${sql.lit(meter)})::bigint, 0)`);
  return sql`sum(${sql.join(each, sql` + `)})::bigint`;
};
const bucketOf = (column: string): Sql =>
  sql`usage_histogram(width_bucket(${sql.ref(column)}, ${sql.lit(`{${BOUNDS_MS.join(',')}}`)}::integer[]))
    filter (where not refused)`;

const FIGURES: Readonly<Record<(typeof SUMMED)[number] | (typeof COUNTED)[number], Sql>> = {
  requests: sql`count(*) filter (where not refused)`,
  failed: sql`count(*) filter (where outcome <> 'ok' and not refused)`,
  refused: sql`count(*) filter (where refused)`,
  caller_faults: countOf('caller'),
  upstream_faults: countOf('upstream'),
  gateway_faults: countOf('gateway'),
  input_tokens: sql`sum(input_tokens)::bigint`,
  output_tokens: sql`sum(output_tokens)::bigint`,
  cached_tokens: sql`sum(coalesce(cached_tokens, 0))::bigint`,
  cache_write_tokens: tokensOf('inputCacheWrite', 'inputCacheWrite5Min', 'inputCacheWrite1H'),
  reasoning_tokens: tokensOf('internalReasoning'),
  unpriced: sql`count(*) filter (where unpriced)`,
  cost_nano: sql`sum(cost_nano)::bigint`,
  first_token_counts: bucketOf('first_byte_ms'),
  duration_counts: bucketOf('duration_ms'),
};

/** The columns of the hourly rows beside them; `hour` is where the edge begins. */
export function edgeRows(
  edge: TimeSpan,
  table: HourlyTable,
  dimensions: readonly Dimension[],
  withLatency: boolean,
): Sql {
  const figures = [...SUMMED, ...(withLatency ? COUNTED : [])].map((name) => sql`${FIGURES[name]} as ${sql.ref(name)}`);
  const columns = dimensions.map((name) => sql`${DIMENSIONS[name]} as ${sql.ref(name)}`);
  const tags = table === 'usage_tag_hourly' ? sql`, jsonb_each_text(e.details -> 'tags') as tag` : sql``;
  const places = dimensions.map((_, index) => sql.lit(index + 2));
  return sql`
    select ${new Date(edge.fromMs)}::timestamptz as hour, ${sql.join([...columns, ...figures])}
    from usage_events e${tags} where ${isInSpans([edge])}
    group by ${sql.join([sql.lit(1), ...places])}`;
}
