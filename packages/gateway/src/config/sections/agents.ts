// `agents`: what programs get that a person has signed in. Read, the secrets of headers are resolved.

import Type, { type Static } from 'typebox';
import { parseHttpUrl } from '../reading/urls.ts';
import { type Building, bytes, count, MIB, map, milliseconds, optionalSection, section, text } from './parts.ts';

export const agentsSchema = section(
  {
    limitHelp: text(
      300,
      'What people can do at a spending limit: the end of the sentence that Claude Code shows, e.g. `ask for more at https://go.example.com/limits`.',
      'ask the operators of this gateway for more.',
    ),
    telemetry: optionalSection(
      {
        url: text(
          2048,
          'URL of an OTLP/HTTP receiver without its path, e.g. `http://collector:4318`: `/v1/metrics`, `/v1/logs` and `/v1/traces` are appended.',
        ),
        headers: map(
          '^[A-Za-z0-9-]{1,64}$',
          Type.String({ minLength: 1, maxLength: 4096 }),
          'Headers of each export, such as `authorization`; values best as `env:NAME` or `file:/path`.',
        ),
        maxBodyBytes: bytes(MIB, 1, 'Longer exports are dropped.'),
        maxAtOnce: count(16, 'Exports on their way to the receiver at once, in one process; more are dropped.'),
        timeoutMs: milliseconds(5_000, 'Time for one export; it is not repeated.'),
      },
      'Where the metrics, logs and traces of Claude Code go, byte for byte. What they say of the person is what the program says. Absent: they are dropped. See `docs/operate/managed-settings.md`.',
    ),
  },
  'Agents that a person has signed in.',
);

export type AgentsData = Static<typeof agentsSchema>;

export function buildAgents(data: AgentsData, building: Building): AgentsData {
  const { telemetry } = data;
  if (telemetry === undefined) return data;
  const path = ['agents', 'telemetry'];
  if (parseHttpUrl(telemetry.url) === undefined)
    building.report([...path, 'url'], 'must be an http or https URL such as http://collector:4318');
  const headers = Object.entries(telemetry.headers).flatMap(([name, value]) => {
    const secret = building.secret(value, [...path, 'headers', name]);
    return secret === undefined ? [] : [[name, secret] as const];
  });
  return { ...data, telemetry: { ...telemetry, headers: Object.fromEntries(headers) } };
}
