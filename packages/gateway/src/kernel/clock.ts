/** Time, for whatever needs to know or to wait. */
import type { Timer } from './timeouts.ts';

export interface Clock {
  /** Wall clock, for what people read. */
  nowMs(): number;
  /** Monotonic, for what is measured. */
  monotonicMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** Runs once; what it gives back takes it back. */
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

/** Repeats work that may fail: a failure is reported, and the next round comes all the same. What it returns ends it. */
export const every = (
  everyMs: number,
  run: () => Promise<unknown>,
  onTrouble: (error: unknown) => void,
): (() => void) => systemTimer.start(() => void run().catch(onTrouble), everyMs);
