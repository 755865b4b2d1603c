// What the configuration says of money: what accounts pay in relation to the catalogue, who may say that somebody has paid,
// and how long usage is kept.

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

/** A hundred times the price at most: anything above is a slip. */
const percent = (description: string) => Type.Number({ minimum: -100, maximum: 9900, default: 0, description });

const days = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 400, default: fallback, description });

export const usageSchema = Type.Object(
  {
    eventDays: days(90, 'How many days single requests are kept.'),
    sumDays: Type.Integer({
      minimum: 1,
      maximum: 36_500,
      default: 800,
      description: 'How many days sums by the hour are kept.',
    }),
  },
  { ...closed, default: {}, description: 'Usage in the database. See `docs/call/usage.md`.' },
);

export const pricesSchema = Type.Object(
  {
    changePercent: percent(
      'What everybody pays more (`15`) or less (`-20`) than the catalogue says, in percent with up to four decimals.',
    ),
    accounts: Type.Record(
      Type.String({ pattern: '^[^\\u0000-\\u0020]{1,200}$' }),
      percent('In place of `changePercent`, for this account.'),
      { ...closed, default: {}, description: 'Accounts that pay otherwise, by id.' },
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
          'What its events are signed with, as `env:NAME` or `file:/path`, 16 characters or more. An event signed with any of them is believed, so that they can be changed.',
      }),
    },
    closed,
  ),
  {
    ...closed,
    default: {},
    description:
      'Payment providers whose signed events pay orders, by a name of your choice. Takes part where there is a `database`. See `docs/operate/payments.md`.',
  },
);

export type PaymentsData = Static<typeof paymentsSchema>;
