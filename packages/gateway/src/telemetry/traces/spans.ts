/** Spans of a finished request, built from its record: one server span, and one client span per attempt. */
import { FAULT_RULES, inputTokens, outputTokens, type Usage } from '@trivium/protocol/canonical';
import type { AttemptRecord, RefusedRequest, RequestRecord } from '../../kernel/record.ts';
import type { RequestTrace } from '../../kernel/trace.ts';
import { ATTRIBUTES as A, EVENTS, OPERATION_NAMES } from './names.ts';

type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

type SpanEvent = { readonly name: string; readonly atMs: number };

/** Times are wall clock, in ms with fractions. */
export type SpanData = {
  readonly name: string;
  readonly kind: 'server' | 'client';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly state: string | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly events: readonly SpanEvent[];
  /** Undefined unless it failed. */
  readonly problem: string | undefined;
};

export type NewIds = { readonly traceId: () => string; readonly spanId: () => string };

const MAX_LOSSES = 64;
const MS_PER_SECOND = 1000;
const NANO_PER_USD = 1e9;

type Attributes = Record<string, SpanAttributes[string] | undefined>;

/** Absent values are not written. */
const present = (attributes: Attributes): SpanAttributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as SpanAttributes;

const usageAttributes = (usage: Usage | undefined): Attributes =>
  usage === undefined
    ? {}
    : {
        [A.inputTokens]: inputTokens(usage),
        [A.outputTokens]: outputTokens(usage),
        [A.cacheReadTokens]: usage.inputCacheRead,
        [A.cacheWriteTokens]: sumOf(usage.inputCacheWrite, usage.inputCacheWrite5Min, usage.inputCacheWrite1H),
        [A.reasoningTokens]: usage.internalReasoning,
      };

const sumOf = (...counts: readonly (number | undefined)[]): number | undefined => {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
};

const usdOf = (nano: bigint | undefined): number | undefined =>
  nano === undefined ? undefined : Number(nano) / NANO_PER_USD;

const operationOf = (operation: string | undefined): string => OPERATION_NAMES[operation ?? 'text'] ?? 'chat';

/** For a record from before tracing was on, or of a video, which outlives its request: a separate trace. */
const traceOf = (trace: RequestTrace | undefined, ids: NewIds): RequestTrace =>
  trace ?? {
    traceId: ids.traceId(),
    spanId: ids.spanId(),
    parentSpanId: undefined,
    state: undefined,
    baggage: undefined,
    isSampled: true,
  };

/** Empty for a trace that is not sampled. */
export function spansOf(record: RequestRecord, ids: NewIds): readonly SpanData[] {
  const trace = traceOf(record.trace, ids);
  if (!trace.isSampled) return [];
  const operation = operationOf(record.operation);
  return [
    serverSpan(record, operation, trace),
    ...record.attempts.map((attempt, at) => clientSpan(record, attempt, at + 1, operation, trace, ids)),
  ];
}

const serverHead = (
  { receivedAtMs, durationMs }: { receivedAtMs: number; durationMs: number },
  trace: RequestTrace,
) => ({
  kind: 'server' as const,
  traceId: trace.traceId,
  spanId: trace.spanId,
  parentSpanId: trace.parentSpanId,
  state: trace.state,
  startMs: receivedAtMs,
  endMs: receivedAtMs + durationMs,
});

function serverSpan(record: RequestRecord, operation: string, trace: RequestTrace): SpanData {
  const { fault, bill, reading, losses = [], firstByteMs, receivedAtMs, askedModel, modelId } = record;
  const begun = record.how === 'done' || firstByteMs !== undefined;
  const events: SpanEvent[] = [];
  if (record.admittedMs !== undefined) events.push({ name: EVENTS.admitted, atMs: receivedAtMs + record.admittedMs });
  if (firstByteMs !== undefined) events.push({ name: EVENTS.firstToken, atMs: receivedAtMs + firstByteMs });
  return {
    name: `${operation} ${askedModel ?? modelId}`,
    ...serverHead(record, trace),
    attributes: present({
      [A.operation]: operation,
      [A.provider]: record.provider,
      [A.requestModel]: askedModel ?? modelId,
      [A.responseModel]: bill === undefined ? undefined : modelId,
      [A.stream]: record.stream,
      ...usageAttributes(reading?.usage),
      [A.firstChunkSeconds]: firstByteMs === undefined ? undefined : firstByteMs / MS_PER_SECOND,
      [A.status]: begun || fault === undefined ? 200 : FAULT_RULES[fault.kind].status,
      [A.errorType]: fault?.kind ?? (record.how === 'gone' ? 'cancelled' : undefined),
      [A.requestId]: record.requestId,
      [A.account]: record.accountId,
      [A.key]: record.keyId,
      [A.member]: record.memberId,
      [A.protocol]: record.protocol,
      [A.lane]: record.lane,
      [A.laneWhy]: record.laneWhy,
      [A.costUsd]: usdOf(bill === undefined ? undefined : (record.chargedNanoUsd ?? bill.cost.nanoUsd)),
      [A.isEstimated]: bill?.estimated,
      [A.losses]:
        losses.length === 0 ? undefined : losses.slice(0, MAX_LOSSES).map(({ path, why }) => `${path}: ${why}`),
      [A.attempts]: record.attempts.length,
    }),
    events,
    // A caller's mistake is not a failure of the server.
    problem: fault !== undefined && FAULT_RULES[fault.kind].blame !== 'caller' ? fault.message : undefined,
  };
}

function clientSpan(
  { receivedAtMs, stream, modelId: served, reading, provider, attempts }: RequestRecord,
  attempt: AttemptRecord,
  number: number,
  operation: string,
  trace: RequestTrace,
  ids: NewIds,
): SpanData {
  const { startMs = 0, endMs = startMs + attempt.durationMs, heard, fault, operatorCost, modelId = served } = attempt;
  const isAnswer = fault === undefined && attempt.hedge !== 'lost' && attempt === answering(attempts);
  const phases = [
    [EVENTS.connected, attempt.connectedMs],
    [EVENTS.sent, attempt.sentMs],
    [EVENTS.head, attempt.headMs],
    [EVENTS.firstToken, attempt.firstContentMs],
  ] as const;
  const firstMs = attempt.firstContentMs;
  return {
    name: `${operation} ${modelId}`,
    kind: 'client',
    traceId: trace.traceId,
    spanId: attempt.spanId ?? ids.spanId(),
    parentSpanId: trace.spanId,
    state: trace.state,
    startMs: receivedAtMs + startMs,
    endMs: receivedAtMs + endMs,
    attributes: present({
      [A.operation]: operation,
      [A.provider]: attempt.provider,
      [A.requestModel]: modelId,
      [A.stream]: stream,
      ...usageAttributes(isAnswer && provider === attempt.provider ? reading?.usage : operatorCost?.usage),
      [A.firstChunkSeconds]: firstMs === undefined ? undefined : (firstMs - startMs) / MS_PER_SECOND,
      [A.status]: attempt.status,
      [A.errorType]: fault,
      [A.lane]: attempt.lane,
      [A.attempt]: number,
      [A.hedge]: attempt.hedge,
      [A.waitMs]: attempt.waitMs,
      [A.credential]: attempt.credential,
      [A.operatorCostUsd]: operatorCost === undefined ? undefined : usdOf(BigInt(operatorCost.nanoUsd)),
      [A.upstreamRequestId]: heard?.upstreamRequestId,
      [A.errorCode]: heard?.code,
    }),
    events: phases.flatMap(([name, atMs]) => (atMs === undefined ? [] : [{ name, atMs: receivedAtMs + atMs }])),
    // A call that lost a race, or whose caller disconnected, has not failed.
    problem: fault === undefined || fault === 'cancelled' ? undefined : (heard?.text ?? fault),
  };
}

const answering = (attempts: readonly AttemptRecord[]): AttemptRecord | undefined =>
  attempts.findLast(({ fault, hedge }) => fault === undefined && hedge !== 'lost');

/** A request that was refused before any provider was called. */
export function spanOfRefused(refused: RefusedRequest, ids: NewIds): readonly SpanData[] {
  const trace = traceOf(refused.trace, ids);
  if (!trace.isSampled) return [];
  const { fault, caller, askedModel } = refused;
  const operation = operationOf(refused.operation);
  return [
    {
      name: askedModel === undefined ? operation : `${operation} ${askedModel}`,
      ...serverHead(refused, trace),
      attributes: present({
        [A.operation]: operation,
        [A.requestModel]: askedModel,
        [A.status]: FAULT_RULES[fault.kind].status,
        [A.errorType]: fault.kind,
        [A.requestId]: refused.requestId,
        [A.account]: caller?.accountId,
        [A.key]: caller?.keyId,
        [A.member]: caller?.memberId,
        [A.protocol]: refused.protocol,
        [A.attempts]: 0,
      }),
      events: [],
      problem: FAULT_RULES[fault.kind].blame === 'caller' ? undefined : fault.message,
    },
  ];
}
