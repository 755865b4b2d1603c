// `traces`: where spans are sent, how many, and what is propagated to providers. Read, the secrets of headers are
// resolved.

import Type, { type Static } from 'typebox';
import { parseHttpUrl } from '../reading/urls.ts';
import { type Building, count, flag, list, map, milliseconds, number, optionalSection, text } from './parts.ts';

export const tracesSchema = optionalSection(
  {
    endpoint: text(2048, 'URL of an OTLP/HTTP receiver for traces, e.g. `http://collector:4318/v1/traces`.'),
    headers: map(
      '^[A-Za-z0-9-]{1,64}$',
      Type.String({ minLength: 1, maxLength: 4096 }),
      'Headers of each export, such as `authorization`; values best as `env:NAME` or `file:/path`.',
    ),
    serviceName: text(200, 'The attribute `service.name` of the resource.', 'trivium'),
    resource: map(
      '^[A-Za-z][A-Za-z0-9._-]{0,99}$',
      Type.String({ minLength: 1, maxLength: 200 }),
      'Further attributes of the resource, e.g. `deployment.environment.name`.',
    ),
    sampleRatio: number(
      0,
      1,
      1,
      'Sampled share of the traces that begin here, from 0 to 1. For others the `traceparent` of the caller decides.',
    ),
    propagate: flag(true, 'Send `traceparent` to providers.'),
    baggageTo: list(
      Type.String({ minLength: 1, maxLength: 64 }),
      100,
      [],
      "Providers that also get the caller's `tracestate` and `baggage`. They may hold names of users, so name your own hosts only.",
    ),
    maxQueuedSpans: count(
      4096,
      'Most spans that wait for the collector in one process; more are dropped and counted.',
      16,
    ),
    batchMs: milliseconds(1_000, 'How long spans wait for others before they are sent.'),
    timeoutMs: milliseconds(10_000, 'Time for one export, including retries; then its spans are dropped and counted.'),
  },
  'Traces over OTLP/HTTP; see `docs/operate/traces.md`. Absent: off.',
);

type TracesData = Static<typeof tracesSchema>;

export const buildTraces = (
  data: TracesData,
  providers: Readonly<Record<string, unknown>>,
  building: Building,
): TracesData => {
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
