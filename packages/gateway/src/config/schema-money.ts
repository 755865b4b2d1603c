// Billing settings: what accounts pay in relation to the catalogue, which payment events are trusted, and how long
// usage is stored.

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

/** A hundred times the price at most: anything above is a mistake. */
const percent = (description: string) => Type.Number({ minimum: -100, maximum: 9900, default: 0, description });

const days = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 400, default: fallback, description });

export const usageSchema = Type.Object(
  {
    eventDays: days(90, 'How many days single requests are stored.'),
    sumDays: Type.Integer({
      minimum: 1,
      maximum: 36_500,
      default: 800,
      description: 'How many days hourly sums are stored.',
    }),
  },
  { ...closed, default: {}, description: 'Usage in the database. See `docs/call/usage.md`.' },
);

export const pricesSchema = Type.Object(
  {
    changePercent: percent(
      'Markup (`15`) or discount (`-20`) on catalogue prices for all accounts, in percent with up to four decimals.',
    ),
    accounts: Type.Record(
      Type.String({ pattern: '^[^\\u0000-\\u0020]{1,200}$' }),
      percent('Replaces `changePercent` for this account.'),
      { ...closed, default: {}, description: 'Accounts with their own percentage, by id.' },
    ),
  },
  {
    ...closed,
    default: {},
    description: 'What accounts pay in relation to the catalogue. See `docs/operate/prices.md`.',
  },
);

export const paymentsSchema = Type.Record(
  Type.String({ pattern: '^[a-z0-9-]{1,64}$' }),
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
  {
    ...closed,
    default: {},
    description:
      'Payment providers whose signed events pay orders, by a name of your choice. Used only with a `database`. See `docs/operate/payments.md`.',
  },
);

export type PaymentsData = Static<typeof paymentsSchema>;
