/** Traces with all their dependencies; part of the composition root. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { Log } from '../telemetry/log.ts';
import { openOtlpExporter } from '../telemetry/traces/otlp-exporter.ts';
import { SpanQueue } from '../telemetry/traces/span-queue.ts';
import { TraceContexts } from '../telemetry/traces/trace-context.ts';

export type OpenTraces = {
  readonly contexts: TraceContexts;
  readonly queue: SpanQueue;
  close(): Promise<void>;
};

/** So that an unreachable collector is logged now and then, and not for every batch. */
const WARN_EVERY_MS = 60_000;
/** An unreachable collector must not keep the process from ending. */
const CLOSE_MS = 2000;

export async function openTraces(
  config: NonNullable<Config['traces']>,
  log: Log,
  nowMs: () => number,
): Promise<OpenTraces> {
  const exporter = await openOtlpExporter({
    ...config,
    resource: { ...config.resource, 'service.name': config.serviceName },
  });
  const contexts = new TraceContexts(config, Math.random);
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  const queue = new SpanQueue(
    config,
    async (spans) => {
      const isTaken = await exporter.export(spans);
      if (!isTaken && nowMs() - warnedAtMs >= WARN_EVERY_MS) {
        warnedAtMs = nowMs();
        log.warn('trace collector unreachable; spans are dropped', { problem: `${spans.length} spans not taken` });
      }
      return isTaken;
    },
    { traceId: () => contexts.newSpanId() + contexts.newSpanId(), spanId: () => contexts.newSpanId() },
  );
  return {
    contexts,
    queue,
    close: () => Promise.race([queue.flush().then(() => exporter.close()), sleep(CLOSE_MS, undefined, { ref: false })]),
  };
}
