// What importers ask the shipped catalogue: whether a model of another gateway is one it knows, and which wire format reaches it.

import { loadCatalogue, providerSet } from '@trivium/gateway/config';

interface Place {
  readonly provider: string;
  readonly upstreamModel: string;
}

export interface ImportCatalogue {
  idOf(name: string): string | undefined;
  /** The one model of the catalogue that all of these are, where each provider serves it. */
  commonModel(places: readonly Place[]): string | undefined;
  /** The wire format for a model at a shipped provider; undefined where it is the usual one, or the provider is not shipped. */
  dialectFor(provider: string, upstreamModel: string): string | undefined;
  /** The providers that serve a model, its maker first. */
  providersOf(id: string): readonly string[];
  isShipped(provider: string): boolean;
}

/** Clouds offer several formats: models of these makers are reached in their maker's own. */
const MAKERS_DIALECTS = [
  [/claude/i, 'anthropic-messages'],
  [/gemini/i, 'google-generate'],
] as const;
const TEXT_DIALECTS = ['openai-chat', 'anthropic-messages', 'google-generate', 'openai-responses'];

export async function openImportCatalogue(): Promise<ImportCatalogue> {
  const providers = providerSet();
  const { snapshot } = await loadCatalogue({ knownProviders: providers.ids });
  const modelAt = ({ provider, upstreamModel }: Place): string | undefined =>
    snapshot.models.find((model) =>
      model.endpoints.some((endpoint) => endpoint.provider === provider && endpoint.upstreamModel === upstreamModel),
    )?.id ??
    [snapshot.find(upstreamModel)].find((model) => model?.endpoints.some((endpoint) => endpoint.provider === provider))
      ?.id;
  return {
    idOf: (name) => snapshot.find(name)?.id,
    commonModel: (places) => {
      const ids = new Set(places.map(modelAt));
      const [id] = ids;
      return ids.size === 1 ? id : undefined;
    },
    dialectFor: (provider, upstreamModel) => {
      const offered = Object.keys(providers.find(provider)?.offers ?? {}).filter((id) => TEXT_DIALECTS.includes(id));
      const makers = MAKERS_DIALECTS.find(
        ([name, dialect]) => name.test(upstreamModel) && offered.includes(dialect),
      )?.[1];
      const wanted = makers ?? TEXT_DIALECTS.find((id) => offered.includes(id));
      return wanted === 'openai-chat' ? undefined : wanted;
    },
    providersOf: (id) => [...new Set(snapshot.find(id)?.endpoints.map(({ provider }) => provider))],
    isShipped: (provider) => providers.ids.has(provider),
  };
}
