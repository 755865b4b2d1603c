/** Clocks and timers. */
import type { Timer } from './timeouts.ts';

export interface Clock {
  /** Wall clock, for times that people read. */
  nowMs(): number;
  /** Monotonic clock, for durations. */
  monotonicMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

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
