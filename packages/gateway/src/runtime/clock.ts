/** The real clocks. Everything else is handed one of these. */
import type { Clock } from '../engine/ports.ts';
import type { Timer } from '../engine/pulse.ts';

export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

export const systemTimer: Timer = {
  nowMs: () => performance.now(),
  start: (run, everyMs) => {
    const timer = setInterval(run, everyMs);
    timer.unref();
    return () => clearInterval(timer);
  },
};
