/** Why a name cannot be called: retired, served by no configured provider, or unknown, and then the closest names. */

import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Absence, DirectoryEntry } from '../../kernel/target.ts';
import type { CatalogueSnapshot } from '../catalogue/snapshot.ts';
import { distance } from '../names/nearest.ts';

const NEAREST = 3;
/** A name of which more than half would have to change is no slip of the other. */
const MAX_GAP_SHARE = 2;
/**
 * Programs with a wrong name retry again and again: names are compared with all others once, and the latest results are
 * cached.
 */
const MAX_REMEMBERED = 256;

export function absenceOf(
  catalogue: CatalogueSnapshot,
  entries: ReadonlyMap<string, DirectoryEntry>,
  idOf: (name: string) => string,
): (name: string) => Absence {
  const remembered = new BoundedMap<string, readonly string[]>(MAX_REMEMBERED);
  const callable = catalogue.models.filter(({ id }) => isCallable(entries.get(id)));
  const nearestTo = (name: string): readonly string[] =>
    nearestNames(
      name,
      callable.map(({ id, aliases }) => [id, ...aliases]),
    );
  return (name) => {
    const found = catalogue.lookup(idOf(name));
    if (found.kind === 'retired') {
      const { day, successor } = found;
      return { kind: 'retired', day, ...(successor !== undefined && { successor }) };
    }
    if (found.kind === 'unknown') return { kind: 'unknown', nearest: remembered.getOrInsertComputed(name, nearestTo) };
    return { kind: 'unserved', providers: [...new Set(found.model.endpoints.map(({ provider }) => provider))] };
  };
}

const isCallable = (entry: DirectoryEntry | undefined): boolean =>
  entry !== undefined && entry.targets.length + (entry.videoRoutes?.length ?? 0) > 0;

/** The nearest name of each model: a caller who uses bare names gets bare names. */
function nearestNames(name: string, models: readonly (readonly string[])[]): readonly string[] {
  const ranked = models.map((names) =>
    names
      .map((each) => ({ each, gap: distance(name, each) }))
      .reduce((best, other) => (other.gap < best.gap ? other : best)),
  );
  return ranked
    .filter(({ gap }) => gap <= name.length / MAX_GAP_SHARE)
    .sort((one, other) => one.gap - other.gap)
    .slice(0, NEAREST)
    .map(({ each }) => each);
}
