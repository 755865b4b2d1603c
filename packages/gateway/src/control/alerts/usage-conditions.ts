/** What the sums of usage tell about providers and accounts, for alerts and for the preview of their rules. */
import { sql } from 'kysely';
import { quantilesOf } from '../../money/usage/latency-histogram.ts';
import type { SpendQuestion } from '../../money/usage/spend-question.ts';
import type { Db } from '../../store/postgres/store.ts';
import { sumUsage } from '../usage/sums-rows.ts';
import type { CreditRunway, ProviderHour, SpendHour } from './alert.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const WEEK_DAYS = 7;
/** Rows that are looked at; of more, those of the latest hours are missing. */
const MAX_ROWS = 100_000;
const MAX_ACCOUNTS = 10_000;

const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;

const question = (of: Pick<SpendQuestion, 'fromMs' | 'untilMs' | 'groups' | 'bucket' | 'withLatency'>) => ({
  ...of,
  fromMs: hourOf(of.fromMs),
  timeZone: 'UTC',
  filter: {},
});

export async function providerHours(db: Db, fromMs: number, untilMs: number): Promise<readonly ProviderHour[]> {
  const asked = question({ fromMs, untilMs, groups: ['provider'], bucket: 'hour', withLatency: true });
  const sums = await sumUsage(db, asked, MAX_ROWS);
  return sums
    .filter(({ provider = '' }) => provider !== '')
    .map(({ at = new Date(0), provider = '', requests, upstream_faults, first_token_counts }) => ({
      provider,
      at,
      requests: Number(requests),
      failed: Number(upstream_faults),
      firstTokenMs: quantilesOf(first_token_counts)?.p95 ?? null,
    }));
}

/** In a transaction that sees all accounts. */
export async function creditRunways(db: Db, nowMs: number): Promise<readonly CreditRunway[]> {
  const asked = question({
    fromMs: nowMs - WEEK_DAYS * DAY_MS,
    untilMs: nowMs,
    groups: ['account'],
    bucket: undefined,
    withLatency: false,
  });
  const spent = new Map(
    (await sumUsage(db, asked, MAX_ACCOUNTS)).map(({ account = '', cost_nano }) => [account, cost_nano]),
  );
  const { rows } = await sql<{ readonly accountId: string; readonly leftNano: bigint }>`
    select account_id as "accountId", greatest(credit + overdraft - posted - pending, 0)::bigint as "leftNano"
    from ledger_accounts where kind <> 'unlimited' and account_id = any(${[...spent.keys()]})`.execute(db);
  return rows.map((row) => ({ ...row, perDayNano: (spent.get(row.accountId) ?? 0n) / BigInt(WEEK_DAYS) }));
}

/** What every account spent in each hour. */
export async function accountHours(
  db: Db,
  fromMs: number,
  untilMs: number,
): Promise<readonly Pick<SpendHour, 'accountId' | 'hour' | 'costNano'>[]> {
  const asked = question({ fromMs, untilMs, groups: ['account'], bucket: 'hour', withLatency: false });
  const sums = await sumUsage(db, asked, MAX_ROWS);
  return sums.map(({ at = new Date(0), account = '', cost_nano }) => ({
    accountId: account,
    hour: at,
    costNano: cost_nano,
  }));
}
