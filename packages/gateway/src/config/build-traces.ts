// From `traces` in the file to settings with the headers' secrets resolved.

import type { Building } from './building.ts';
import type { TraceConfig } from './config.ts';
import type { TracesData } from './schema-traces.ts';
import { parseHttpUrl } from './urls.ts';

export const buildTraces = (
  data: TracesData,
  providers: Readonly<Record<string, unknown>>,
  building: Building,
): TraceConfig => {
  if (parseHttpUrl(data.endpoint) === undefined)
    building.report(['traces', 'endpoint'], 'must be an http or https URL such as http://collector:4318/v1/traces');
  for (const [index, provider] of data.baggageTo.entries())
    if (!Object.hasOwn(providers, provider))
      building.report(['traces', 'baggageTo', index], `is not one of the providers of this file`);
  const headers = Object.entries(data.headers).flatMap(([name, text]) => {
    const value = building.secret(text, ['traces', 'headers', name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...data, headers: Object.fromEntries(headers) };
};
