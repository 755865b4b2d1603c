// Traces: where spans are sent, how many, and what is propagated to providers.

import Type, { type Static } from 'typebox';
import { closed, count, milliseconds } from './schema-parts.ts';

const traces = Type.Object(
  {
    endpoint: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'URL of an OTLP/HTTP receiver for traces, e.g. `http://collector:4318/v1/traces`.',
    }),
    headers: Type.Record(
      Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }),
      Type.String({ minLength: 1, maxLength: 4096 }),
      {
        ...closed,
        default: {},
        description: 'Headers of each export, such as `authorization`; values best as `env:NAME` or `file:/path`.',
      },
    ),
    serviceName: Type.String({
      minLength: 1,
      maxLength: 200,
      default: 'trivium',
      description: 'The attribute `service.name` of the resource.',
    }),
    resource: Type.Record(
      Type.String({ pattern: '^[A-Za-z][A-Za-z0-9._-]{0,99}$' }),
      Type.String({ minLength: 1, maxLength: 200 }),
      {
        ...closed,
        default: {},
        description: 'Further attributes of the resource, e.g. `deployment.environment.name`.',
      },
    ),
    sampleRatio: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 1,
      description:
        'Sampled share of the traces that begin here, from 0 to 1. For others the `traceparent` of the caller decides.',
    }),
    propagate: Type.Boolean({ default: true, description: 'Send `traceparent` to providers.' }),
    baggageTo: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 100,
      default: [],
      description:
        "Providers that also get the caller's `tracestate` and `baggage`. They may hold names of users, so name your own hosts only.",
    }),
    maxQueuedSpans: count(
      4096,
      'Most spans that wait for the collector in one process; more are dropped and counted.',
      16,
    ),
    batchMs: milliseconds(1_000, 'How long spans wait for others before they are sent.'),
    timeoutMs: milliseconds(10_000, 'Time for one export, including retries; then its spans are dropped and counted.'),
  },
  { ...closed, description: 'Traces over OTLP/HTTP; see `docs/operate/traces.md`. Absent: off.' },
);

export const tracesSchema = Type.Optional(traces);

export type TracesData = Static<typeof traces>;
