// From the short form of `models` to the catalogue's own form of operator changes.

import type { CatalogueOverrides, EndpointData, ModelData } from '../catalogue/schema.ts';
import type { ConfigData } from './schema.ts';
import { DEFAULT_CREATED, type OwnEndpointData, type OwnModelData } from './schema-models.ts';

const DEFAULT_DESCRIPTION = "One of the operator's own models.";
const DEFAULT_DIALECT = 'openai-chat';

const nameOf = (id: string): string => id.slice(id.indexOf('/') + 1);

const endpointOf = (data: OwnEndpointData, modelId: string, providers: ConfigData['providers']): EndpointData => ({
  ...data,
  dialect: data.dialect ?? providers[data.provider]?.dialect ?? DEFAULT_DIALECT,
  upstreamModel: data.upstreamModel ?? nameOf(modelId),
  pricings: data.pricings ?? {},
});

const modelOf = (data: OwnModelData, providers: ConfigData['providers']): ModelData => ({
  ...data,
  displayName: data.displayName ?? data.id,
  description: data.description ?? DEFAULT_DESCRIPTION,
  created: data.created ?? DEFAULT_CREATED,
  reasoning: data.capabilities.thinking.kind !== 'none',
  maxOutputTokens: data.maxOutputTokens ?? data.contextLength,
  endpoints: data.endpoints.map((endpoint) => endpointOf(endpoint, data.id, providers)),
});

export const buildCatalogue = (data: ConfigData): CatalogueOverrides => ({
  models: data.models.map((model) => modelOf(model, data.providers)),
  ...(data.catalogue.changes === undefined ? {} : { changes: data.catalogue.changes }),
});

/** Paths of problems found in the built form, in the spelling of the file. */
export const filePathOfOverride = (path: string): string => (path.startsWith('changes') ? `catalogue.${path}` : path);
