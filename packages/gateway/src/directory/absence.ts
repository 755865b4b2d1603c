/** Why a name cannot be called: retired, served by no configured provider, or unknown, and then what may be meant. */
import type { CatalogueSnapshot } from '../catalogue/snapshot.ts';
import type { Absence, DirectoryEntry } from '../kernel/target.ts';
import { distance } from '../names/nearest.ts';

const NEAREST = 3;
/** Programs with a wrong name ask again and again: comparing names with all others is done once for each of the latest. */
const MAX_REMEMBERED = 256;

export function absenceOf(
  catalogue: CatalogueSnapshot,
  entries: ReadonlyMap<string, DirectoryEntry>,
  idOf: (name: string) => string,
): (name: string) => Absence {
  const remembered = new Map<string, readonly string[]>();
  const callable = catalogue.models.filter(({ id }) => isCallable(entries.get(id)));
  const nearestTo = (name: string): readonly string[] => {
    const known = remembered.get(name);
    if (known !== undefined) return known;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const nearest = nearestNames(
      name,
      callable.map(({ id, aliases }) => [id, ...aliases]),
    );
    remembered.set(name, nearest);
    return nearest;
  };
  return (name) => {
    const found = catalogue.lookup(idOf(name));
    if (found.kind === 'retired') {
      const { day, successor } = found;
      return { kind: 'retired', day, ...(successor !== undefined && { successor }) };
    }
    if (found.kind === 'unknown') return { kind: 'unknown', nearest: nearestTo(name) };
    return { kind: 'unserved', providers: [...new Set(found.model.endpoints.map(({ provider }) => provider))] };
  };
}

const isCallable = (entry: DirectoryEntry | undefined): boolean =>
  entry !== undefined && entry.targets.length + (entry.videoRoutes?.length ?? 0) > 0;

/** One name of each model, that which is nearest: a caller of bare names is answered with bare names. */
function nearestNames(name: string, models: readonly (readonly string[])[]): readonly string[] {
  const ranked = models.map((names) =>
    names
      .map((each) => ({ each, gap: distance(name, each) }))
      .reduce((best, other) => (other.gap < best.gap ? other : best)),
  );
  return ranked
    .sort((one, other) => one.gap - other.gap)
    .slice(0, NEAREST)
    .map(({ each }) => each);
}
