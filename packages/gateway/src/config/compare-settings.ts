// The difference between two lists of settings, and which changes need a restart.

import { isDeepStrictEqual } from 'node:util';
import { needsRestart } from './needs-restart.ts';
import type { Setting } from './settings.ts';

export interface ChangedSetting {
  readonly path: string;
  /** Absent: the setting is not in that list. */
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
  // A node does not know the secrets of another: there, their masked values are compared.
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

/** The effective settings of a process that was started with one list and has reloaded another. */
export const settingsInForce = (started: readonly Setting[], reloaded: readonly Setting[]): readonly Setting[] => [
  ...started.filter(({ path }) => needsRestart(path)),
  ...reloaded.filter(({ path }) => !needsRestart(path)),
];
