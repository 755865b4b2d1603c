/** What an account pays in relation to the catalogue: a discount or a markup, in parts per million of the price. */
import { LIST_PRICE_PPM } from './rounding.ts';

/** A hundred times the price at most; anything above is a slip. */
const MAX_FACTOR_PPM = 100 * LIST_PRICE_PPM;

const PER_CENT_PPM = LIST_PRICE_PPM / 100;

/** By account id: what it pays in millionths of the catalogue's prices. */
export const priceFactors = (terms: {
  readonly changePercent: number;
  readonly accounts: Readonly<Record<string, number>>;
}): ((accountId: string) => number) => {
  const all = factorPpmOf(terms.changePercent) ?? LIST_PRICE_PPM;
  const own = new Map(Object.entries(terms.accounts).map(([id, percent]) => [id, factorPpmOf(percent) ?? all]));
  return own.size === 0 ? () => all : (accountId) => own.get(accountId) ?? all;
};

/** +20 is a markup of 20 %, −20 a discount of 20 %, −100 makes everything free. At most four decimals. */
export const factorPpmOf = (changePercent: number): number | undefined => {
  const factor = Math.round(LIST_PRICE_PPM + changePercent * PER_CENT_PPM);
  const isExact = Math.abs(factor - (LIST_PRICE_PPM + changePercent * PER_CENT_PPM)) < 1e-6;
  return isExact && factor >= 0 && factor <= MAX_FACTOR_PPM ? factor : undefined;
};
