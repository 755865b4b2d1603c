// The difference between two lists of settings, and the settings that a reload does not change.

import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.ts';
import type { Setting } from './settings.ts';

/** What they describe was opened at the start. */
export const RESTART_SETTINGS = [
  'listen.host',
  'listen.port',
  'admin.host',
  'admin.port',
  'admin.members.host',
  'admin.members.port',
  'limits.headerBytes',
  'limits.headerCount',
  'limits.connections',
  'timeouts.headersMs',
  'timeouts.requestMs',
  'timeouts.keepAliveMs',
  'timeouts.connectMs',
  'upstream.connectionsPerOrigin',
  'upstream.proxy',
  'upstream.ca',
  'traces',
  'database',
  'redis',
  'clickhouse',
  'ledger.journal',
  'blobs.folder',
  'blobs.s3',
] as const;

/** Whether a change of this setting needs a restart. */
const needsRestart = (path: string): boolean =>
  RESTART_SETTINGS.some((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));

const valueAt = (config: Config, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), config);

/** The names of settings that differ from those at the start; their values may be secret. */
export const settingsNeedingRestart = (started: Config, next: Config): readonly string[] =>
  RESTART_SETTINGS.filter((path) => !isDeepStrictEqual(valueAt(started, path), valueAt(next, path)));

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
