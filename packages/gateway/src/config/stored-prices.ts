// Prices, discounts and markups of the database besides those of the file, with the precedence of everything stored:
// the file wins.

import type { PriceChange } from '../models/catalogue/price-change.ts';
import type { ChangeData } from '../models/catalogue/schema.ts';
import type { DatedTerms } from '../money/prices/account-terms.ts';
import type { Config } from './config.ts';

type PriceData = NonNullable<ChangeData['prices']>[number];

export const withStoredPrices = (
  config: Config,
  stored: readonly PriceChange[],
  dated: readonly DatedTerms[],
): Config => {
  const changes: Record<string, ChangeData> = { ...config.catalogue.changes };
  // From the latest to the earliest, each put in front of the others: so later ones take precedence, and the file most
  // of all.
  for (const { modelId, ...price } of [...stored].reverse()) {
    const change = Object.hasOwn(changes, modelId) ? changes[modelId] : undefined;
    changes[modelId] = { ...change, prices: [price as PriceData, ...(change?.prices ?? [])] };
  }
  return {
    ...config,
    catalogue: { ...config.catalogue, ...(stored.length > 0 && { changes }) },
    prices: { ...config.prices, ...(dated.length > 0 && { dated }) },
  };
};
