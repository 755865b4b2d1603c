// From the short form of `models` to the catalogue's own form of operator overrides.

import type { CatalogueOverrides, EndpointData, ModelData } from '../models/catalogue/schema.ts';
import type { ConfigData } from './schema.ts';
import { DEFAULT_CREATED, type OwnEndpointData, type OwnModelData } from './schema-models.ts';

const DEFAULT_DESCRIPTION = "One of the operator's own models.";
const DEFAULT_DIALECT = 'openai-chat';

/** Hosts with the one format for text use the other for embeddings. */
const EMBED_COMPANION: Readonly<Record<string, string>> = {
  'openai-chat': 'openai-embeddings',
  'openai-responses': 'openai-embeddings',
  'google-generate': 'google-embed',
};

/** And for images, if a model makes nothing else. */
const IMAGE_COMPANION: Readonly<Record<string, string>> = {
  'openai-chat': 'openai-images',
  'openai-responses': 'openai-images',
};

const makesVectors = ({ outputModalities }: OwnModelData): boolean => outputModalities.includes('embedding');

const NO_COMPANION: Readonly<Record<string, string>> = {};

function companion(model: OwnModelData): Readonly<Record<string, string>> {
  if (makesVectors(model)) return EMBED_COMPANION;
  return model.outputModalities.join() === 'image' ? IMAGE_COMPANION : NO_COMPANION;
}

const nameOf = (id: string): string => id.slice(id.indexOf('/') + 1);

const endpointOf = (data: OwnEndpointData, model: OwnModelData, providers: ConfigData['providers']): EndpointData => {
  const usual = providers[data.provider]?.dialect ?? DEFAULT_DIALECT;
  return {
    ...data,
    dialect: data.dialect ?? companion(model)[usual] ?? usual,
    upstreamModel: data.upstreamModel ?? nameOf(model.id),
    pricings: data.pricings ?? {},
  };
};

const modelOf = (data: OwnModelData, providers: ConfigData['providers']): ModelData => ({
  ...data,
  displayName: data.displayName ?? data.id,
  description: data.description ?? DEFAULT_DESCRIPTION,
  created: data.created ?? DEFAULT_CREATED,
  reasoning: data.capabilities.thinking.kind !== 'none',
  maxOutputTokens: data.maxOutputTokens ?? data.contextLength,
  ...(makesVectors(data) && { embedding: data.embedding ?? { shortens: false } }),
  endpoints: data.endpoints.map((endpoint) => endpointOf(endpoint, data, providers)),
});

export const buildCatalogue = (data: ConfigData): CatalogueOverrides => ({
  models: data.models.map((model) => modelOf(model, data.providers)),
  ...(data.catalogue.changes === undefined ? {} : { changes: data.catalogue.changes }),
});

/** Paths of problems found in the built form, as they are in the file. */
export const filePathOfOverride = (path: string): string => (path.startsWith('changes') ? `catalogue.${path}` : path);
