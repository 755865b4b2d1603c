/** What the admin API needs of prices beyond their rows. */
import type { PriceChange } from '../../models/catalogue/price-change.ts';
import type { DatabasePorts } from '../api/route.ts';

export interface PricesPort {
  /** Why a price change does not fit the catalogue. */
  problemWith(change: PriceChange): Promise<string | undefined>;
}

export type PricePorts = DatabasePorts & { readonly prices: PricesPort };
