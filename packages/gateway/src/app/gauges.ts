/** The metrics of a gateway, some of parts that not every gateway has; part of the composition root. */

import { healthOf, readAttempts } from '../control/providers/health.ts';
import { ROUTE_KINDS } from '../http/route-table.ts';
import { SOCKET_ROUTE } from '../http/sockets/sockets.ts';
import { systemClock } from '../kernel/clock.ts';
import { RECORDED_PROTOCOLS } from '../kernel/recorded-protocol.ts';
import { OPERATOR, type Store } from '../store/postgres/store.ts';
import type { ProviderGauge } from '../telemetry/gauges.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import type { BuiltEngine } from './build-engine.ts';
import { ledgerGauges, refusalsWith } from './open-ledger.ts';
import type { OpenNodes } from './open-nodes.ts';
import { targetsIn } from './provider-views.ts';
import type { Services } from './services.ts';

const MS_PER_SECOND = 1000;

/** Scrapes are as frequent as monitoring likes. */
const HEALTH_TTL_MS = 10_000;

/** Read by one scrape at a time; without the database there are none. */
function providerGauges(services: Services, engine: () => BuiltEngine, store: Store) {
  let last: { readonly atMs: number; readonly found: Promise<readonly ProviderGauge[] | undefined> } | undefined;
  const read = async (): Promise<readonly ProviderGauge[]> => {
    const attempts = await store.within(OPERATOR, (db) => readAttempts(db, systemClock.nowMs()));
    const { summary } = targetsIn(engine, services);
    return Object.keys(services.config.providers).map((provider) => ({
      provider,
      ...healthOf(attempts, provider, summary(provider).openCircuits),
    }));
  };
  return () => {
    const nowMs = systemClock.monotonicMs();
    if (last === undefined || nowMs - last.atMs >= HEALTH_TTL_MS)
      last = { atMs: nowMs, found: read().catch(() => undefined) };
    return last.found;
  };
}

export function openMetrics(services: Services, engine: () => BuiltEngine, nodes: OpenNodes): Metrics {
  const { loop, floods, counting, traces, analytics, captured } = services;
  const { shared } = counting;
  return createMetrics({
    protocols: RECORDED_PROTOCOLS,
    // Links to blobs are routed by their mount, and requests without a route by none.
    routes: [...ROUTE_KINDS, 'blob', 'passthrough', SOCKET_ROUTE, 'none'],
    providers: Object.keys(services.config.providers),
    gauges: {
      samples: () => services.drift.counts(),
      inFlight: () => services.limits.taken,
      openStreams: () => services.upstream.open,
      openSockets: () => services.connectionTurns.connections,
      openHolds: () => services.ledger.openHolds,
      ...ledgerGauges(services.ledger, services.audit),
      configGeneration: () => nodes.generation,
      credentials: () =>
        services.credentials.map(({ identity, issuedAtMs, failure }) => ({
          identity,
          ageMs: issuedAtMs === null ? null : systemClock.nowMs() - issuedAtMs,
          isFailing: failure !== null,
        })),
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
      ...(services.backing && { providers: providerGauges(services, engine, services.backing.store) }),
      ...(captured && { captures: { held: () => captured.capture.held, counts: () => captured.capture.counts } }),
    },
    refusals: () => refusalsWith(services.places.refusals, services.ledger),
    cuts: () => services.connections.cuts,
  });
}
