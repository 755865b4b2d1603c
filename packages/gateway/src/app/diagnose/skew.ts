/** Clock skew: how far the clock of another machine is from ours. */
import type { Finding } from './finding.ts';

const WARN_MS = 1000;
const FAIL_MS = 30_000;

export type ClockReading = {
  readonly theirMs: number;
  /** Our time before and after the request: the answer was made in between. */
  readonly beforeMs: number;
  readonly afterMs: number;
};

export async function readClock(ask: () => Promise<number>, nowMs: () => number): Promise<ClockReading> {
  const beforeMs = nowMs();
  const theirMs = await ask();
  return { theirMs, beforeMs, afterMs: nowMs() };
}

export function skewFinding(whose: string, { theirMs, beforeMs, afterMs }: ClockReading): Finding {
  const check = `Clock (${whose})`;
  const aheadMs = theirMs < beforeMs ? theirMs - beforeMs : Math.max(0, theirMs - afterMs);
  const offMs = Math.abs(aheadMs);
  const detail =
    aheadMs === 0 ? 'same time' : `${whose} is ${(offMs / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
  if (offMs < WARN_MS) return { check, status: 'ok', detail };
  const next = 'synchronise both machines with NTP; signatures of webhooks and cloud providers carry the time';
  return { check, status: offMs < FAIL_MS ? 'warn' : 'fail', detail, next };
}
