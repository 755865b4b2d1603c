// Schema of `rateLimits`: what keys, accounts and models may use per minute and concurrently.

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
const MAX_PER_MINUTE = 1_000_000_000;

/** Of a key, an account or a model. */
export const rateRule = Type.Object(
  {
    requestsPerMinute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PER_MINUTE, description: 'Requests per minute.' }),
    ),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PER_MINUTE,
        description:
          'Burst: requests that may come at once before `requestsPerMinute` applies. Without it a sixth of that limit, and at least 10 or the limit itself if that is lower.',
      }),
    ),
    tokensPerMinute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PER_MINUTE, description: 'Tokens per minute, input and output.' }),
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
        'How many nodes serve the same callers and count separately, because there is no Redis: each enforces its share. With Redis, the minimum divisor while it does not answer.',
    }),
    perKey: each('What each key may use.'),
    perAccount: each('What each account may use, all its keys together.'),
    perModel: each('What may be used of each model, by all accounts together.'),
    keys: own(
      'Keys with their own limits: by name for keys of this file, by id for keys of the database (which may also carry their own, `rights.rateLimits`). Members that are left out stay as in `perKey`.',
    ),
    accounts: own('Accounts with their own limits, by id.'),
    models: own('Models with their own limits, by id.'),
  },
  {
    ...closed,
    default: {},
    description: 'Limits per minute, and of concurrent requests. See `docs/operate/limits.md`.',
  },
);

export type RateLimitsData = Static<typeof rateLimitsSchema>;
