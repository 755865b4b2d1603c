/**
 * Models that are not in the catalogue, of owners an operator has enabled with `<owner>/*`: called by the name the
 * caller uses.
 */

import { BoundedMap } from '../../kernel/bounded-map.ts';
import { type DirectoryEntry, hostIdOf } from '../../kernel/target.ts';
import { isWildcard, type Model } from '../catalogue/model.ts';
import type { CatalogueSnapshot } from '../catalogue/snapshot.ts';

/** Built on first use. Callers who make up more names than this only evict entries. */
const MAX_REMEMBERED = 256;
/** What may follow the owner: as in ids, and no longer than any host's names are. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._:@/-]{0,126}[A-Za-z0-9])?$/;

/** Undefined if no wildcard covers the id: retired and hidden models are known, and not covered. */
export function unlistedModels(
  catalogue: CatalogueSnapshot,
  hosts: Readonly<Record<string, unknown>>,
  entryOf: (model: Model) => DirectoryEntry,
): (id: string) => DirectoryEntry | undefined {
  const wildcards = new Map(catalogue.models.filter(({ id }) => isWildcard(id)).map((model) => [model.owner, model]));
  const remembered = new BoundedMap<string, DirectoryEntry>(MAX_REMEMBERED);
  return (id) => {
    if (wildcards.size === 0) return undefined;
    const known = remembered.get(id);
    if (known !== undefined) return known;
    const slash = id.indexOf('/');
    const wildcard = slash === -1 ? undefined : wildcards.get(id.slice(0, slash));
    const name = id.slice(slash + 1);
    if (wildcard === undefined || !NAME.test(name) || catalogue.hidden.has(id)) return undefined;
    if (catalogue.lookup(id).kind !== 'unknown') return undefined;
    // A host suffix selects that host, and is not part of the name.
    if (Object.hasOwn(hosts, hostIdOf(id.slice(id.lastIndexOf(':') + 1)))) return undefined;
    const endpoints = wildcard.endpoints.map((endpoint) => ({
      ...endpoint,
      upstreamModel: endpoint.upstreamModel.replace('*', () => name),
    }));
    const entry = entryOf({ ...wildcard, id, endpoints });
    remembered.set(id, entry);
    return entry;
  };
}
