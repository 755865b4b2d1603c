// The form of `rateLimits`: what keys, accounts and models may use in a minute and at once.

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
const MAX_PER_MINUTE = 1_000_000_000;

/** Of a key, an account or a model. */
export const rateRule = Type.Object(
  {
    requestsPerMinute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PER_MINUTE, description: 'Requests in a minute.' }),
    ),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PER_MINUTE,
        description:
          'Requests that may come at once before `requestsPerMinute` paces them. Without it a sixth of that limit, and at least 10 or the limit itself if that is lower.',
      }),
    ),
    tokensPerMinute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PER_MINUTE, description: 'Tokens in a minute, input and output.' }),
    ),
    usdPerMinute: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description: 'USD in a minute.' }),
    ),
    inFlight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Requests at once.' })),
  },
  { ...closed, default: {} },
);

const each = (description: string) => Type.Object(rateRule.properties, { ...closed, default: {}, description });
const own = (description: string) =>
  Type.Record(Type.String({ pattern: '^[^\\u0000-\\u0020]{1,200}$' }), rateRule, {
    ...closed,
    default: {},
    description,
  });

export const rateLimitsSchema = Type.Object(
  {
    processes: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 1,
      description:
        'How many nodes serve the same callers and count apart, because there is no Redis: each enforces its share. With Redis, the least to divide by while it does not answer.',
    }),
    perKey: each('What each key may use.'),
    perAccount: each('What each account may use, all its keys together.'),
    perModel: each('What may be used of each model, by all accounts together.'),
    keys: own(
      'Keys with limits of their own: by name for keys of this file, by id for keys of the database (which may also carry their own, `rights.rateLimits`). Members that are left out stay as in `perKey`.',
    ),
    accounts: own('Accounts with limits of their own, by id.'),
    models: own('Models with limits of their own, by id.'),
  },
  {
    ...closed,
    default: {},
    description: 'Limits by the minute, and of requests at once. See `docs/operate/limits.md`.',
  },
);

export type RateLimitsData = Static<typeof rateLimitsSchema>;
