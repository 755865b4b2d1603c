/** The retry schedule of a message: soon at first, then for about a day, then never. */
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
];
/**
 * Jitter: at most this share later than planned, so that a receiver that recovers does not get all messages at once.
 */
const JITTER_SHARE = 0.2;

/** The pause in ms after this many failed attempts; undefined: no more attempts. `jitter`: from 0 to 1. */
export function pauseAfter(tries: number, jitter: number): number | undefined {
  const pauseMs = PAUSES_MS[tries - 1];
  return pauseMs === undefined ? undefined : Math.round(pauseMs * (1 + JITTER_SHARE * jitter));
}
