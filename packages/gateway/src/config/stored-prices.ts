// Prices and terms of the database beside those of the file, with the precedence of everything stored: what the file says,
// the file decides.

import type { PriceChange } from '../catalogue/price-change.ts';
import type { ChangeData } from '../catalogue/schema.ts';
import type { DatedTerms } from '../prices/account-terms.ts';
import type { Config } from './config.ts';

type PriceData = NonNullable<ChangeData['prices']>[number];

export const withStoredPrices = (
  config: Config,
  stored: readonly PriceChange[],
  dated: readonly DatedTerms[],
): Config => {
  const changes: Record<string, ChangeData> = { ...config.catalogue.changes };
  // From the latest to the earliest, each before what is there: so later ones have more to say, and the file most.
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
