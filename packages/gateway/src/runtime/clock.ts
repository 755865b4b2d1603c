/** The real clocks. Everything else is handed one of these. */
import type { Clock } from '../engine/ports.ts';
import type { Timer } from '../engine/pulse.ts';

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
