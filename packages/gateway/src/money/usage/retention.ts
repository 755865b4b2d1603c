/**
 * Deletes old usage in small steps: a day of events or a few thousand sums, then a pause for other users of the
 * database.
 */
export type RetentionSettings = { readonly eventDays: number; readonly sumDays: number };

const DAY_MS = 86_400_000;
/** Maximum steps per run; the rest waits for the next. */
const MAX_STEPS = 200;
const PAUSE_MS = 50;

const dayBefore = (nowMs: number, days: number): string => new Date(nowMs - days * DAY_MS).toISOString().slice(0, 10);

/** Returns the number of steps taken. */
export async function forgetOldUsage(
  forgetSome: (eventsFrom: string, sumsFrom: string) => Promise<boolean>,
  { eventDays, sumDays }: RetentionSettings,
  nowMs: number,
  pause: (ms: number) => Promise<void>,
): Promise<number> {
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if (!(await forgetSome(dayBefore(nowMs, eventDays), dayBefore(nowMs, sumDays)))) return steps;
    await pause(PAUSE_MS);
  }
  return MAX_STEPS;
}
