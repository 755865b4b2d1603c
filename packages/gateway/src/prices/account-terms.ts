/** What an account pays in relation to the catalogue: a discount or a markup, in parts per million of the price. */
import { LIST_PRICE_PPM } from './rounding.ts';

/** A hundred times the price at most; anything above is a slip. */
const MAX_FACTOR_PPM = 100 * LIST_PRICE_PPM;

const PER_CENT_PPM = LIST_PRICE_PPM / 100;

/** From that moment on; null: what everybody pays. */
export type DatedTerms = {
  readonly accountId: string;
  readonly fromMs: number;
  readonly changePercent: number | null;
};

export type DatedPriceTerms = {
  readonly changePercent: number;
  /** By account id; they have the last word. */
  readonly accounts: Readonly<Record<string, number>>;
  /** In the order they come into force. */
  readonly dated?: readonly DatedTerms[];
};

/** By account id: what it pays in millionths of the catalogue's prices, at that moment. */
export const priceFactors = (terms: DatedPriceTerms, atMs: number): ((accountId: string) => number) => {
  const all = factorPpmOf(terms.changePercent) ?? LIST_PRICE_PPM;
  const own = new Map<string, number>();
  for (const { accountId, fromMs, changePercent } of terms.dated ?? []) {
    if (fromMs > atMs) continue;
    if (changePercent === null) own.delete(accountId);
    else own.set(accountId, factorPpmOf(changePercent) ?? all);
  }
  for (const [id, percent] of Object.entries(terms.accounts)) own.set(id, factorPpmOf(percent) ?? all);
  return own.size === 0 ? () => all : (accountId) => own.get(accountId) ?? all;
};

/** When somebody's terms will be others than at that moment, at the earliest. */
export const nextTermsChangeMs = ({ dated = [] }: DatedPriceTerms, atMs: number): number | undefined =>
  dated.reduce<number | undefined>(
    (next, { fromMs }) => (fromMs > atMs && fromMs < (next ?? Number.POSITIVE_INFINITY) ? fromMs : next),
    undefined,
  );

/** +20 is a markup of 20 %, −20 a discount of 20 %, −100 makes everything free. At most four decimals. */
export const factorPpmOf = (changePercent: number): number | undefined => {
  const factor = Math.round(LIST_PRICE_PPM + changePercent * PER_CENT_PPM);
  const isExact = Math.abs(factor - (LIST_PRICE_PPM + changePercent * PER_CENT_PPM)) < 1e-6;
  return isExact && factor >= 0 && factor <= MAX_FACTOR_PPM ? factor : undefined;
};
