/** Clocks and timers. */
import type { Timer } from './timeouts.ts';

export interface Clock {
  /** Wall clock, for times that people read. */
  nowMs(): number;
  /** Monotonic clock, for durations. */
  monotonicMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** Node fires a timer at once if its delay does not fit into 31 bits: 24.8 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The delay of a timer until then; it fires before a time that is too far away. */
export const delayUntil = (atMs: number, nowMs: number, leastMs: number): number =>
  Math.min(LONGEST_TIMER_MS, Math.max(leastMs, atMs - nowMs));

/** Keeps the process alive meanwhile. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs once; the returned function cancels it. */
export const systemAfter = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export const systemTimer: Timer = {
  nowMs: () => performance.now(),
  start: (run, everyMs) => {
    const timer = setInterval(run, everyMs);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/**
 * Repeats work that may fail: a failure is reported, and the next round runs all the same. The returned function stops
 * it.
 */
export const every = (
  everyMs: number,
  run: () => Promise<unknown>,
  onTrouble: (error: unknown) => void,
): (() => void) => systemTimer.start(() => void run().catch(onTrouble), everyMs);
