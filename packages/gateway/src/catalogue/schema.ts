// The form of catalogue files and of operator overrides. Meaning (dates, tiers, ids) is checked elsewhere.

import {
  IMAGE_FORMATS,
  IMAGE_TIERS,
  METERS,
  MODALITIES,
  OUTPUT_MODALITIES,
  PRICE_UNITS,
  type PriceKind,
} from '@trivium/protocol/canonical';
import Type, { type Static } from 'typebox';

const MAX_MODELS_PER_FILE = 1000;
const MAX_ENDPOINTS = 64;
const MAX_TIERS = 16;
const MAX_TOKENS = 100_000_000;
const MAX_K_TOKENS = MAX_TOKENS / 1000;

const closed = { additionalProperties: false } as const;
const name = Type.String({ minLength: 1, maxLength: 200 });
const sentence = Type.String({ minLength: 1, maxLength: 1000 });
const day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });
const tokens = Type.Integer({ minimum: 1, maximum: MAX_TOKENS });
const modalities = Type.Array(Type.Enum([...MODALITIES]), { minItems: 1, uniqueItems: true });
const outputModalities = Type.Array(Type.Enum([...OUTPUT_MODALITIES]), { minItems: 1, uniqueItems: true });
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

const pricings = Type.Object(
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

const MAX_IMAGES = 64;
const MAX_SIDE = 65_536;
const side = Type.Integer({ minimum: 1, maximum: MAX_SIDE });
const area = Type.Integer({ minimum: 1, maximum: MAX_SIDE * MAX_SIDE });
const tiers = Type.Optional(Type.Array(Type.Enum([...IMAGE_TIERS]), { minItems: 1, uniqueItems: true }));

const imageSize = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('ratio'),
      ratios: Type.Optional(
        Type.Array(Type.String({ pattern: '^[1-9][0-9]?:[1-9][0-9]?$' }), {
          minItems: 1,
          maxItems: 32,
          uniqueItems: true,
        }),
      ),
      tiers,
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('list'),
      sizes: Type.Array(Type.String({ pattern: '^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$' }), {
        minItems: 1,
        maxItems: 64,
        uniqueItems: true,
      }),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('free'),
      multiple: side,
      maxSide: side,
      minSide: Type.Optional(side),
      minPixels: Type.Optional(area),
      maxPixels: Type.Optional(area),
      maxRatio: Type.Optional(Type.Number({ minimum: 1, maximum: 100 })),
      tiers,
    },
    closed,
  ),
]);

/** What an endpoint that makes images takes and gives. */
const image = Type.Object(
  {
    imagesMax: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_IMAGES })),
    referencesMax: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_IMAGES })),
    masks: Type.Optional(Type.Boolean()),
    formats: Type.Optional(Type.Array(Type.Enum([...IMAGE_FORMATS]), { minItems: 1, uniqueItems: true })),
    partialsMax: Type.Optional(Type.Integer({ minimum: 0, maximum: 16 })),
    size: Type.Optional(imageSize),
    /** Where the figures come from, and whether nobody has held them against the host yet. */
    source: Type.Optional(sentence),
    unverified: Type.Optional(Type.Boolean()),
  },
  closed,
);

const MAX_VIDEOS = 16;
const MAX_SECONDS = 600;
const lengths = Type.Array(Type.Integer({ minimum: 1, maximum: MAX_SECONDS }), { minItems: 1, maxItems: 32 });

/** What an endpoint that makes clips takes and gives. */
const video = Type.Object(
  {
    videosMax: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_VIDEOS })),
    aspectRatios: Type.Optional(Type.Array(name, { minItems: 1, maxItems: 16, uniqueItems: true })),
    resolutions: Type.Optional(Type.Array(name, { minItems: 1, maxItems: 8, uniqueItems: true })),
    seconds: Type.Optional(
      Type.Union([
        lengths,
        Type.Object(
          {
            min: Type.Integer({ minimum: 1, maximum: MAX_SECONDS }),
            max: Type.Integer({ minimum: 1, maximum: MAX_SECONDS }),
          },
          closed,
        ),
      ]),
    ),
    secondsDefault: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SECONDS })),
    secondsAt: Type.Optional(Type.Record(name, lengths)),
    firstFrame: Type.Optional(Type.Enum(['required', 'optional', 'none'])),
    lastFrame: Type.Optional(Type.Boolean()),
    audio: Type.Optional(Type.Enum(['always', 'choice', 'none'])),
    source: Type.Optional(sentence),
    unverified: Type.Optional(Type.Boolean()),
  },
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

const when = Type.Object(
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

const otherPrices = Type.Object(
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

const endpoint = Type.Object(
  {
    provider: name,
    dialect: name,
    upstreamModel: name,
    contextLength: Type.Optional(tokens),
    maxOutputTokens: Type.Optional(tokens),
    inputModalities: Type.Optional(modalities),
    image: Type.Optional(image),
    video: Type.Optional(video),
    priceBasis: Type.Optional(sentence),
    pricings,
    priceWhen: Type.Optional(when),
    otherPrices: Type.Optional(Type.Array(otherPrices, { maxItems: 32 })),
    source: Type.Optional(sentence),
  },
  closed,
);

const capabilities = Type.Object(
  {
    tools: Type.Boolean(),
    structuredOutput: Type.Boolean(),
    temperature: Type.Boolean(),
    promptCache: Type.Enum(['none', 'auto', 'explicit']),
    thinking: Type.Object(
      {
        kind: Type.Enum(['none', 'budget', 'effort', 'level', 'adaptive', 'always']),
        canDisable: Type.Optional(Type.Boolean()),
        levels: Type.Optional(Type.Array(name, { minItems: 1, maxItems: 16, uniqueItems: true })),
        min: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TOKENS })),
        max: Type.Optional(tokens),
      },
      closed,
    ),
    aspectRatios: Type.Optional(Type.Array(name, { minItems: 1, maxItems: 32, uniqueItems: true })),
  },
  closed,
);

const MAX_DIMENSIONS = 65_536;

const embedding = Type.Object(
  {
    dimensions: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DIMENSIONS })),
    shortens: Type.Boolean(),
  },
  closed,
);

const aliases = Type.Array(name, { maxItems: 32, uniqueItems: true });

const model = Type.Object(
  {
    id: name,
    aliases: Type.Optional(aliases),
    displayName: name,
    description: sentence,
    created: day,
    createdApprox: Type.Optional(Type.Boolean()),
    retiring: Type.Optional(day),
    retired: Type.Optional(Type.Boolean()),
    inputModalities: modalities,
    outputModalities,
    reasoning: Type.Boolean(),
    contextLength: Type.Optional(tokens),
    maxOutputTokens: Type.Optional(tokens),
    capabilities,
    embedding: Type.Optional(embedding),
    endpoints: Type.Array(endpoint, { minItems: 1, maxItems: MAX_ENDPOINTS }),
  },
  closed,
);

export const CatalogueFileSchema = Type.Object(
  { owner: name, asOf: day, models: Type.Array(model, { maxItems: MAX_MODELS_PER_FILE }) },
  closed,
);

const change = Type.Object(
  {
    /** The model is neither listed nor routed. */
    hide: Type.Optional(Type.Boolean()),
    aliases: Type.Optional(aliases),
    /** Tried before the shipped ones; one of the same provider and dialect takes that one's place. */
    endpoints: Type.Optional(Type.Array(endpoint, { minItems: 1, maxItems: MAX_ENDPOINTS })),
    /**
     * Replaces the named price kinds on the endpoints of that provider (and dialect, if given); for a while only, where
     * the first day (`from`) or the first day no more (`until`) is given.
     */
    prices: Type.Optional(
      Type.Array(
        Type.Object(
          {
            provider: name,
            dialect: Type.Optional(name),
            from: Type.Optional(day),
            until: Type.Optional(day),
            pricings,
          },
          closed,
        ),
        { maxItems: 64 },
      ),
    ),
  },
  closed,
);

/** The operator's own word on the catalogue, as it may stand in the configuration. */
export const CatalogueOverridesSchema = Type.Object(
  {
    /** Added, or put in the place of the shipped model of the same id. */
    models: Type.Optional(Type.Array(model, { maxItems: MAX_MODELS_PER_FILE })),
    /** By model id. */
    changes: Type.Optional(Type.Record(Type.String({ maxLength: 200 }), change)),
  },
  closed,
);

export type PriceItemData = Static<typeof priceItem>;
export type PricingsData = Static<typeof pricings>;
export type EndpointData = Static<typeof endpoint>;
export type ModelData = Static<typeof model>;
export type CatalogueFileData = Static<typeof CatalogueFileSchema>;
export type ChangeData = Static<typeof change>;
export type CatalogueOverrides = Static<typeof CatalogueOverridesSchema>;
