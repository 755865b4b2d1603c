/** Events into rows and sums: one statement, so that all of them are stored together or not at all. */
import { type RawBuilder, sql } from 'kysely';
import type { EncodedEvent } from '../../usage/encoded-event.ts';
import { BOUNDS_MS, BUCKETS } from '../../usage/latency-histogram.ts';
import { OUTCOMES_BY_CLASS, type OutcomeClass } from '../../usage/outcome-class.ts';

const isOf = (outcomeClass: OutcomeClass): RawBuilder<unknown> =>
  sql`outcome in (${sql.join(OUTCOMES_BY_CLASS[outcomeClass].map((outcome) => sql.lit(outcome)))})`;
/** Rows of totals for an hour, so that connections seldom wait for each other's. */
const SHARDS = sql.lit(16);
const IS_OF = { caller: isOf('caller'), upstream: isOf('upstream'), gateway: isOf('gateway') };

const bounds = sql.raw(`'{${BOUNDS_MS.join(',')}}'::integer[]`);
const countsBy = (column: string): RawBuilder<unknown> => {
  const filters = Array.from(
    { length: BUCKETS },
    (_, bucket) => sql`count(*) filter (where ${sql.ref(column)} = ${sql.lit(bucket)} and not refused)`,
  );
  return sql`array[${sql.join(filters)}]`;
};

/** Figures that sums of an hour add up. */
export const SUMMED = [
  'requests',
  'failed',
  'refused',
  'caller_faults',
  'upstream_faults',
  'gateway_faults',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'unpriced',
  'cost_nano',
] as const;
const COUNTED = ['first_token_counts', 'duration_counts'] as const;

const COLUMNS = sql.join([...SUMMED, ...COUNTED, 'member_id'].map((name) => sql.ref(name)));

/** In the order of the columns. */
const MEASURES = sql`count(*) filter (where not refused), count(*) filter (where outcome <> 'ok' and not refused),
  count(*) filter (where refused), count(*) filter (where ${IS_OF.caller}), count(*) filter (where ${IS_OF.upstream}),
  count(*) filter (where ${IS_OF.gateway}), sum(input_tokens), sum(output_tokens), sum(coalesce(cached_tokens, 0)),
  sum(cache_write_tokens), sum(reasoning_tokens), count(*) filter (where unpriced), sum(cost_nano),
  ${countsBy('first_token_bucket')}, ${countsBy('duration_bucket')}, max(member_id)`;

const addedTo = (table: string): RawBuilder<unknown> =>
  sql.join([
    ...SUMMED.map((name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`),
    ...COUNTED.map(
      (name) =>
        sql`${sql.ref(name)} = trivium_add_counts(${sql.ref(`${table}.${name}`)}, ${sql.ref(`excluded.${name}`)})`,
    ),
    sql`member_id = coalesce(excluded.member_id, ${sql.ref(`${table}.member_id`)})`,
  ]);

const ADDED_TO_HOURS = addedTo('usage_hourly');
const ADDED_TO_TAGS = addedTo('usage_tag_hourly');
const ADDED_TO_KINDS = addedTo('usage_kind_hourly');

const meter = (name: string): RawBuilder<unknown> =>
  sql`coalesce((details -> 'usage' ->> ${sql.lit(name)})::bigint, 0)`;

/**
 * Storing an event twice leaves one row and one sum: the sums take only what the rows took. Rows and sums are taken in order, so
 * that no two wait for each other. Events go over as the JSON they are: arrays by column cost this process ten times as much.
 */
export const insertUsage = (events: readonly EncodedEvent[]): RawBuilder<unknown> => sql`
  with stored as (
    insert into usage_events (request_id, day, account_id, key_id, model_id, provider, protocol, outcome, status,
      received_at, duration_ms, first_byte_ms, input_tokens, output_tokens, cost_nano, estimated, price_version, details,
      operation, asked_model, member_id, refused, stream, lane, attempts, losses, cached_tokens, unpriced)
    select "requestId", (at at time zone 'UTC')::date, "accountId", "keyId", "modelId", provider, protocol, outcome,
      status, at, "durationMs", "firstByteMs", "inputTokens", "outputTokens", "costNano", estimated, "priceVersion",
      details, operation, "askedModel", "memberId", coalesce(refused, false), (details ->> 'stream')::boolean,
      details ->> 'lane', jsonb_array_length(details -> 'attempts'), jsonb_array_length(details -> 'losses'),
      (details -> 'usage' ->> 'inputCacheRead')::bigint, jsonb_array_length(details -> 'unpriced') > 0
    from jsonb_to_recordset(${`[${events.map(({ json }) => json).join(',')}]`}::jsonb) as event (
      "requestId" text, "accountId" text, "keyId" text, "modelId" text, provider text, protocol text, outcome text,
      status smallint, "receivedAtMs" bigint, "durationMs" integer, "firstByteMs" integer, "inputTokens" bigint,
      "outputTokens" bigint, "costNano" bigint, estimated boolean, "priceVersion" text, details jsonb,
      operation text, "askedModel" text, "memberId" text, refused boolean),
      lateral (select timestamptz 'epoch' + "receivedAtMs" * interval '1 millisecond' as at) as received
    order by "requestId"
    on conflict (request_id, day) do nothing
    returning request_id, account_id, received_at, model_id, key_id, provider, protocol, outcome, lane, refused, input_tokens,
      output_tokens, cost_nano, member_id, cached_tokens, unpriced, duration_ms, first_byte_ms,
      ${meter('inputCacheWrite')} + ${meter('inputCacheWrite5Min')} + ${meter('inputCacheWrite1H')} as cache_write_tokens,
      ${meter('internalReasoning')} as reasoning_tokens, details -> 'tags' as tags),
  fresh as (
    select *, date_trunc('hour', received_at, 'UTC') as hour, width_bucket(duration_ms, ${bounds}) as duration_bucket,
      width_bucket(first_byte_ms, ${bounds}) as first_token_bucket from stored),
  unmatched as (
    insert into usage_unmatched (account_id, request_id)
    select account_id, request_id from fresh where outcome = 'interrupted' on conflict do nothing),
  totals as (
    insert into request_totals (hour, shard, ok, caller_faults, upstream_faults, gateway_faults)
    select hour, pg_backend_pid() % ${SHARDS}, count(*) filter (where outcome = 'ok'),
      count(*) filter (where ${IS_OF.caller}), count(*) filter (where ${IS_OF.upstream}),
      count(*) filter (where ${IS_OF.gateway})
    from fresh group by 1 order by 1
    on conflict (hour, shard) do update set
      ok = request_totals.ok + excluded.ok,
      caller_faults = request_totals.caller_faults + excluded.caller_faults,
      upstream_faults = request_totals.upstream_faults + excluded.upstream_faults,
      gateway_faults = request_totals.gateway_faults + excluded.gateway_faults),
  tagged as (select fresh.*, tag.key as tag, tag.value as given from fresh, jsonb_each_text(tags) as tag),
  kept_values as materialized (
    select account_id, tag, given, trivium_tag_value(account_id, tag, given) as value
    from (select distinct account_id, tag, given from tagged order by 1, 2, 3) as distinct_values),
  by_tag as (
    insert into usage_tag_hourly (account_id, hour, tag, value, model_id, key_id, provider, ${COLUMNS})
    select account_id, hour, tag, value, model_id, key_id, coalesce(provider, ''), ${MEASURES}
    from tagged join kept_values using (account_id, tag, given)
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (account_id, hour, tag, value, model_id, key_id, provider) do update set ${ADDED_TO_TAGS}),
  by_kind as (
    insert into usage_kind_hourly (account_id, hour, protocol, outcome, lane, model_id, key_id, provider, ${COLUMNS})
    select account_id, hour, protocol, outcome, coalesce(lane, ''), model_id, key_id, coalesce(provider, ''), ${MEASURES}
    from fresh group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (account_id, hour, protocol, outcome, lane, model_id, key_id, provider) do update set ${ADDED_TO_KINDS})
  insert into usage_hourly (account_id, hour, model_id, key_id, provider, ${COLUMNS})
  select account_id, hour, model_id, key_id, coalesce(provider, ''), ${MEASURES}
  from fresh group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (account_id, hour, model_id, key_id, provider) do update set ${ADDED_TO_HOURS}`;
