// Metrics of queues beside the request path, whose entries are dropped if they cannot be written.

import { Counter, Gauge, type Registry } from 'prom-client';

export type CaptureGauges = {
  readonly held: () => number;
  readonly counts: () => { readonly stored: number; readonly dropped: number; readonly failed: number };
};

export type SpanCounts = {
  readonly waiting: number;
  readonly exported: number;
  readonly overflowed: number;
  readonly refusedByCollector: number;
};

export type SinkGauges = {
  readonly lagSeconds: () => number;
  readonly isFeeding: () => boolean;
  readonly copied: () => number;
  readonly failed: () => number;
};

export type LoopCounts = { readonly waits: () => number; readonly floods: () => number };

export const registerLoop = (loop: LoopCounts, registry: Registry): void => {
  const counter = (name: string, help: string, read: () => number): void => {
    const made: Counter = new Counter({
      name,
      help,
      registers: [registry],
      collect: () => {
        made.reset();
        made.inc(read());
      },
    });
  };
  counter(
    'trivium_loop_waits_total',
    'How often a stream or a body waited because a turn of the event loop was used up.',
    loop.waits,
  );
  counter(
    'trivium_upstream_floods_total',
    'Answers of upstreams that were ended because they sent too much without content.',
    loop.floods,
  );
};

/** For the copy of records in ClickHouse. */
export const registerSink = ({ lagSeconds, isFeeding, copied, failed }: SinkGauges, registry: Registry): void => {
  const lag: Gauge = new Gauge({
    name: 'trivium_clickhouse_lag_seconds',
    help: 'How long the oldest record that is not in ClickHouse yet has waited, in seconds.',
    aggregator: 'max',
    registers: [registry],
    collect: () => lag.set(lagSeconds()),
  });
  const feeding: Gauge = new Gauge({
    name: 'trivium_clickhouse_feeding',
    help: '1 while this node copies records to ClickHouse; one node at a time does.',
    registers: [registry],
    collect: () => feeding.set(Number(isFeeding())),
  });
  const rows: Counter = new Counter({
    name: 'trivium_clickhouse_rows_total',
    help: 'Records sent to ClickHouse, repetitions included.',
    registers: [registry],
    collect: () => {
      rows.reset();
      rows.inc(copied());
    },
  });
  const failures: Counter = new Counter({
    name: 'trivium_clickhouse_failures_total',
    help: 'Attempts to copy records to ClickHouse that failed and are repeated.',
    registers: [registry],
    collect: () => {
      failures.reset();
      failures.inc(failed());
    },
  });
};

export const registerCaptures = ({ held, counts }: CaptureGauges, registry: Registry): void => {
  const characters: Gauge = new Gauge({
    name: 'trivium_capture_held_characters',
    help: 'Characters of captured content in memory, of requests that run or wait to be written.',
    registers: [registry],
    collect: () => characters.set(held()),
  });
  const counter: Counter = new Counter({
    name: 'trivium_captured_requests_total',
    help: 'Captured requests whose content was stored, was dropped because too much was in memory, or could not be stored.',
    labelNames: ['outcome'],
    registers: [registry],
    collect: () => {
      const { stored, dropped, failed } = counts();
      counter.reset();
      counter.inc({ outcome: 'stored' }, stored);
      counter.inc({ outcome: 'dropped-memory-full' }, dropped);
      counter.inc({ outcome: 'failed' }, failed);
    },
  });
};

export const registerSpans = (read: () => SpanCounts, registry: Registry): void => {
  const waiting: Gauge = new Gauge({
    name: 'trivium_trace_spans_waiting',
    help: 'Spans that wait to be sent to the trace collector.',
    registers: [registry],
    collect: () => waiting.set(read().waiting),
  });
  const counter: Counter = new Counter({
    name: 'trivium_trace_spans_total',
    help: 'Spans exported to the trace collector, or dropped because the queue was full or the collector did not take them.',
    labelNames: ['outcome'],
    registers: [registry],
    collect: () => {
      const { exported, overflowed, refusedByCollector } = read();
      counter.reset();
      counter.inc({ outcome: 'exported' }, exported);
      counter.inc({ outcome: 'dropped-queue-full' }, overflowed);
      counter.inc({ outcome: 'dropped-not-accepted' }, refusedByCollector);
    },
  });
};
