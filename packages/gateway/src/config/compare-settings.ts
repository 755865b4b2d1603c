// What differs between two lists of settings, and what of it takes effect only with a new process.

import { isDeepStrictEqual } from 'node:util';
import { needsRestart } from './needs-restart.ts';
import type { Setting } from './settings.ts';

export interface ChangedSetting {
  readonly path: string;
  /** Absent: it is not there. */
  readonly from?: Setting;
  readonly to?: Setting;
  readonly needsRestart: boolean;
}

const byPath = (settings: readonly Setting[]): ReadonlyMap<string, Setting> =>
  new Map(settings.map((setting) => [setting.path, setting]));

const isSame = (a: Setting | undefined, b: Setting | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  isDeepStrictEqual(a.value, b.value) &&
  // A node does not know what secrets another has: there, what is shown of them counts.
  (a.digest === undefined || b.digest === undefined || a.digest === b.digest);

export const compareSettings = (from: readonly Setting[], to: readonly Setting[]): readonly ChangedSetting[] => {
  const [before, after] = [byPath(from), byPath(to)];
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path): ChangedSetting[] => {
    const [a, b] = [before.get(path), after.get(path)];
    if (isSame(a, b)) return [];
    return [
      {
        path,
        ...(a !== undefined && { from: a }),
        ...(b !== undefined && { to: b }),
        needsRestart: needsRestart(path),
      },
    ];
  });
};

/** What a process works with that was started with one list and has reloaded to another. */
export const settingsInForce = (started: readonly Setting[], reloaded: readonly Setting[]): readonly Setting[] => [
  ...started.filter(({ path }) => needsRestart(path)),
  ...reloaded.filter(({ path }) => !needsRestart(path)),
];
