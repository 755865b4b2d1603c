// Counts for `trivium catalogue check`: what the catalogue contains, and what this build cannot call yet.

import type { LoadedCatalogue } from './load.ts';
import type { Endpoint } from './model.ts';

export interface CatalogueCensus {
  readonly asOf: string;
  readonly owners: number;
  readonly models: number;
  readonly retiredModels: number;
  readonly retiringModels: number;
  readonly endpoints: number;
  readonly hosts: number;
  readonly modelsOnSeveralHosts: number;
  /** Models with at least one endpoint this build could call, leaving credentials aside. */
  readonly reachableModels: number;
  /** Endpoints by wire formats that are not supported yet. */
  readonly endpointsOfUnbuiltDialects: Readonly<Record<string, number>>;
  /** Endpoints by hosts that are not known yet. */
  readonly endpointsOfUnknownHosts: Readonly<Record<string, number>>;
  readonly problems: number;
}

export interface CensusOptions {
  readonly builtDialects: ReadonlySet<string>;
  readonly knownProviders: ReadonlySet<string>;
}

const countBy = (names: readonly string[]): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
};

export const checkCatalogue = (loaded: LoadedCatalogue, options: CensusOptions): CatalogueCensus => {
  const { models, retired, asOf } = loaded.snapshot;
  const endpoints = models.flatMap((model) => model.endpoints);
  const isBuilt = (endpoint: Endpoint): boolean => options.builtDialects.has(endpoint.dialect);
  const isKnown = (endpoint: Endpoint): boolean => options.knownProviders.has(endpoint.provider);
  return {
    asOf,
    owners: new Set(models.map((model) => model.owner)).size,
    models: models.length,
    retiredModels: retired.length,
    retiringModels: models.filter((model) => model.retiring !== undefined).length,
    endpoints: endpoints.length,
    hosts: new Set(endpoints.map((endpoint) => endpoint.provider)).size,
    modelsOnSeveralHosts: models.filter((model) => new Set(model.endpoints.map((each) => each.provider)).size > 1)
      .length,
    reachableModels: models.filter((model) => model.endpoints.some((each) => isBuilt(each) && isKnown(each))).length,
    endpointsOfUnbuiltDialects: countBy(endpoints.filter((each) => !isBuilt(each)).map((each) => each.dialect)),
    endpointsOfUnknownHosts: countBy(endpoints.filter((each) => !isKnown(each)).map((each) => each.provider)),
    problems: loaded.problems.length,
  };
};
