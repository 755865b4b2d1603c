/** A request nobody knows the price of: refused on accounts that pay, in words that name the way out. */
import type { Fault, Meter } from '@trivium/protocol/canonical';
import { METER_RULES } from './meters.ts';

export const unpricedFault = (modelId: string, provider: string, missing: readonly Meter[]): Fault => {
  const kinds = [...new Set(missing.map((meter) => METER_RULES[meter].kinds[0] ?? meter))].join(', ');
  return {
    kind: 'over-budget',
    code: 'model_unpriced',
    message:
      `No price (${kinds}) is known for ${modelId} at ${provider}, so it cannot be used on an account with credit or budgets. ` +
      `The operator of this gateway can set one under catalogue.changes["${modelId}"].prices; a free model needs a price of "0".`,
  };
};
