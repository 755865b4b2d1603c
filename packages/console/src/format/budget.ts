/** Budgets: when they reset, and whether they last at the current rate of spending. Days and months are in UTC. */

export type Span = 'day' | 'month' | 'total';

const startOf = (span: Span, nowMs: number): number => {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), span === 'day' ? now.getUTCDate() : 1);
};

/** Time of the next reset; undefined: never. */
export function resetMs(span: Span, nowMs: number): number | undefined {
  if (span === 'total') return undefined;
  const now = new Date(nowMs);
  return span === 'day' ? startOf('day', nowMs) + 86_400_000 : Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
}

/** Before this share of the span has passed, the rate of spending is unknown. */
const MIN_ELAPSED_SHARE = 0.02;

export type Pace = 'lasts' | 'unknown' | { readonly fullMs: number };

/** `usedShare`: spent and held, as a share of the budget. */
export function paceOf(span: Span, usedShare: number, nowMs: number): Pace {
  const until = resetMs(span, nowMs);
  if (until === undefined) return 'unknown';
  if (usedShare >= 1) return { fullMs: nowMs };
  const from = startOf(span, nowMs);
  const elapsed = nowMs - from;
  if (usedShare <= 0) return 'lasts';
  if (elapsed / (until - from) < MIN_ELAPSED_SHARE) return 'unknown';
  const fullMs = from + elapsed / usedShare;
  return fullMs < until ? { fullMs } : 'lasts';
}
