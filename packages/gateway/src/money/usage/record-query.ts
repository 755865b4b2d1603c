/** Questions about request records: filters, pages and histograms; and the same filters for rows in memory. */
import type { UsageEvent } from './event.ts';
import type { OutcomeClass } from './outcome-class.ts';

/** Selects all accounts. */
export const EVERY_ACCOUNT = '*';

export type RecordFilter = {
  readonly fromMs: number;
  /** Exclusive. */
  readonly untilMs: number;
  /** `EVERY_ACCOUNT`, or the only visible account. */
  readonly account: string;
  readonly requestId?: string;
  readonly keyId?: string;
  readonly memberId?: string;
  /** The model that served; a trailing `*` matches any suffix, as in `askedModel`. */
  readonly model?: string;
  readonly askedModel?: string;
  readonly provider?: string;
  readonly protocol?: string;
  readonly operation?: string;
  readonly outcomes?: readonly string[];
  readonly conversation?: string;
  /** Inclusive range, e.g. 400 to 499. */
  readonly status?: readonly [number, number];
  readonly minCostNano?: bigint;
  readonly minDurationMs?: number;
};

export type RecordOrder = 'newest' | 'oldest';

/** The cursor of a page. */
export type RecordPlace = { readonly receivedAtMs: number; readonly requestId: string };

export type RecordPage = {
  readonly filter: RecordFilter;
  readonly order: RecordOrder;
  readonly after?: RecordPlace;
  readonly limit: number;
};

/** A record as lists show it. */
export type RecordRow = RecordPlace & {
  readonly accountId: string;
  readonly keyId: string;
  readonly memberId: string | null;
  readonly askedModel: string | null;
  readonly model: string;
  readonly provider: string | null;
  readonly protocol: string;
  readonly operation: string | null;
  readonly stream: boolean;
  readonly lane: string | null;
  readonly outcome: string;
  readonly status: number;
  readonly refused: boolean;
  readonly attempts: number;
  readonly losses: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly costNano: bigint;
  /** Nothing was charged, or a part of it has no price. */
  readonly isUnpriced: boolean;
  readonly estimated: boolean;
  readonly firstTokenMs: number | null;
  readonly durationMs: number;
  /** For live feeds; lists do not read it. */
  readonly conversation?: string | null | undefined;
};

export type HistogramBar = { readonly atMs: number } & Readonly<Record<OutcomeClass, number>>;

export type HistogramQuestion = { readonly filter: RecordFilter; readonly bucketMs: number };

/** Where records outlive the process. */
export interface RecordReader {
  list(page: RecordPage): Promise<readonly RecordRow[]>;
  /** `days`: on which its row can be. */
  one(account: string, requestId: string, days: readonly [string, string]): Promise<UsageEvent | undefined>;
  histogram(question: HistogramQuestion): Promise<readonly HistogramBar[]>;
  /** Rows stored after this time of the database's clock, or in the last `withinMs`; oldest first. */
  storedAfter(
    afterMs: number | undefined,
    withinMs: number,
    limit: number,
  ): Promise<readonly (RecordRow & { readonly storedAtMs: number })[]>;
}

export const rowOf = (event: UsageEvent): RecordRow => ({
  requestId: event.requestId,
  receivedAtMs: event.receivedAtMs,
  accountId: event.accountId,
  keyId: event.keyId,
  memberId: event.memberId ?? null,
  askedModel: event.askedModel ?? null,
  model: event.modelId,
  provider: event.provider,
  protocol: event.protocol,
  operation: event.operation ?? null,
  stream: event.details.stream,
  lane: event.details.lane ?? null,
  outcome: event.outcome,
  status: event.status,
  refused: event.refused === true,
  attempts: event.details.attempts.length,
  losses: event.details.losses.length,
  inputTokens: event.inputTokens,
  outputTokens: event.outputTokens,
  cachedTokens: event.details.usage.inputCacheRead ?? 0,
  costNano: BigInt(event.costNano),
  isUnpriced: event.priceVersion === null || event.details.unpriced.length > 0,
  estimated: event.estimated,
  firstTokenMs: event.firstByteMs,
  durationMs: event.durationMs,
  conversation: event.details.conversation,
});

const isLike = (value: string | null, wanted: string | undefined): boolean => {
  if (wanted === undefined) return true;
  return wanted.endsWith('*') ? value?.startsWith(wanted.slice(0, -1)) === true : value === wanted;
};

const isOne = (value: string | null, wanted: string | undefined): boolean => wanted === undefined || value === wanted;

/** Filters as the database does; without the time span, for live feeds. */
export function fits(row: RecordRow, filter: Omit<RecordFilter, 'fromMs' | 'untilMs'>): boolean {
  const { account, outcomes, status, minCostNano, minDurationMs } = filter;
  return (
    (account === EVERY_ACCOUNT || row.accountId === account) &&
    isOne(row.requestId, filter.requestId) &&
    isOne(row.keyId, filter.keyId) &&
    isOne(row.memberId, filter.memberId) &&
    isLike(row.model, filter.model) &&
    isLike(row.askedModel, filter.askedModel) &&
    isOne(row.provider, filter.provider) &&
    isOne(row.protocol, filter.protocol) &&
    isOne(row.operation, filter.operation) &&
    isOne(row.conversation ?? null, filter.conversation) &&
    (outcomes === undefined || outcomes.includes(row.outcome)) &&
    (status === undefined || (row.status >= status[0] && row.status <= status[1])) &&
    (minCostNano === undefined || row.costNano >= minCostNano) &&
    (minDurationMs === undefined || row.durationMs >= minDurationMs)
  );
}

/** Negative if `a` comes before `b` in time. */
export const inTime = (a: RecordPlace, b: RecordPlace): number =>
  a.receivedAtMs - b.receivedAtMs || (a.requestId < b.requestId ? -1 : a.requestId > b.requestId ? 1 : 0);
