// What importers ask the shipped catalogue: whether a model of another gateway is one it knows, and which wire format reaches it.

import { loadCatalogue, providerSet, readCatalogueFiles, SHIPPED_CATALOGUE } from '@trivium/gateway/config';
import { listOf, membersOf, type RawMembers } from './values.ts';

interface Place {
  readonly provider: string;
  readonly upstreamModel: string;
}

export interface ImportCatalogue {
  idOf(name: string): string | undefined;
  /** The model of the catalogue that a provider serves under a name. */
  modelAt(place: Place): string | undefined;
  /** A model as its file in the catalogue has it. */
  dataOf(id: string): RawMembers;
  /** The wire format for a model at a shipped provider; undefined where it is the usual one, or the provider is not shipped. */
  dialectFor(provider: string, upstreamModel: string): string | undefined;
  /** How a shipped provider differs from the common subset of a format. */
  quirksOf(provider: string, dialect: string): object;
  /** The providers that serve a model, its maker first. */
  providersOf(id: string): readonly string[];
  isShipped(provider: string): boolean;
}

/** Clouds offer several formats: models of these makers are reached in their maker's own. */
const MAKERS_DIALECTS = [
  [/claude/i, 'anthropic-messages'],
  [/gemini/i, 'google-generate'],
] as const;
const TEXT_DIALECTS = ['openai-chat', 'amazon-converse', 'anthropic-messages', 'google-generate', 'openai-responses'];

export async function openImportCatalogue(): Promise<ImportCatalogue> {
  const providers = providerSet();
  const { snapshot } = await loadCatalogue({ knownProviders: providers.ids });
  const { files } = await readCatalogueFiles(SHIPPED_CATALOGUE);
  const data = new Map<string, RawMembers>();
  for (const file of files)
    for (const model of listOf(membersOf(file.data)['models']))
      data.set(String(membersOf(model)['id']), membersOf(model));
  return {
    idOf: (name) => snapshot.find(name)?.id,
    modelAt: ({ provider, upstreamModel }) => {
      const named = snapshot.find(upstreamModel);
      for (const { id, endpoints } of snapshot.models)
        for (const one of endpoints) if (one.provider === provider && one.upstreamModel === upstreamModel) return id;
      return named?.endpoints.some((endpoint) => endpoint.provider === provider) === true ? named.id : undefined;
    },
    dataOf: (id) => data.get(id) ?? {},
    dialectFor: (provider, upstreamModel) => {
      const offered = Object.keys(providers.find(provider)?.offers ?? {}).filter((id) => TEXT_DIALECTS.includes(id));
      const makers = MAKERS_DIALECTS.find(
        ([name, dialect]) => name.test(upstreamModel) && offered.includes(dialect),
      )?.[1];
      const wanted = makers ?? TEXT_DIALECTS.find((id) => offered.includes(id));
      return wanted === 'openai-chat' ? undefined : wanted;
    },
    quirksOf: (provider, dialect) =>
      Object.entries(providers.find(provider)?.offers ?? {}).find(([id]) => id === dialect)?.[1].quirks ?? {},
    providersOf: (id) => [...new Set(snapshot.find(id)?.endpoints.map(({ provider }) => provider))],
    isShipped: (provider) => providers.ids.has(provider),
  };
}
