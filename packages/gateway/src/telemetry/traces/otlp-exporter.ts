/**
 * Exports spans to a collector as OTLP over HTTP, with OpenTelemetry's own exporter. Its packages are loaded only if
 * tracing is on.
 */
import type { HrTime, SpanContext } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { SCOPE_NAME, TRACE_NAMES_VERSION } from './names.ts';
import type { ExportSpans } from './span-queue.ts';
import type { SpanData } from './spans.ts';

export type OtlpSettings = {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly resource: Readonly<Record<string, string>>;
};

export type OtlpExporter = { readonly export: ExportSpans; close(): Promise<void> };

const MS_PER_SECOND = 1000;
const NANO_PER_MS = 1_000_000;
const NANO_PER_SECOND = 1_000_000_000;
/** Values of the API's enumerations, which would load the API. */
const KINDS = { server: 1, client: 2 } as const;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;
const SAMPLED = 1;
/** One object: the exporter groups spans by it. */
const SCOPE = { name: SCOPE_NAME, version: TRACE_NAMES_VERSION };

const timeOf = (ms: number): HrTime => {
  const seconds = Math.floor(ms / MS_PER_SECOND);
  const nanos = Math.round((ms - seconds * MS_PER_SECOND) * NANO_PER_MS);
  return nanos === NANO_PER_SECOND ? [seconds + 1, 0] : [seconds, nanos];
};

const contextOf = (traceId: string, spanId: string): SpanContext => ({ traceId, spanId, traceFlags: SAMPLED });

const readable = (span: SpanData, resource: Resource): ReadableSpan => {
  const context = contextOf(span.traceId, span.spanId);
  const { parentSpanId, startMs, endMs, problem } = span;
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => context,
    ...(parentSpanId !== undefined && { parentSpanContext: contextOf(span.traceId, parentSpanId) }),
    startTime: timeOf(startMs),
    endTime: timeOf(endMs),
    duration: timeOf(endMs - startMs),
    status: problem === undefined ? { code: STATUS_UNSET } : { code: STATUS_ERROR, message: problem },
    attributes: span.attributes as ReadableSpan['attributes'],
    links: [],
    events: span.events.map(({ name, atMs }) => ({ name, time: timeOf(atMs) })),
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
};

export async function openOtlpExporter({
  endpoint,
  headers,
  timeoutMs,
  resource,
}: OtlpSettings): Promise<OtlpExporter> {
  const [{ OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  const exporter = new OTLPTraceExporter({ url: endpoint, headers: { ...headers }, timeoutMillis: timeoutMs });
  const described = resourceFromAttributes(resource);
  return {
    export: (spans) =>
      new Promise((resolve) => {
        exporter.export(
          spans.map((span) => readable(span, described)),
          ({ code }) => resolve(code === 0),
        );
      }),
    close: () => exporter.shutdown(),
  };
}
