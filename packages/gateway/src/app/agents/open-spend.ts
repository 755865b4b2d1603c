/** Spending limits of signed-in people, with all dependencies; part of the composition root. */
import type { Config } from '../../config/config.ts';
import { sumUsage } from '../../control/usage/sums-rows.ts';
import type { Caller } from '../../kernel/caller.ts';
import { systemClock } from '../../kernel/clock.ts';
import { CallerSpend } from '../../money/ledger/caller-spend.ts';
import { readSpendQuestion } from '../../money/usage/spend-question.ts';
import type { Tables } from '../../store/postgres/tables.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Backing } from '../backing.ts';

const NANO_PER_CENT = 10_000_000n;
const DAY_MS = 86_400_000;
const MAX_DAYS = 40;

export function openSpend(config: () => Config, { store }: Backing, log: Log): CallerSpend<Tables> {
  /** Of the person where it has one, else of the key. */
  const spent = async ({ accountId, memberId, keyId }: Caller) => {
    const nowMs = systemClock.nowMs();
    const today = new Date(nowMs).setUTCHours(0, 0, 0, 0);
    const starts = {
      daily: today,
      weekly: today - ((new Date(today).getUTCDay() + 6) % 7) * DAY_MS,
      monthly: new Date(today).setUTCDate(1),
    };
    const from = new Date(Math.min(starts.weekly, starts.monthly)).toISOString();
    const who = memberId === undefined ? { key: keyId } : { member: memberId };
    const question = readSpendQuestion({ from, bucket: 'day', account: accountId, ...who }, nowMs);
    const days = await store.reading(accountId, (db) => sumUsage(db, question, MAX_DAYS));
    const since = (startMs: number): number =>
      Number(
        days.reduce(
          (sum, { at, cost_nano }) => (at !== undefined && at.getTime() >= startMs ? sum + cost_nano : sum),
          0n,
        ) / NANO_PER_CENT,
      );
    return { daily: since(starts.daily), weekly: since(starts.weekly), monthly: since(starts.monthly) };
  };
  return new CallerSpend({
    writer: store.writer,
    nowMs: systemClock.nowMs,
    monotonicMs: systemClock.monotonicMs,
    spent,
    nextStep: () => config().agents.limitHelp,
    onTrouble: (error) => log.warn('spending limits not read', { problem: String(error) }),
  });
}
