// `usage`, `prices`, `rateLimits` and `payments`: how long usage is stored, what accounts pay in relation to the
// catalogue, what they may use, and which payment events are trusted.

import Type, { type Static } from 'typebox';
import type { RateLimitsData } from '../../money/limits/rates-schema.ts';
import type { RateRules } from '../../money/limits/rules.ts';
import { type DatedPriceTerms, factorPpmOf } from '../../money/prices/account-terms.ts';
import { type Building, buildSecrets, closed, integer, map, number, section } from './parts.ts';

/** A hundred times the price at most: anything above is a mistake. */
const percent = (description: string) => number(-100, 9900, 0, description);

export const usageSchema = section(
  {
    eventDays: integer(1, 400, 90, 'How many days single requests are stored.'),
    sumDays: integer(1, 36_500, 800, 'How many days hourly sums are stored.'),
  },
  'Usage in the database. See `docs/call/usage.md`.',
);

export const pricesSchema = section(
  {
    changePercent: percent(
      'Markup (`15`) or discount (`-20`) on catalogue prices for all accounts, in percent with up to four decimals.',
    ),
    accounts: map(
      '^[^\\u0000-\\u0020]{1,200}$',
      percent('Replaces `changePercent` for this account.'),
      'Accounts with their own percentage, by id.',
    ),
  },
  'What accounts pay in relation to the catalogue. See `docs/operate/prices.md`.',
);

export const paymentsSchema = map(
  '^[a-z0-9-]{1,64}$',
  Type.Object(
    {
      secrets: Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 4,
        description:
          'Secrets that sign its events, as `env:NAME` or `file:/path`, 16 characters or more. An event signed with any of them is accepted, so that they can be rotated.',
      }),
    },
    closed,
  ),
  'Payment providers whose signed events pay orders, by a name of your choice. Used only with a `database`. See `docs/operate/payments.md`.',
);

const TOO_FINE = 'has more than four decimals';

/** Every percentage must be representable in integer arithmetic. */
export const buildPrices = (data: Static<typeof pricesSchema>, { report }: Building): DatedPriceTerms => {
  if (factorPpmOf(data.changePercent) === undefined) report(['prices', 'changePercent'], TOO_FINE);
  for (const [account, change] of Object.entries(data.accounts))
    if (factorPpmOf(change) === undefined) report(['prices', 'accounts', account], TOO_FINE);
  return data;
};

export const buildRateLimits = (data: RateLimitsData): RateRules => ({
  key: { each: data.perKey, own: data.keys },
  account: { each: data.perAccount, own: data.accounts },
  processes: data.processes,
  model: { each: data.perModel, own: data.models },
});

const MIN_PAYMENT_SECRET_LENGTH = 16;

/** The secrets that verify signed events, by the name of the payment provider. */
export const buildPayments = (
  data: Static<typeof paymentsSchema>,
  building: Building,
): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries(data).map(([provider, { secrets }]) => [
      provider,
      buildSecrets(secrets, ['payments', provider, 'secrets'], MIN_PAYMENT_SECRET_LENGTH, building),
    ]),
  );
