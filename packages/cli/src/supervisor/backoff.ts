// Backoff before a crashed worker is restarted: short at first, capped at the longest delay.

const FIRST_MS = 100;
const LONGEST_MS = 30_000;

/** `falls` counts from 1. */
export const backoffMs = (falls: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** (falls - 1));
