/** Turns what the engine and the data plane report into log lines and metrics. */
import { FAULT_RULES, type Fault, inputTokens, outputTokens, type Usage } from '@trivium/protocol/canonical';
import type { RequestRecord, Suspect } from '../kernel/record.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { usageLog } from './usage-log.ts';

/** Every exit of the data plane, whether or not it reached the engine. */
type Seen = {
  readonly protocol: string;
  readonly route: string;
  readonly requestId: string;
  readonly fault?: Fault;
  readonly cause?: unknown;
};

export type Observing = {
  readonly record: (record: RequestRecord) => void;
  readonly onReply: (seen: Seen) => void;
  /** Writes every record so far to log and metrics. */
  readonly flush: () => void;
};

/** Records are batched: written one by one, between two requests, each costs several times as much. */
const BATCH_RECORDS = 64;
const BATCH_MS = 100;

export function observe(log: Log, metrics: Metrics, logsRequests: () => boolean): Observing {
  const writeUsage = usageLog(log);
  let waiting: RequestRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const records = waiting;
    waiting = [];
    if (records.length === 0) return;
    if (logsRequests()) writeUsage(records);
    for (const record of records) {
      count(record, metrics);
      logFailures(record, log);
      if (record.bill?.suspect !== undefined) raise(record, record.bill.suspect, log, metrics);
    }
  };
  return {
    flush,
    record: (record) => {
      waiting.push(record);
      if (waiting.length >= BATCH_RECORDS) flush();
      else timer ??= setTimeout(flush, BATCH_MS).unref();
    },
    onReply: ({ protocol, route, requestId, fault, cause }) => {
      metrics.request(protocol, route, fault?.kind ?? 'ok', fault === undefined ? 200 : FAULT_RULES[fault.kind].status);
      if (fault === undefined) return;
      const fields = { requestId, protocol, route, fault: fault.kind, ...(cause !== undefined && { error: cause }) };
      // The log level depends on who caused the fault; refusals because of overload are logged together, elsewhere.
      if (FAULT_RULES[fault.kind].blame === 'gateway' && fault.kind !== 'overloaded')
        log.error('request failed', fields);
      else log.debug('request failed', fields);
    },
  };
}

const NANO_PER_USD = 1e9;

function count(
  { protocol, provider, modelId, reading, bill, attempts, losses, durationMs, firstByteMs }: RequestRecord,
  metrics: Metrics,
): void {
  metrics.duration(protocol, durationMs, firstByteMs);
  for (const { provider: host, lane, fault } of attempts) metrics.attempt(host, lane, fault ?? 'ok');
  for (const { why } of losses ?? []) metrics.loss(protocol, why);
  if (provider === undefined) return;
  if (reading !== undefined) metrics.tokens(provider, modelId, reading.usage);
  if (bill !== undefined) metrics.cost(provider, modelId, Number(bill.cost.nanoUsd) / NANO_PER_USD);
}

/** Why upstreams failed, one line per call. Callers' mistakes are reported to the caller only. */
function logFailures(
  { requestId, modelId: model, protocol, attempts, provider, fault, firstByteMs }: RequestRecord,
  log: Log,
): void {
  for (const { provider: host, modelId: own = model, fault: kind, heard, durationMs } of attempts) {
    if (heard === undefined || kind === undefined) continue;
    const { text: problem, ...rest } = heard;
    const fields = {
      requestId,
      protocol,
      model: own,
      provider: host,
      fault: kind,
      ...rest,
      problem,
      durationMs: Math.round(durationMs),
    };
    if (FAULT_RULES[kind].blame === 'upstream') log.warn('upstream call failed', fields);
    else log.debug('upstream call failed', fields);
  }
  // Answers that broke off had begun well: their attempt in the record has no fault.
  if (fault === undefined || firstByteMs === undefined || FAULT_RULES[fault.kind].blame !== 'upstream') return;
  const { text: problem = fault.message, ...heard } = attempts.at(-1)?.heard ?? {};
  const fields = { requestId, protocol, model, fault: fault.kind, ...heard, problem };
  log.warn('upstream answer broke off', { ...fields, ...(provider !== undefined && { provider }) });
}

const tokensIn = (usage: Usage): number => inputTokens(usage) + outputTokens(usage);

/** An alarm: either the upstream miscounts, or the catalogue is wrong about the model. The excess was not charged. */
function raise(
  { requestId, accountId, provider = '', modelId, bill }: RequestRecord,
  { why, reported }: Suspect,
  log: Log,
  metrics: Metrics,
): void {
  for (const reason of why) metrics.suspect(provider, reason);
  log.error('implausible upstream usage', {
    requestId,
    accountId,
    provider,
    model: modelId,
    why: why.join(', '),
    reportedTokens: tokensIn(reported),
    chargedTokens: tokensIn(bill?.usage ?? {}),
  });
}
