// `models` and `catalogue`: the operator's own models in a short form, and changes to shipped ones. Read, both have the
// catalogue's own form of overrides.

import { DIALECT_IDS, TOKENIZERS } from '@trivium/protocol/canonical';
import Type, { type Static } from 'typebox';
import {
  type CatalogueOverrides,
  CatalogueOverridesSchema,
  type EndpointData,
  type ModelData,
} from '../../models/catalogue/schema.ts';
import { dataFacts } from '../../models/catalogue/schema-data.ts';
import { closed, flag, integer, optionalInteger, optionalSection, optionalText, section, text } from './parts.ts';

const fullModel = CatalogueOverridesSchema.properties.models.items.properties;
const fullEndpoint = fullModel.endpoints.items.properties;
const fullEmbedding = fullModel.embedding.properties;
const fullThinking = fullModel.capabilities.properties.thinking;

/** Default creation day of own models; a fixed day keeps model lists stable over restarts. */
const DEFAULT_CREATED = '2026-11-14';
const DEFAULT_CONTEXT_LENGTH = 128_000;

const endpoint = Type.Object(
  {
    provider: text(200, 'Id of the host that serves the model.'),
    dialect: optionalText(
      200,
      "Wire format. Without it: a custom provider's `dialect`, else `openai-chat`; for embeddings, reranking and images the format beside it.",
    ),
    upstreamModel: optionalText(200, "The host's name for the model. Without it: the part of `id` after the slash."),
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

const capabilities = section(
  {
    tools: flag(true, 'The model can call tools.'),
    structuredOutput: flag(true, 'The model can answer by a JSON schema.'),
    temperature: flag(true, 'A temperature is accepted.'),
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
  'What the model can do.',
);

const model = Type.Object(
  {
    id: text(
      200,
      'What callers write: `<owner>/<name>`. `<owner>/*` is a wildcard: unlisted models of the owner are called by the name the caller uses, with the prices and limits written here.',
    ),
    endpoints: Type.Array(endpoint, {
      minItems: 1,
      maxItems: 64,
      description: 'The hosts that serve it, in order of preference.',
    }),
    aliases: fullModel.aliases,
    displayName: optionalText(200, 'Display name. Without it: the id.'),
    description: optionalText(1000, 'One or two sentences for model lists.'),
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
    contextLength: integer(1, 100_000_000, DEFAULT_CONTEXT_LENGTH, 'Most tokens of prompt and answer together.'),
    maxOutputTokens: optionalInteger(
      1,
      100_000_000,
      'Most tokens of an answer; a higher cap is lowered. Without it: `contextLength`, and half of it where a format requires a cap and the caller gave none.',
    ),
    capabilities,
    embedding: optionalSection(
      {
        dimensions: fullEmbedding.dimensions,
        shortens: flag(false, 'Shorter vectors can be requested.'),
      },
      'For models whose `outputModalities` are `[embedding]`: the length of their vectors.',
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

export const catalogueSchema = section(
  { changes: CatalogueOverridesSchema.properties.changes },
  'Changes to models, by id, under `changes`: `hide: true`, further `aliases`, further `endpoints` (tried first), other `prices` of a provider.',
);

type OwnModelData = Static<typeof model>;
type Providers = Readonly<Record<string, { readonly dialect?: string }>>;

const DEFAULT_DESCRIPTION = "One of the operator's own models.";
const DEFAULT_DIALECT = 'openai-chat';

/** Hosts with the one format for text use the other for embeddings. */
const EMBED_COMPANION: Readonly<Record<string, string>> = {
  'openai-chat': 'openai-embeddings',
  'openai-responses': 'openai-embeddings',
  'google-generate': 'google-embed',
};

/** And for reranking. */
const RERANK_COMPANION: Readonly<Record<string, string>> = {
  'openai-chat': 'cohere-rerank',
  'openai-responses': 'cohere-rerank',
};

/** And for images, if a model makes nothing else. */
const IMAGE_COMPANION: Readonly<Record<string, string>> = {
  'openai-chat': 'openai-images',
  'openai-responses': 'openai-images',
};

const FORMATS: ReadonlySet<string> = new Set(DIALECT_IDS);

/** Moderations have one format alone; a maker of sound whose format is its own gives it its name. */
function companionOf(kind: string, provider: string): string | undefined {
  if (kind === 'moderation') return 'openai-moderations';
  if (kind !== 'speech' && kind !== 'transcription') return undefined;
  const own = `${provider}-${kind}`;
  return FORMATS.has(own) ? own : `openai-${kind}`;
}

const modelOf = (data: OwnModelData, providers: Providers): ModelData => {
  const makesVectors = data.outputModalities.includes('embedding');
  const makesImages = data.outputModalities.join() === 'image';
  const ranks = data.outputModalities.includes('rerank');
  const companions = makesVectors ? EMBED_COMPANION : ranks ? RERANK_COMPANION : makesImages ? IMAGE_COMPANION : {};
  return {
    ...data,
    displayName: data.displayName ?? data.id,
    description: data.description ?? DEFAULT_DESCRIPTION,
    created: data.created ?? DEFAULT_CREATED,
    reasoning: data.capabilities.thinking.kind !== 'none',
    maxOutputTokens: data.maxOutputTokens ?? data.contextLength,
    ...(makesVectors && { embedding: data.embedding ?? { shortens: false } }),
    endpoints: data.endpoints.map((given): EndpointData => {
      const usual = providers[given.provider]?.dialect ?? DEFAULT_DIALECT;
      return {
        ...given,
        dialect:
          given.dialect ?? companionOf(data.outputModalities.join(), given.provider) ?? companions[usual] ?? usual,
        upstreamModel: given.upstreamModel ?? data.id.slice(data.id.indexOf('/') + 1),
        pricings: given.pricings ?? {},
      };
    }),
  };
};

export const buildCatalogue = (
  models: readonly OwnModelData[],
  { changes }: Static<typeof catalogueSchema>,
  providers: Providers,
): CatalogueOverrides => ({
  models: models.map((data) => modelOf(data, providers)),
  ...(changes !== undefined && { changes }),
});

/** Paths of problems found in the built form, as they are in the file. */
export const filePathOfOverride = (path: string): string => (path.startsWith('changes') ? `catalogue.${path}` : path);
