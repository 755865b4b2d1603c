/** The metrics of a gateway, some of parts that not every gateway has; part of the composition root. */
import { ROUTE_KINDS } from '../http/route-table.ts';
import { systemClock } from '../kernel/clock.ts';
import { RECORDED_PROTOCOLS } from '../kernel/recorded-protocol.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { ledgerGauges, refusalsWith } from './open-ledger.ts';
import type { OpenNodes } from './open-nodes.ts';
import type { Services } from './services.ts';

const MS_PER_SECOND = 1000;

export function openMetrics(services: Services, nodes: OpenNodes): Metrics {
  const { loop, floods, counting, traces, analytics, captured } = services;
  const { shared } = counting;
  return createMetrics({
    protocols: RECORDED_PROTOCOLS,
    // Links to blobs are routed by their mount, and requests without a route by none.
    routes: [...ROUTE_KINDS, 'blob', 'none'],
    providers: Object.keys(services.config.providers),
    gauges: {
      inFlight: () => services.limits.taken,
      openStreams: () => services.upstream.open,
      openHolds: () => services.ledger.openHolds,
      ...ledgerGauges(services.ledger, services.audit),
      configGeneration: () => nodes.generation,
      out: () => services.health.out(systemClock.monotonicMs()),
      usageWaiting: () => services.usage.waiting,
      usageJournalBytes: () => services.usage.journalBytes,
      usageLost: () => services.usage.lost,
      memory: { held: () => services.memory.held, limit: () => services.memory.limit },
      shedShare: () => Math.min(1, services.pressure.shed),
      loop: { waits: () => loop.waited, floods: () => floods.count },
      ...(shared && { limits: { apart: () => Number(!shared.isShared), waits: () => shared.waits } }),
      ...(traces && { spans: () => traces.queue }),
      ...(analytics && {
        sink: {
          lagSeconds: () => analytics.sink.lagMs / MS_PER_SECOND,
          isFeeding: () => analytics.sink.isFeeding,
          copied: () => analytics.sink.copied,
          failed: () => analytics.sink.failed,
        },
      }),
      ...(captured && { captures: { held: () => captured.capture.held, counts: () => captured.capture.counts } }),
    },
    refusals: () => refusalsWith(services.places.refusals, services.ledger),
    cuts: () => services.connections.cuts,
  });
}
