/** Where the window of a budget begins and ends, in UTC. Months are counted by the civil calendar, without a clock. */
import type { Span } from '../../../packages/gateway/src/money/ledger/core/ledger-state.ts';

const DAY_MS = 86_400_000;
/** Longer than anybody plans for: the end of a window that never ends. */
const FOREVER_MS = Number.MAX_SAFE_INTEGER;

export function windowStartMs(span: Span, nowMs: number): number {
  if (span === 'total') return 0;
  const day = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (span === 'day') return day;
  const date = new Date(nowMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function windowEndMs(span: Span, nowMs: number): number {
  if (span === 'total') return FOREVER_MS;
  if (span === 'day') return windowStartMs('day', nowMs) + DAY_MS;
  const date = new Date(nowMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
