// The shipped models, read without the schema library. A test and `trivium catalogue check` validate them.

import { readCatalogueFiles, SHIPPED_CATALOGUE } from './read-files.ts';
import type { CatalogueFileData } from './schema.ts';

export type ListedModel = {
  readonly id: string;
  readonly owner: string;
  readonly displayName: string;
  readonly providers: readonly string[];
  readonly contextLength: number | undefined;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
};

export async function listShippedModels(): Promise<readonly ListedModel[]> {
  const { files } = await readCatalogueFiles(SHIPPED_CATALOGUE);
  return files.flatMap(({ data }) => {
    const { owner, models } = data as CatalogueFileData;
    return models
      .filter(({ retired }) => retired !== true)
      .map(({ id, displayName, endpoints, contextLength, inputModalities, outputModalities }) => ({
        id,
        owner,
        displayName,
        providers: [...new Set(endpoints.map(({ provider }) => provider))],
        contextLength,
        inputModalities,
        outputModalities,
      }));
  });
}
