// Schema of `models` and `catalogue`: the operator's own models in a short form, and changes to shipped ones.

import { TOKENIZERS } from '@trivium/protocol/canonical';
import Type, { type Static } from 'typebox';
import { CatalogueOverridesSchema } from '../models/catalogue/schema.ts';
import { dataFacts } from '../models/catalogue/schema-data.ts';

const closed = { additionalProperties: false } as const;

const fullModel = CatalogueOverridesSchema.properties.models.items.properties;
const fullEndpoint = fullModel.endpoints.items.properties;
const fullEmbedding = fullModel.embedding.properties;
const fullThinking = fullModel.capabilities.properties.thinking;

/** Default creation day of own models; a fixed day keeps model lists stable over restarts. */
export const DEFAULT_CREATED = '2026-11-14';
const DEFAULT_CONTEXT_LENGTH = 128_000;

const text = (description: string, maxLength = 200) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));

const endpoint = Type.Object(
  {
    provider: Type.String({ minLength: 1, maxLength: 200, description: 'Id of the host that serves the model.' }),
    dialect: text(
      "Wire format. Without it: an own host's `dialect`, else `openai-chat`; for embeddings and images the format beside it.",
    ),
    upstreamModel: text("The host's name for the model. Without it: the part of `id` after the slash."),
    contextLength: fullEndpoint.contextLength,
    maxOutputTokens: fullEndpoint.maxOutputTokens,
    inputModalities: fullEndpoint.inputModalities,
    ...dataFacts,
    image: fullEndpoint.image,
    video: fullEndpoint.video,
    pricings: Type.Optional(fullEndpoint.pricings),
    priceBasis: fullEndpoint.priceBasis,
    priceWhen: fullEndpoint.priceWhen,
    otherPrices: fullEndpoint.otherPrices,
    source: fullEndpoint.source,
  },
  closed,
);

const capabilities = Type.Object(
  {
    tools: Type.Boolean({ default: true, description: 'The model can call tools.' }),
    structuredOutput: Type.Boolean({ default: true, description: 'The model can answer by a JSON schema.' }),
    temperature: Type.Boolean({ default: true, description: 'A temperature is accepted.' }),
    verbosity: Type.Optional(
      Type.Boolean({
        description: 'A verbosity other than `medium` is accepted, if the host accepts one. Without it: it is.',
      }),
    ),
    promptCache: Type.Enum(['none', 'auto', 'explicit'], { default: 'none', description: 'How prompts are cached.' }),
    tokenizer: Type.Optional(
      Type.Enum([...TOKENIZERS], { description: 'A published tokenizer that counts its tokens if no host does.' }),
    ),
    thinking: Type.Object(fullThinking.properties, {
      ...closed,
      default: { kind: 'none' },
      description: 'Whether and how the model thinks: `kind`, `canDisable`, `levels`, `min`, `max`.',
    }),
    aspectRatios: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 16 }), {
        minItems: 1,
        maxItems: 32,
        uniqueItems: true,
        description: 'Aspect ratios of the images it makes. Without it: any.',
      }),
    ),
  },
  { ...closed, default: {}, description: 'What the model can do.' },
);

const model = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'What callers write: `<owner>/<name>`. `<owner>/*` is a wildcard: unlisted models of the owner are called by the name the caller uses, with the prices and limits written here.',
    }),
    endpoints: Type.Array(endpoint, {
      minItems: 1,
      maxItems: 64,
      description: 'The hosts that serve it, in order of preference.',
    }),
    aliases: fullModel.aliases,
    displayName: text('Display name. Without it: the id.'),
    description: text('One or two sentences for model lists.', 1000),
    created: Type.Optional(
      Type.String({
        ...fullModel.created,
        description: `Day of release (YYYY-MM-DD). Without it: ${DEFAULT_CREATED}.`,
      }),
    ),
    inputModalities: Type.Array(fullModel.inputModalities.items, {
      minItems: 1,
      uniqueItems: true,
      default: ['text'],
      description: 'What the model reads.',
    }),
    outputModalities: Type.Array(fullModel.outputModalities.items, {
      minItems: 1,
      uniqueItems: true,
      default: ['text'],
      description: 'What the model writes.',
    }),
    contextLength: Type.Integer({
      minimum: 1,
      maximum: 100_000_000,
      default: DEFAULT_CONTEXT_LENGTH,
      description: 'Most tokens of prompt and answer together.',
    }),
    maxOutputTokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000_000,
        description:
          'Most tokens of an answer; a higher cap is lowered. Without it: `contextLength`, and half of it where a format requires a cap and the caller gave none.',
      }),
    ),
    capabilities,
    embedding: Type.Optional(
      Type.Object(
        {
          dimensions: fullEmbedding.dimensions,
          shortens: Type.Boolean({ default: false, description: 'Shorter vectors can be requested.' }),
        },
        {
          ...closed,
          description: 'For models whose `outputModalities` are `[embedding]`: the length of their vectors.',
        },
      ),
    ),
  },
  closed,
);

export const modelsSchema = Type.Array(model, {
  maxItems: 1000,
  default: [],
  description:
    'Own models. One with the id of a shipped model replaces it. An endpoint without `pricings` is unpriced: accounts with credit or budgets are refused it.',
});

export const catalogueSchema = Type.Object(
  { changes: CatalogueOverridesSchema.properties.changes },
  {
    ...closed,
    default: {},
    description:
      'Changes to models, by id, under `changes`: `hide: true`, further `aliases`, further `endpoints` (tried first), other `prices` of a provider.',
  },
);

export type OwnModelData = Static<typeof model>;
export type OwnEndpointData = Static<typeof endpoint>;
