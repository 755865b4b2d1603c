/** Per-account discounts and markups on the catalogue's prices, in parts per million of the price. */
import { LIST_PRICE_PPM } from '../../kernel/usd.ts';

/** At most a hundred times the price; anything above is taken for a typing error. */
const MAX_FACTOR_PPM = 100 * LIST_PRICE_PPM;

const PER_CENT_PPM = LIST_PRICE_PPM / 100;

/** Terms that apply from `fromMs` on; a `changePercent` of null: the default for all accounts. */
export type DatedTerms = {
  readonly accountId: string;
  readonly fromMs: number;
  readonly changePercent: number | null;
};

export type DatedPriceTerms = {
  readonly changePercent: number;
  /** By account id; takes precedence over `dated`. */
  readonly accounts: Readonly<Record<string, number>>;
  /** In the order they come into force. */
  readonly dated?: readonly DatedTerms[];
};

/** By account id: the price factor in millionths of the catalogue's prices, at that time. */
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

/** The earliest time at which an account's terms will differ from those at `atMs`. */
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
