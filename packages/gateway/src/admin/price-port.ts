/** What the admin API needs of prices and usage beyond their rows. */
import type { PriceChange } from '../catalogue/price-change.ts';

export interface PricesPort {
  /** Why a change of prices does not fit the catalogue. */
  problemWith(change: PriceChange): Promise<string | undefined>;
}

export interface UsagePort {
  /** As the account itself reads them; `query` is what stands after the question mark. Throws what is wrong with it. */
  sums(accountId: string, query: ReadonlyMap<string, string>): Promise<unknown>;
  one(accountId: string, requestId: string): Promise<unknown>;
}
