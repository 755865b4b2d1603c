// Figures of what is written or sent beside the request path, and dropped when it cannot be.

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
