// Rate limits by key, account and model.

import type { RateLimitsData } from '../money/limits/rates-schema.ts';
import type { RateRules } from '../money/limits/rules.ts';

export const buildRateLimits = (data: RateLimitsData): RateRules => ({
  key: { each: data.perKey, own: data.keys },
  account: { each: data.perAccount, own: data.accounts },
  processes: data.processes,
  model: { each: data.perModel, own: data.models },
});
