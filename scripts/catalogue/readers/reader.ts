// What a reader of one foreign table offers, and what all of them need.

import type { OurSheet } from '../ours.ts';
import { type ComparedKind, priceText, type Sheet, type Tier } from '../sheet.ts';

/** The table's own name for the model, and what it states. */
export interface Found {
  readonly as: string;
  readonly sheet: Sheet;
}

/** Finds what a table states about one of our endpoints. */
export type Lookup = (ours: OurSheet) => Found | undefined;

type Prices = Partial<Record<ComparedKind, string>>;

/** Tables name one price for writing the cache; Claude's is the one for five minutes. */
export const cacheWriteKind = ({ model }: OurSheet): ComparedKind =>
  model.startsWith('anthropic/') ? 'input_cache_write_5_min' : 'input_cache_write';

/** Some tables write the last token of the lower tier, others the first of the upper: 271999 for 272000. */
const boundary = ({ above, usd }: Tier): Tier => ({ above: above % 1000 === 999 ? above + 1 : above, usd });

/** Tables write 0 for a cache price that they do not know, so only other prices may be 0. */
export const addPrice = (prices: Prices, kind: ComparedKind, usd: unknown, tiers: readonly Tier[] = []): void => {
  if (typeof usd !== 'number' || (usd === 0 && kind.startsWith('input_cache'))) return;
  prices[kind] = priceText(usd, tiers.map(boundary));
};

/** The same facts without the members that the table leaves out. */
export const stated = (sheet: {
  readonly contextLength?: unknown;
  readonly maxInput?: unknown;
  readonly maxOutput?: unknown;
  readonly inputs?: Sheet['inputs'];
  readonly prices?: Prices;
}): Sheet => ({
  ...(typeof sheet.contextLength === 'number' ? { contextLength: sheet.contextLength } : {}),
  ...(typeof sheet.maxInput === 'number' ? { maxInput: sheet.maxInput } : {}),
  ...(typeof sheet.maxOutput === 'number' ? { maxOutput: sheet.maxOutput } : {}),
  ...(sheet.inputs !== undefined && Object.keys(sheet.inputs).length > 0 ? { inputs: sheet.inputs } : {}),
  ...(sheet.prices !== undefined && Object.keys(sheet.prices).length > 0 ? { prices: sheet.prices } : {}),
});

/** Some tables leave out the day of `claude-opus-4-5-20251101`, the version of a cloud, or the part after `@`. */
export const spellings = (upstreamModel: string): readonly string[] => {
  const plain = upstreamModel.replace(/@.*$/, '');
  return [...new Set([upstreamModel, plain, plain.replace(/-20\d{6}(?:-v\d(?::\d)?)?$/, '')])];
};
