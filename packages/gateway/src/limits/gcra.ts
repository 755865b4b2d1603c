/**
 * The generic cell rate algorithm: one number per limit says when everything admitted so far will have been paid for.
 * In any span of t milliseconds at most `burst + t × perMinute / 60,000` units are admitted, never more.
 */

export type RateLimit = { readonly perMinute: number; readonly burst: number };

const MINUTE_MS = 60_000;

export const msPerUnit = ({ perMinute }: RateLimit): number => MINUTE_MS / perMinute;

/** A tab that opens, or an agent that starts, sends several requests at once, however low its rate. */
const LEAST_BURST = 10;

/** A sixth of a minute's requests, and ten of them at least where the limit is not lower. */
const usualBurst = (perMinute: number): number => Math.max(Math.min(perMinute, LEAST_BURST), Math.floor(perMinute / 6));

/** For one of `shares` processes that hold the limit together. */
export const rateOfRequests = (perMinute: number, burst = usualBurst(perMinute), shares = 1): RateLimit => ({
  perMinute: perMinute / shares,
  burst: Math.max(1, Math.floor(burst / shares)),
});
/** Of tokens and money a minute's worth may come at once. */
export const rateOfAmounts = (perMinute: number): RateLimit => ({ perMinute, burst: perMinute });

/** When all that was admitted is paid for, if so many units are admitted now. */
export const paidAfter = (paidAtMs: number, nowMs: number, units: number, rate: RateLimit): number =>
  Math.max(paidAtMs, nowMs) + units * msPerUnit(rate);

/** Times are fractions of milliseconds: nobody waits for the last bits of one. */
const ROUNDING_MS = 1e-6;

/** How long to wait until so many units may be admitted: 0 now, Infinity never, since they are more than may come at once. */
export const waitFor = (paidAtMs: number, nowMs: number, units: number, rate: RateLimit): number => {
  if (units > rate.burst) return Number.POSITIVE_INFINITY;
  const waitMs = paidAfter(paidAtMs, nowMs, units, rate) - nowMs - rate.burst * msPerUnit(rate);
  return waitMs > ROUNDING_MS ? waitMs : 0;
};

/** How many units could be admitted now, at most. */
export const unitsLeft = (paidAtMs: number, nowMs: number, rate: RateLimit): number =>
  Math.max(0, Math.floor(rate.burst - Math.max(0, paidAtMs - nowMs) / msPerUnit(rate) + ROUNDING));
/** Times are fractions of milliseconds: a whole unit must not be lost to the last bit of one. */
const ROUNDING = 1e-9;
