// Schema of prices: by kind, in tiers, for certain cases only.

import { METERS, PRICE_UNITS, type PriceKind } from '@trivium/protocol/canonical';
import Type, { type Static } from 'typebox';
import { closed, day, MAX_TOKENS, sentence } from './schema-parts.ts';

const MAX_TIERS = 16;
const MAX_K_TOKENS = MAX_TOKENS / 1000;

const bound = Type.Union([Type.Integer({ minimum: 0, maximum: MAX_K_TOKENS }), Type.Null()]);

const range = Type.Object(
  {
    unit: Type.Enum(['kTokens']),
    gte: Type.Optional(bound),
    gt: Type.Optional(bound),
    lte: Type.Optional(bound),
    lt: Type.Optional(bound),
  },
  closed,
);

const priceItem = Type.Object(
  {
    value: Type.String({ maxLength: 64 }),
    unit: Type.Enum([...PRICE_UNITS]),
    currency: Type.Enum(['USD']),
    conditions: Type.Optional(
      Type.Object({ prompt_tokens: Type.Optional(range), completion_tokens: Type.Optional(range) }, closed),
    ),
  },
  closed,
);

const priceList = Type.Optional(Type.Array(priceItem, { minItems: 1, maxItems: MAX_TIERS }));

export const pricings = Type.Object(
  {
    prompt: priceList,
    completion: priceList,
    input_cache_read: priceList,
    input_cache_write_5_min: priceList,
    input_cache_write_1_h: priceList,
    input_cache_write: priceList,
    web_search: priceList,
    internal_reasoning: priceList,
    video: priceList,
    image: priceList,
    audio: priceList,
    audio_and_video: priceList,
  } satisfies Record<PriceKind, typeof priceList>,
  closed,
);

const MAX_WORDS = 16;
const MAX_SIZE = 100_000;
const words = Type.Array(Type.String({ pattern: '^[a-z0-9_-]{1,40}$' }), { minItems: 1, maxItems: MAX_WORDS });
const size = Type.Number({ minimum: 0, maximum: MAX_SIZE });
const sizes = Type.Object({ gt: Type.Optional(size), lte: Type.Optional(size) }, { ...closed, minProperties: 1 });
const hour = Type.Integer({ minimum: 0, maximum: 24 });

const weekly = Type.Object(
  {
    days: Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), { minItems: 1, maxItems: 7, uniqueItems: true }),
    hours: Type.Array(Type.Object({ from: hour, to: hour }, closed), { minItems: 1, maxItems: 12 }),
  },
  closed,
);

/** Which requests, at which times, prices are for. */
export const when = Type.Object(
  {
    resolution: Type.Optional(words),
    quality: Type.Optional(words),
    megapixels: Type.Optional(sizes),
    seconds: Type.Optional(sizes),
    edits: Type.Optional(Type.Boolean()),
    videoInput: Type.Optional(Type.Boolean()),
    from: Type.Optional(day),
    until: Type.Optional(day),
    weekly: Type.Optional(weekly),
  },
  { ...closed, minProperties: 1 },
);

export const otherPrices = Type.Object(
  {
    basis: sentence,
    when: Type.Optional(when),
    meters: Type.Optional(Type.Array(Type.Enum([...METERS]), { minItems: 1, uniqueItems: true })),
    beyond: Type.Optional(
      Type.Object(
        { of: Type.Enum(['megapixels', 'referenceImages']), first: Type.Integer({ minimum: 0, maximum: 64 }) },
        closed,
      ),
    ),
    pricings,
  },
  closed,
);

export type PriceItemData = Static<typeof priceItem>;
export type PricingsData = Static<typeof pricings>;
