// Settings that a reload does not change: what they describe was opened at the start.

import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.ts';

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
export const needsRestart = (path: string): boolean =>
  RESTART_SETTINGS.some((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));

const valueAt = (config: Config, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), config);

/** The names of settings that differ from those at the start; their values may be secret. */
export const settingsNeedingRestart = (started: Config, next: Config): readonly string[] =>
  RESTART_SETTINGS.filter((path) => !isDeepStrictEqual(valueAt(started, path), valueAt(next, path)));
