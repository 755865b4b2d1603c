/**
 * Prices at one point in time: prices limited to certain days or hours are folded into the main prices, or left out.
 * Price lists and bills both use the result, so that the listed price is the charged one.
 */
import type { OtherPrices, PriceCase, PricedEndpoint, WeeklyHours } from '../../kernel/price.ts';

const HOUR_MS = 3_600_000;

const dayStartMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);

const isTimed = ({ from, until, weekly }: PriceCase): boolean => (from ?? until ?? weekly) !== undefined;

const isWithinHours = ({ days, hours }: WeeklyHours, atMs: number): boolean => {
  const at = new Date(atMs);
  const hour = at.getUTCHours();
  return days.includes(at.getUTCDay()) && hours.some(({ from, to }) => hour >= from && hour < to);
};

const isNow = ({ from, until, weekly }: PriceCase, atMs: number): boolean =>
  (from === undefined || atMs >= dayStartMs(from)) &&
  (until === undefined || atMs < dayStartMs(until)) &&
  (weekly === undefined || isWithinHours(weekly, atMs));

const withoutTimes = ({ from: _f, until: _u, weekly: _w, ...rest }: PriceCase): PriceCase => rest;

export const endpointAt = <E extends PricedEndpoint>(endpoint: E, atMs: number): E => {
  if (!endpoint.otherPrices.some(({ when }) => when !== undefined && isTimed(when))) return endpoint;
  let { prices } = endpoint;
  const otherPrices: OtherPrices[] = [];
  for (const other of endpoint.otherPrices) {
    const { when } = other;
    if (when === undefined || !isTimed(when)) {
      otherPrices.push(other);
      continue;
    }
    if (!isNow(when, atMs)) continue;
    const rest = withoutTimes(when);
    const isForAll = Object.keys(rest).length === 0 && other.meters === undefined && other.beyond === undefined;
    if (isForAll) prices = { ...prices, ...other.prices };
    else otherPrices.push({ ...other, when: rest });
  }
  return { ...endpoint, prices, otherPrices };
};

/** The earliest time at which prices may change: the next full hour, or undefined if no price depends on time. */
export const nextPriceChangeMs = (endpoints: Iterable<PricedEndpoint>, atMs: number): number | undefined => {
  for (const { otherPrices } of endpoints)
    if (otherPrices.some(({ when }) => when !== undefined && isTimed(when)))
      return (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS;
  return undefined;
};
