// Schema of catalogue files and of operator overrides. Semantics (dates, tiers, ids) are checked elsewhere.

import { MODALITIES, OUTPUT_MODALITIES, TOKENIZERS } from '@trivium/protocol/canonical';
import Type, { type Static } from 'typebox';
import { dataFacts } from './schema-data.ts';
import { image, video } from './schema-media.ts';
import { closed, day, MAX_TOKENS, name, sentence } from './schema-parts.ts';
import { otherPrices, pricings, when } from './schema-prices.ts';

const MAX_MODELS_PER_FILE = 1000;
const MAX_ENDPOINTS = 64;

const tokens = Type.Integer({ minimum: 1, maximum: MAX_TOKENS });
const modalities = Type.Array(Type.Enum([...MODALITIES]), { minItems: 1, uniqueItems: true });
const outputModalities = Type.Array(Type.Enum([...OUTPUT_MODALITIES]), { minItems: 1, uniqueItems: true });

const endpoint = Type.Object(
  {
    provider: name,
    dialect: name,
    upstreamModel: name,
    contextLength: Type.Optional(tokens),
    maxOutputTokens: Type.Optional(tokens),
    inputModalities: Type.Optional(modalities),
    ...dataFacts,
    image: Type.Optional(image),
    video: Type.Optional(video),
    /** Its maker sells it, and no price is known: for accounts without credit only. */
    unpriced: Type.Optional(Type.Literal(true)),
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
    verbosity: Type.Optional(Type.Boolean()),
    promptCache: Type.Enum(['none', 'auto', 'explicit']),
    tokenizer: Type.Optional(Type.Enum([...TOKENIZERS])),
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
    successor: Type.Optional(name),
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

/** Names of models that were retired before they could have their own row here. */
const retiredName = Type.Object(
  { names: Type.Array(name, { minItems: 1, maxItems: 32, uniqueItems: true }), day, successor: name },
  closed,
);

export const CatalogueFileSchema = Type.Object(
  {
    owner: name,
    asOf: day,
    models: Type.Array(model, { maxItems: MAX_MODELS_PER_FILE }),
    retiredNames: Type.Optional(Type.Array(retiredName, { maxItems: MAX_MODELS_PER_FILE })),
  },
  closed,
);

const change = Type.Object(
  {
    /** The model is neither listed nor routed. */
    hide: Type.Optional(Type.Boolean()),
    aliases: Type.Optional(aliases),
    /** Tried before the shipped ones; replaces the one of the same provider and dialect. */
    endpoints: Type.Optional(Type.Array(endpoint, { minItems: 1, maxItems: MAX_ENDPOINTS })),
    /**
     * Replaces the named price kinds on the endpoints of that provider (and dialect, if given); for a limited time if
     * the first day (`from`) or the end day (`until`, exclusive) is given.
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

/** The operator's changes to the catalogue, as they may appear in the configuration. */
export const CatalogueOverridesSchema = Type.Object(
  {
    /** Added, or replacing the shipped model of the same id. */
    models: Type.Optional(Type.Array(model, { maxItems: MAX_MODELS_PER_FILE })),
    /** By model id. */
    changes: Type.Optional(Type.Record(Type.String({ maxLength: 200 }), change)),
  },
  closed,
);

export type EndpointData = Static<typeof endpoint>;
export type ModelData = Static<typeof model>;
export type RetiredNameData = Static<typeof retiredName>;
export type CatalogueFileData = Static<typeof CatalogueFileSchema>;
export type ChangeData = Static<typeof change>;
export type CatalogueOverrides = Static<typeof CatalogueOverridesSchema>;
