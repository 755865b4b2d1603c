/** Metrics of parts that not every gateway has; part of the composition root. */
import type { SpanQueue } from '../telemetry/traces/span-queue.ts';
import type { OpenLimits } from './open-limits.ts';
import type { Services } from './services.ts';

export const spanGauges = (traces: Services['traces']): { spans?: () => SpanQueue } =>
  traces === undefined ? {} : { spans: () => traces.queue };

const MS_PER_SECOND = 1000;

export const sinkGauges = (analytics: Services['analytics']) =>
  analytics && {
    sink: {
      lagSeconds: () => analytics.sink.lagMs / MS_PER_SECOND,
      isFeeding: () => analytics.sink.isFeeding,
      copied: () => analytics.sink.copied,
      failed: () => analytics.sink.failed,
    },
  };

export const captureGauges = (captured: Services['captured']) =>
  captured && { captures: { held: () => captured.capture.held, counts: () => captured.capture.counts } };

export const loopGauges = ({ loop, floods }: Services) => ({
  loop: { waits: () => loop.waited, floods: () => floods.count },
});

export const limitGauges = ({ shared }: OpenLimits) =>
  shared && { limits: { apart: () => Number(!shared.isShared), waits: () => shared.waits } };
