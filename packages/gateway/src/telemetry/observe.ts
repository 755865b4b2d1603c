/** What the engine and the data plane report, turned into log lines and figures. */
import { FAULT_RULES, type Fault } from '@trivium/protocol/canonical';
import type { RequestRecord } from '../engine/settle.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { usageLog } from './usage-log.ts';
import type { UsageRecord } from './usage-record.ts';

/** Every exit of the data plane, whether or not it reached the engine. */
export type Seen = {
  readonly protocol: string;
  readonly route: string;
  readonly requestId: string;
  readonly fault?: Fault;
  readonly cause?: unknown;
};

export type Observing = { readonly record: (record: RequestRecord) => void; readonly onReply: (seen: Seen) => void };

export function observe(log: Log, metrics: Metrics): Observing {
  const writeUsage = usageLog(log);
  return {
    record: (record) => {
      writeUsage(usageRecordOf(record));
      metrics.duration(record.protocol, record.durationMs, record.firstByteMs);
      for (const { provider, lane, fault } of record.attempts) metrics.attempt(provider, lane, fault ?? 'ok');
      for (const { why } of record.losses ?? []) metrics.loss(record.protocol, why);
      if (record.provider !== undefined && record.reading !== undefined)
        metrics.tokens(record.provider, record.reading.usage);
    },
    onReply: ({ protocol, route, requestId, fault, cause }) => {
      metrics.request(protocol, route, fault?.kind ?? 'ok', fault === undefined ? 200 : FAULT_RULES[fault.kind].status);
      if (fault === undefined) return;
      const fields = { requestId, protocol, route, fault: fault.kind, ...(cause !== undefined && { error: cause }) };
      // Whose trouble it is decides how loud it is told.
      if (FAULT_RULES[fault.kind].blame === 'gateway') log.error('request failed', fields);
      else log.debug('request failed', fields);
    },
  };
}

function usageRecordOf(record: RequestRecord): UsageRecord {
  const { fault, reading, provider, lane, laneWhy, firstByteMs, metadata } = record;
  // A stream that failed had already been promised a 200.
  const begun = record.how === 'done' || firstByteMs !== undefined;
  return {
    requestId: record.requestId,
    accountId: record.accountId,
    keyId: record.keyId,
    model: record.modelId,
    protocol: record.protocol,
    stream: record.stream,
    attempts: record.attempts,
    usage: reading?.usage ?? {},
    usageBasis: reading?.reported === true ? 'reported' : 'estimated',
    losses: record.losses ?? [],
    status: begun || fault === undefined ? 200 : FAULT_RULES[fault.kind].status,
    outcome: fault?.kind ?? (record.how === 'gone' ? 'cancelled' : 'ok'),
    durationMs: record.durationMs,
    ...(provider !== undefined && { provider }),
    ...(lane !== undefined && { lane }),
    ...(laneWhy !== undefined && { laneWhy }),
    ...(firstByteMs !== undefined && { firstByteMs }),
    ...(metadata !== undefined && { metadata }),
  };
}
