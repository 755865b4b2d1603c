/** What the engine and the data plane report, turned into log lines and figures. */
import { FAULT_RULES, type Fault } from '@trivium/protocol/canonical';
import type { RequestRecord } from '../engine/settle.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { usageLog } from './usage-log.ts';

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
      writeUsage(record);
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
