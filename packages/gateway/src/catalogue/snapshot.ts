// The catalogue as requests see it: frozen, so one request keeps one view while a newer snapshot is put in place.

import type { Model } from './model.ts';

export type Lookup =
  | { readonly kind: 'served'; readonly model: Model }
  /** `day` is when the vendor switched it off (YYYY-MM-DD). */
  | { readonly kind: 'retired'; readonly id: string; readonly day: string }
  | { readonly kind: 'unknown' };

export interface CatalogueSnapshot {
  /** The youngest day any file vouches for (YYYY-MM-DD); empty when there is no file. */
  readonly asOf: string;
  /** Served models, in list order. Retired and hidden ones are not among them. */
  readonly models: readonly Model[];
  /** Old models, for "this model is gone" answers and old bills. */
  readonly retired: readonly Model[];
  /** By id or alias; only served models. */
  find(id: string): Model | undefined;
  lookup(id: string): Lookup;
}

const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
};

const index = (models: readonly Model[]): ReadonlyMap<string, Model> =>
  new Map(models.flatMap((model) => [model.id, ...model.aliases].map((id) => [id, model] as const)));

const UNKNOWN: Lookup = Object.freeze({ kind: 'unknown' });

export const buildSnapshot = (asOf: string, served: readonly Model[], old: readonly Model[]): CatalogueSnapshot => {
  const models = deepFreeze([...served]);
  const retired = deepFreeze([...old]);
  const byId = index(models);
  const retiredById = index(retired);
  return Object.freeze({
    asOf,
    models,
    retired,
    find: (id: string) => byId.get(id),
    lookup: (id: string): Lookup => {
      const model = byId.get(id);
      if (model !== undefined) return { kind: 'served', model };
      const gone = retiredById.get(id);
      return gone === undefined ? UNKNOWN : { kind: 'retired', id: gone.id, day: gone.retiring ?? '' };
    },
  });
};
