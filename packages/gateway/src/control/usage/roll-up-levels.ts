/**
 * Rollups of usage coarser than by hour, account, key, model and provider: which exist, and which answers which
 * question.
 */
import type { SpendGroup } from '../../money/usage/spend-question.ts';

/** Columns that are summed. */
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
/** Latency histograms, added bucket by bucket. */
export const COUNTED = ['first_token_counts', 'duration_counts'] as const;

export type RollupUnit = 'hour' | 'day';
export type Dimension =
  | 'account_id'
  | 'member_id'
  | 'key_id'
  | 'model_id'
  | 'provider'
  | 'protocol'
  | 'outcome'
  | 'lane'
  | 'tag'
  | 'value';
export type HourlyTable = 'usage_hourly' | 'usage_kind_hourly' | 'usage_tag_hourly';

export type RollupLevel = {
  readonly name: string;
  readonly unit: RollupUnit;
  /** The table that this level sums up. */
  readonly table: HourlyTable;
  /** The level it is computed from; absent: the table. */
  readonly source?: string;
  readonly dimensions: readonly Dimension[];
};

const HOST = ['model_id', 'provider'] as const;
const KEY = ['account_id', 'member_id', 'key_id'] as const;
const KIND = ['protocol', 'outcome', 'lane'] as const;
const TAG = ['tag', 'value'] as const;

/**
 * Within a unit and a table, levels with fewer rows come first. Hourly levels serve hourly series and days of other
 * time zones; with keys they would have as many rows as the tables.
 */
export const ROLLUP_LEVELS: readonly RollupLevel[] = [
  { name: 'hour-provider', unit: 'hour', table: 'usage_hourly', source: 'hour', dimensions: ['provider'] },
  { name: 'hour-model', unit: 'hour', table: 'usage_hourly', source: 'hour', dimensions: ['model_id'] },
  { name: 'hour-account', unit: 'hour', table: 'usage_hourly', source: 'hour', dimensions: ['account_id'] },
  { name: 'hour-host', unit: 'hour', table: 'usage_hourly', source: 'hour', dimensions: HOST },
  { name: 'hour', unit: 'hour', table: 'usage_hourly', dimensions: ['account_id', ...HOST] },
  { name: 'hour-kind', unit: 'hour', table: 'usage_kind_hourly', dimensions: KIND },
  { name: 'hour-tag', unit: 'hour', table: 'usage_tag_hourly', dimensions: [...TAG, 'account_id'] },
  { name: 'day-host', unit: 'day', table: 'usage_hourly', source: 'day', dimensions: HOST },
  { name: 'day-account', unit: 'day', table: 'usage_hourly', source: 'day', dimensions: ['account_id'] },
  { name: 'day-account-host', unit: 'day', table: 'usage_hourly', source: 'day', dimensions: ['account_id', ...HOST] },
  { name: 'day-key', unit: 'day', table: 'usage_hourly', source: 'day', dimensions: KEY },
  { name: 'day', unit: 'day', table: 'usage_hourly', dimensions: [...KEY, ...HOST] },
  {
    name: 'day-kind-host',
    unit: 'day',
    table: 'usage_kind_hourly',
    source: 'day-kind',
    dimensions: [...KIND, ...HOST],
  },
  { name: 'day-kind-key', unit: 'day', table: 'usage_kind_hourly', source: 'day-kind', dimensions: [...KIND, ...KEY] },
  { name: 'day-kind', unit: 'day', table: 'usage_kind_hourly', dimensions: [...KIND, ...KEY, ...HOST] },
  {
    name: 'day-tag-account',
    unit: 'day',
    table: 'usage_tag_hourly',
    source: 'day-tag',
    dimensions: [...TAG, 'account_id'],
  },
  { name: 'day-tag', unit: 'day', table: 'usage_tag_hourly', dimensions: [...TAG, ...KEY, ...HOST] },
];

/** If a row does not name the member, the key does. */
export const DIMENSIONS_OF: Readonly<Record<SpendGroup, readonly Dimension[]>> = {
  account: ['account_id'],
  member: KEY,
  key: ['key_id'],
  model: ['model_id'],
  provider: ['provider'],
  protocol: ['protocol'],
  outcome: ['outcome'],
  lane: ['lane'],
};

/** The level with the fewest rows that has all requested dimensions. */
export const levelFor = (
  unit: RollupUnit,
  table: HourlyTable,
  dimensions: readonly Dimension[],
): RollupLevel | undefined =>
  ROLLUP_LEVELS.find(
    (level) =>
      level.unit === unit && level.table === table && dimensions.every((name) => level.dimensions.includes(name)),
  );
