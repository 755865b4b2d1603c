/** The catalogue with the prices of one moment, so that lists and bills agree; and when these prices end. */

import { endpointAt, nextPriceChangeMs } from '../../money/prices/effective.ts';
import type { Model } from '../catalogue/model.ts';
import { buildSnapshot, type CatalogueSnapshot } from '../catalogue/snapshot.ts';

export type PricedSnapshot = {
  readonly snapshot: CatalogueSnapshot;
  /** Undefined if no price depends on time. */
  readonly changesAtMs: number | undefined;
};

export const snapshotAt = (snapshot: CatalogueSnapshot, atMs: number): PricedSnapshot => {
  const changesAtMs = nextPriceChangeMs(
    snapshot.models.flatMap(({ endpoints }) => endpoints),
    atMs,
  );
  if (changesAtMs === undefined) return { snapshot, changesAtMs };
  const priced = (model: Model): Model => ({
    ...model,
    endpoints: model.endpoints.map((endpoint) => endpointAt(endpoint, atMs)),
  });
  const { asOf, models, retired, retiredNames, hidden } = snapshot;
  return { snapshot: buildSnapshot(asOf, models.map(priced), retired, retiredNames, hidden), changesAtMs };
};
