/** What the admin API needs of prices and usage beyond their rows. */
import type { PriceChange } from '../../models/catalogue/price-change.ts';

export interface PricesPort {
  /** Why a price change does not fit the catalogue. */
  problemWith(change: PriceChange): Promise<string | undefined>;
}

export interface UsagePort {
  /** As the account itself reads them; `query`: the query parameters. Throws if they are invalid. */
  sums(accountId: string, query: ReadonlyMap<string, string>): Promise<unknown>;
  one(accountId: string, requestId: string): Promise<unknown>;
}
