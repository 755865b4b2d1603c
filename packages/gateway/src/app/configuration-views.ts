/** The effective settings of a process as operators see them; part of the composition root. */
import { createHash } from 'node:crypto';
import { type ChangedSetting, settingsInForce } from '../config/compare-settings.ts';
import type { Config } from '../config/config.ts';
import { MASKED, type Setting } from '../config/settings.ts';
import type { ConfigurationDiff, ShownSetting } from '../control/nodes/contract.ts';
import type { Redact } from '../telemetry/redact.ts';

/** `fromDatabase`: providers whose stored credential is used. */
export function settingsOfProcess(
  started: Config,
  reloaded: Config,
  fromDatabase: readonly string[],
): readonly Setting[] {
  const stored = new Set(fromDatabase.map((id) => `providers.${id}.credential`));
  return [
    ...settingsInForce(started.origin.settings, reloaded.origin.settings).filter(({ path }) => !stored.has(path)),
    ...[...stored].map((path): Setting => ({ path, value: MASKED, source: 'database' })),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

const redactAll = (value: unknown, redact: Redact): unknown => {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((entry) => redactAll(entry, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, redactAll(entry, redact)]));
};

export const shownSetting = ({ path, value, source, place }: Setting, redact: Redact): ShownSetting => ({
  path,
  value: redactAll(value, redact),
  source,
  place: place ?? null,
});

export const hashOfSettings = (settings: readonly ShownSetting[]): string => {
  const hash = createHash('sha256');
  for (const { path, value } of settings) hash.update(`${JSON.stringify([path, value])}\n`);
  return hash.digest('hex').slice(0, 16);
};

export const shownChange = (
  { path, from, to, needsRestart }: ChangedSetting,
  redact: Redact,
): ConfigurationDiff['items'][number] => ({
  path,
  change: from === undefined ? 'added' : to === undefined ? 'removed' : 'changed',
  from: redactAll(from?.value ?? null, redact),
  to: redactAll(to?.value ?? null, redact),
  secret: (from?.digest ?? to?.digest) !== undefined,
  place: to?.place ?? null,
  needsRestart,
});
