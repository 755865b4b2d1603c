// The catalogue as requests see it: frozen, so one request keeps one view while a newer snapshot replaces it.

import type { Model } from './model.ts';

type Lookup =
  | { readonly kind: 'served'; readonly model: Model }
  /** `day` is when the vendor retired it (YYYY-MM-DD). */
  | { readonly kind: 'retired'; readonly id: string; readonly day: string; readonly successor?: string }
  | { readonly kind: 'unknown' };

export interface CatalogueSnapshot {
  /** The latest date of any file (YYYY-MM-DD); empty if there is no file. */
  readonly asOf: string;
  /** Served models, in list order, without retired and hidden ones. */
  readonly models: readonly Model[];
  /** Old models, for "this model is retired" errors and old bills. */
  readonly retired: readonly Model[];
  /** Even older ones, by name alone. */
  readonly retiredNames: readonly RetiredName[];
  /** Ids that the operator has hidden: no wildcard covers them. */
  readonly hidden: ReadonlySet<string>;
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

/** Ids win over aliases, and aliases over implied names: a maker's own id is also found with its owner in front. */
const index = (models: readonly Model[]): ReadonlyMap<string, Model> => {
  const owned = ({ owner, aliases }: Model): readonly string[] =>
    aliases.filter((alias) => !alias.includes('/')).map((alias) => `${owner}/${alias}`);
  const byName = new Map<string, Model>();
  for (const namesOf of [({ id }: Model) => [id], ({ aliases }: Model) => aliases, owned])
    for (const model of models) for (const name of namesOf(model)) if (!byName.has(name)) byName.set(name, model);
  return byName;
};

/** Names of models that were retired before they could have their own row. */
export interface RetiredName {
  /** With their owner. */
  readonly names: readonly string[];
  readonly day: string;
  readonly successor: string;
}

const UNKNOWN: Lookup = Object.freeze({ kind: 'unknown' });

const bare = (name: string): string => name.slice(name.indexOf('/') + 1);

export const buildSnapshot = (
  asOf: string,
  served: readonly Model[],
  old: readonly Model[],
  oldNames: readonly RetiredName[] = [],
  hidden: ReadonlySet<string> = new Set(),
): CatalogueSnapshot => {
  const models = deepFreeze([...served]);
  const retired = deepFreeze([...old]);
  const goneByName = new Map<string, Lookup>(
    oldNames.flatMap(({ names, day, successor }) =>
      names.flatMap((id) => [id, bare(id)].map((name) => [name, { kind: 'retired', id, day, successor }] as const)),
    ),
  );
  const byId = index(models);
  const retiredById = index(retired);
  return Object.freeze({
    asOf,
    models,
    retired,
    retiredNames: deepFreeze([...oldNames]),
    hidden,
    find: (id: string) => byId.get(id),
    lookup: (id: string): Lookup => {
      const model = byId.get(id);
      if (model !== undefined) return { kind: 'served', model };
      const gone = retiredById.get(id);
      if (gone === undefined) return goneByName.get(id) ?? UNKNOWN;
      const { retiring = '', successor } = gone;
      return { kind: 'retired', id: gone.id, day: retiring, ...(successor !== undefined && { successor }) };
    },
  });
};
