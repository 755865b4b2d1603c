/** Questions about spend as ClickHouse queries: the same figures as the hourly sums in PostgreSQL. */
import { BOUNDS_MS, BUCKETS } from '../../../money/usage/latency-histogram.ts';
import { OUTCOMES_BY_CLASS, type OutcomeClass } from '../../../money/usage/outcome-class.ts';
import type { SpendGroup, SpendQuestion } from '../../../money/usage/spend-question.ts';
import type { SpendSum } from '../../../money/usage/spend-sum.ts';
import { REQUESTS_TABLE } from './clickhouse-schema.ts';

export type ClickHouseQuery = {
  readonly query: string;
  readonly parameters: Readonly<Record<string, string | number>>;
};

const COLUMNS: Readonly<Record<SpendGroup, string>> = {
  account: 'account_id',
  member: 'member_id',
  key: 'key_id',
  model: 'model_id',
  provider: 'provider',
  protocol: 'protocol',
  outcome: 'outcome',
  lane: 'lane',
};

const countOf = (outcomeClass: OutcomeClass): string =>
  `countIf(outcome in (${OUTCOMES_BY_CLASS[outcomeClass].map((outcome) => `'${outcome}'`).join(', ')}))`;

const FIGURES = {
  requests: 'countIf(not refused)',
  failed: "countIf(outcome <> 'ok' and not refused)",
  refused: 'countIf(refused)',
  caller_faults: countOf('caller'),
  upstream_faults: countOf('upstream'),
  gateway_faults: countOf('gateway'),
  input_tokens: 'sum(r.input_tokens)',
  output_tokens: 'sum(r.output_tokens)',
  cached_tokens: 'sum(r.cached_tokens)',
  cache_write_tokens: 'sum(r.cache_write_tokens)',
  reasoning_tokens: 'sum(r.reasoning_tokens)',
  unpriced: 'countIf(r.unpriced)',
  cost_nano: 'sum(r.cost_nano)',
} satisfies Partial<Record<keyof SpendSum, string>>;
const FIGURE_NAMES = Object.keys(FIGURES) as (keyof typeof FIGURES)[];

/** Counts in the same buckets as PostgreSQL. */
const countsOf = (column: string): string => {
  const counts = Array.from({ length: BUCKETS }, (_, bucket) => {
    const [from, until] = [BOUNDS_MS[bucket - 1], BOUNDS_MS[bucket]];
    const bounds = [from && `${column} >= ${from}`, until && `${column} < ${until}`].filter((bound) => bound);
    return `countIf(not r.refused and ${bounds.join(' and ')})`;
  });
  return `[${counts.join(', ')}]`;
};

/**
 * Hours are cut in UTC first, as in the sums: otherwise zones with half-hour offsets would differ. The first begins
 * where the span does.
 */
const HOUR = "greatest(toStartOfHour(received_at, 'UTC'), toDateTime(intDiv({fromMs:Int64}, 1000), 'UTC'))";
const STARTS: Readonly<Record<NonNullable<SpendQuestion['bucket']>, string>> = {
  hour: `toStartOfHour(${HOUR}, {timeZone:String})`,
  day: `toStartOfDay(${HOUR}, {timeZone:String})`,
  month: `toDateTime(toStartOfMonth(${HOUR}, {timeZone:String}), {timeZone:String})`,
};

/** By time, and within it the most expensive first; one row more than the limit if there are more. */
export function sumsQuery(question: SpendQuestion, limit: number): ClickHouseQuery {
  const { fromMs, untilMs, bucket, timeZone, groups, tag, filter, withLatency } = question;
  const keys = [
    ...(bucket === undefined ? [] : [`toUnixTimestamp(${STARTS[bucket]}) as at`]),
    ...groups.map((group) => `r.${COLUMNS[group]} as \`${group}\``),
    ...(tag?.isGroup === true ? ['tags[{tag:String}] as tag'] : []),
  ];
  const names = [...(bucket === undefined ? [] : ['at']), ...groups, ...(tag?.isGroup === true ? ['tag'] : [])];
  const figures = [
    ...FIGURE_NAMES.map((name) => `${FIGURES[name]} as sum_${name}`),
    ...(withLatency
      ? [`${countsOf('r.first_token_ms')} as first_token_counts`, `${countsOf('r.duration_ms')} as duration_counts`]
      : []),
  ];
  const filters = Object.entries(filter) as [SpendGroup, string][];
  const conditions = [
    'received_at >= fromUnixTimestamp64Milli({fromMs:Int64})',
    'received_at < fromUnixTimestamp64Milli({untilMs:Int64})',
    ...filters.map(([name]) => `r.${COLUMNS[name]} = {is_${name}:String}`),
    ...(tag === undefined ? [] : ['mapContains(tags, {tag:String})']),
    ...(tag?.value === undefined ? [] : ['tags[{tag:String}] = {tagValue:String}']),
  ];
  return {
    query: `select ${[...keys, ...figures].join(', ')} from ${REQUESTS_TABLE} as r final
where ${conditions.join(' and ')}
${names.length === 0 ? '' : `group by ${names.map((name) => `\`${name}\``).join(', ')} having sum_requests > 0 or sum_refused > 0 or sum_cost_nano <> 0`}
order by ${bucket === undefined ? '' : 'at, '}sum_cost_nano desc, sum_requests desc limit ${limit + 1}`,
    parameters: {
      fromMs,
      untilMs,
      ...(bucket !== undefined && { timeZone }),
      ...(tag !== undefined && { tag: tag.key }),
      ...(tag?.value !== undefined && { tagValue: tag.value }),
      ...Object.fromEntries(filters.map(([name, value]) => [`is_${name}`, value])),
    },
  };
}

const MS_PER_SECOND = 1000;

type Answered = Readonly<Record<string, unknown>>;

/** Counters come as text, so that none loses precision. */
export function sumOf(row: Answered): SpendSum {
  const exact = (value: unknown): bigint => BigInt(String(value));
  const counts = (name: string) =>
    row[name] === undefined ? {} : { [name]: (row[name] as readonly unknown[]).map(exact) };
  const text = (name: string) => (row[name] === undefined ? {} : { [name]: String(row[name]) });
  return {
    ...(row['at'] !== undefined && { at: new Date(Number(row['at']) * MS_PER_SECOND) }),
    ...Object.assign({}, ...[...Object.keys(COLUMNS), 'tag'].map(text)),
    ...(Object.fromEntries(FIGURE_NAMES.map((name) => [name, exact(row[`sum_${name}`])])) as Record<
      keyof typeof FIGURES,
      bigint
    >),
    ...counts('first_token_counts'),
    ...counts('duration_counts'),
  };
}
