/**
 * The health of providers by attempts, in quarters of an hour over 24 hours: also attempts of requests that another
 * provider answered. The one source for the overview, the list, the page of a provider, the metrics and the command.
 */
import { type RawBuilder, sql } from 'kysely';
import { BUCKETS, quantilesOf } from '../../money/usage/latency-histogram.ts';
import { OUTCOMES_BY_CLASS, type OutcomeClass } from '../../money/usage/outcome-class.ts';
import type { Db } from '../../store/postgres/store.ts';

const CELL_MS = 15 * 60_000;
const CELLS = 96;

export type HealthCell = {
  readonly provider: string;
  readonly at: Date;
  readonly ok: bigint;
  readonly caller: bigint;
  readonly upstream: bigint;
  readonly gateway: bigint;
  readonly last_ok: Date | null;
  readonly last_failed: Date | null;
  /** The driver gives integers in arrays as text. */
  readonly counts: readonly (string | null)[];
};

/** Cells with attempts, in order, and the providers with an open outage alert. */
export type ProviderAttempts = { readonly cells: readonly HealthCell[]; readonly alerted: ReadonlySet<string> };

export const PROVIDER_STATES = ['available', 'failing', 'open', 'unknown'] as const;

/** Of the cells of one provider. */
export type AttemptHealth = {
  readonly state: (typeof PROVIDER_STATES)[number];
  readonly attempts: number;
  readonly failedAttempts: number;
  readonly errorShare: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
};

/** The start of the first cell: the current one is the last. */
const firstCellMs = (nowMs: number): number => (Math.floor(nowMs / CELL_MS) - CELLS + 1) * CELL_MS;

type Sql = RawBuilder<unknown>;

const isAny = (...classes: readonly OutcomeClass[]): Sql =>
  sql`outcome = any(${classes.flatMap((each) => OUTCOMES_BY_CLASS[each])}::text[])`;
const countOf = (outcomeClass: OutcomeClass): Sql =>
  sql`coalesce(sum(attempts) filter (where ${isAny(outcomeClass)}), 0)::bigint as ${sql.ref(outcomeClass)}`;
const COUNTS = sql.join(
  Array.from({ length: BUCKETS }, (_, index) => sql`sum(first_content_counts[${sql.lit(index + 1)}])::bigint`),
);

/** Operators only. Of one provider, or of all. */
export async function readAttempts(db: Db, nowMs: number, provider?: string): Promise<ProviderAttempts> {
  const { rows: cells } = await sql<HealthCell>`
    select provider, at, ${countOf('ok')}, ${countOf('caller')}, ${countOf('upstream')}, ${countOf('gateway')},
      max(last_at) filter (where ${isAny('ok')}) as last_ok,
      max(last_at) filter (where ${isAny('upstream', 'gateway')}) as last_failed, array[${COUNTS}] as counts
    from provider_attempts
    where at >= ${new Date(firstCellMs(nowMs))} ${provider === undefined ? sql`` : sql`and provider = ${provider}`}
    group by provider, at order by provider, at`.execute(db);
  const { rows: alerts } = await sql<{ subject: string }>`
    select subject from alerts where kind = 'provider.out' and resolved_at is null`.execute(db);
  return { cells, alerted: new Set(alerts.map(({ subject }) => subject)) };
}

const latest = (dates: readonly (Date | null)[]): Date | null =>
  dates.reduce((last, date) => (date !== null && (last === null || date > last) ? date : last), null);

const sumOf = (cells: readonly HealthCell[], name: OutcomeClass): number =>
  cells.reduce((sum, cell) => sum + Number(cell[name]), 0);

const quantilesIn = (cells: readonly HealthCell[]) =>
  quantilesOf(
    Array.from({ length: BUCKETS }, (_, index) =>
      cells.reduce((sum, { counts }) => sum + BigInt(counts[index] ?? 0), 0n),
    ),
  );

/** Failing: from a failure, or while its outage alert is open, until a success. Callers' own errors say nothing. */
export function healthOf({ cells, alerted }: ProviderAttempts, provider: string, openCircuits: number): AttemptHealth {
  const own = cells.filter((cell) => cell.provider === provider);
  const failedAttempts = sumOf(own, 'upstream') + sumOf(own, 'gateway');
  const attempts = sumOf(own, 'ok') + failedAttempts;
  const lastSuccess = latest(own.map((cell) => cell.last_ok));
  const lastFailure = latest(own.map((cell) => cell.last_failed));
  const isFailing = alerted.has(provider) || (lastFailure !== null && (lastSuccess ?? 0) < lastFailure);
  const quantiles = quantilesIn(own);
  return {
    state: openCircuits > 0 ? 'open' : isFailing ? 'failing' : attempts === 0 ? 'unknown' : 'available',
    attempts,
    failedAttempts,
    errorShare: attempts === 0 ? null : failedAttempts / attempts,
    p50Ms: quantiles?.p50 ?? null,
    p95Ms: quantiles?.p95 ?? null,
    lastSuccessAt: lastSuccess?.toISOString() ?? null,
    lastFailureAt: lastFailure?.toISOString() ?? null,
  };
}

export const historyOf = ({ cells }: ProviderAttempts, nowMs: number) => ({
  from: new Date(firstCellMs(nowMs)).toISOString(),
  until: new Date(nowMs).toISOString(),
  bucketSeconds: CELL_MS / 1000,
  bars: cells.map((cell) => {
    const { p50 = null, p95 = null } = quantilesIn([cell]) ?? {};
    return {
      at: cell.at.toISOString(),
      ok: Number(cell.ok),
      caller: Number(cell.caller),
      upstream: Number(cell.upstream),
      gateway: Number(cell.gateway),
      p50Ms: p50,
      p95Ms: p95,
    };
  }),
});
