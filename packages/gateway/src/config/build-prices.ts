// Discounts and markups, for all accounts and for single ones: every percentage must be representable in integer
// arithmetic.

import { factorPpmOf } from '../money/prices/account-terms.ts';
import type { Building } from './building.ts';
import type { PriceTerms } from './config.ts';
import type { ConfigData } from './schema.ts';

const TOO_FINE = 'has more than four decimals';

export const buildPrices = ({ changePercent, accounts }: ConfigData['prices'], { report }: Building): PriceTerms => {
  if (factorPpmOf(changePercent) === undefined) report(['prices', 'changePercent'], TOO_FINE);
  for (const [account, percent] of Object.entries(accounts))
    if (factorPpmOf(percent) === undefined) report(['prices', 'accounts', account], TOO_FINE);
  return { changePercent, accounts: Object.assign(Object.create(null), accounts) };
};
