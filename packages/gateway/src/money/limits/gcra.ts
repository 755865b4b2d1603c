/**
 * The generic cell rate algorithm (GCRA): one number per limit, the time when all units admitted so far are paid for.
 * In any span of t milliseconds at most `burst + t × perMinute / 60,000` units are admitted.
 */

export type RateLimit = { readonly perMinute: number; readonly burst: number };

const MINUTE_MS = 60_000;

export const msPerUnit = ({ perMinute }: RateLimit): number => MINUTE_MS / perMinute;

/** A new browser tab or a starting agent sends several requests at once, however low its rate. */
const LEAST_BURST = 10;

/** Default burst: a sixth of a minute's requests, at least ten (or the limit, if lower). */
const usualBurst = (perMinute: number): number => Math.max(Math.min(perMinute, LEAST_BURST), Math.floor(perMinute / 6));

/** The rate of one of `shares` processes, or lease servers, that enforce the limit together. */
export const rateOfRequests = (perMinute: number, burst = usualBurst(perMinute), shares = 1): RateLimit => ({
  perMinute: perMinute / shares,
  burst: Math.max(1, Math.floor(burst / shares)),
});
/** Tokens and money: the burst is a whole minute's amount. */
export const rateOfAmounts = (perMinute: number): RateLimit => ({ perMinute, burst: perMinute });

/** The time in ms when everything is paid for if `units` are admitted now. */
export const paidAfter = (paidAtMs: number, nowMs: number, units: number, rate: RateLimit): number =>
  Math.max(paidAtMs, nowMs) + units * msPerUnit(rate);

/** Times are fractional milliseconds: ignores floating-point rounding errors. */
const ROUNDING_MS = 1e-6;

/** Wait in ms until `units` may be admitted: 0 now, Infinity never (more than the burst). */
export const waitFor = (paidAtMs: number, nowMs: number, units: number, rate: RateLimit): number => {
  if (units > rate.burst) return Number.POSITIVE_INFINITY;
  const waitMs = paidAfter(paidAtMs, nowMs, units, rate) - nowMs - rate.burst * msPerUnit(rate);
  return waitMs > ROUNDING_MS ? waitMs : 0;
};

/** The most units that could be admitted now. */
export const unitsLeft = (paidAtMs: number, nowMs: number, rate: RateLimit): number =>
  Math.max(0, Math.floor(rate.burst - Math.max(0, paidAtMs - nowMs) / msPerUnit(rate) + ROUNDING));
/** Times are fractional milliseconds: a rounding error must not cost a whole unit. */
const ROUNDING = 1e-9;
