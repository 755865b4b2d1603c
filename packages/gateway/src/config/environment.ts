// Settings the environment may override, so that one file serves several machines.

import { isRecord } from './reading/fill-defaults.ts';

export const CONFIG_FILE_VARIABLE = 'TRIVIUM_CONFIG';

export const ENVIRONMENT_OVERRIDES = [
  { variable: 'TRIVIUM_LISTEN_HOST', section: 'listen', field: 'host', isNumber: false },
  { variable: 'TRIVIUM_LISTEN_PORT', section: 'listen', field: 'port', isNumber: true },
  { variable: 'TRIVIUM_ADMIN_HOST', section: 'admin', field: 'host', isNumber: false },
  { variable: 'TRIVIUM_ADMIN_PORT', section: 'admin', field: 'port', isNumber: true },
  { variable: 'TRIVIUM_LOG_LEVEL', section: 'log', field: 'level', isNumber: false },
] as const;

export interface Overridden {
  readonly data: unknown;
  /** For problems at an overridden path: where the value came from. */
  readonly places: ReadonlyMap<string, string>;
}

export const applyEnvironment = (data: unknown, env: Readonly<Record<string, string | undefined>>): Overridden => {
  const places = new Map<string, string>();
  if (!isRecord(data)) return { data, places };
  const result: Record<string, unknown> = { ...data };
  for (const { variable, section, field, isNumber } of ENVIRONMENT_OVERRIDES) {
    const text = env[variable]?.trim() ?? '';
    const existing = result[section] ?? {};
    if (text === '' || !isRecord(existing)) continue;
    result[section] = { ...existing, [field]: isNumber && /^[0-9]+$/.test(text) ? Number(text) : text };
    places.set(`${section}.${field}`, `environment ${variable}`);
  }
  return { data: result, places };
};
