// Metrics that are read at scrape time: state of the process, and queues beside the request path.

import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client';
import { providerOf } from '../kernel/route-key.ts';

const MS_PER_S = 1000;

type CaptureGauges = {
  readonly held: () => number;
  readonly counts: () => { readonly stored: number; readonly dropped: number; readonly failed: number };
};

type SpanCounts = {
  readonly waiting: number;
  readonly exported: number;
  readonly overflowed: number;
  readonly refusedByCollector: number;
};

type SinkGauges = {
  readonly lagSeconds: () => number;
  readonly isFeeding: () => boolean;
  readonly copied: () => number;
  readonly failed: () => number;
};

type LoopCounts = { readonly waits: () => number; readonly floods: () => number };

/** Of one format of a provider. */
type SampledAnswers = { readonly provider: string; readonly compared: number; readonly drifted: number };

type MemoryGauges = {
  /** Bytes by kind. */
  readonly held: () => Readonly<Record<string, number>>;
  readonly limit: () => number;
};

type RenewedCredential = { readonly identity: string; readonly ageMs: number | null; readonly isFailing: boolean };

/** Of the last 24 hours. */
export type ProviderGauge = {
  readonly provider: string;
  readonly state: string;
  readonly errorShare: number | null;
};

/** Read at scrape time. */
export type MetricGauges = {
  readonly inFlight: () => number;
  readonly openStreams: () => number;
  /** Absent in tests. */
  readonly openSockets?: () => number;
  readonly openHolds: () => number;
  /** Absent if nothing is charged. */
  readonly ledger?: {
    readonly byLease: () => number;
    readonly byDatabase: () => number;
    readonly unposted: () => number;
    readonly unpostedMs: () => number;
    readonly violations: () => number;
    readonly unaudited: () => number;
  };
  /** Absent if one process counts its limits alone. */
  readonly limits?: { readonly apart: () => number; readonly waits: () => number };
  readonly configGeneration: () => number;
  /** Temporary ones, by what issues them. */
  readonly credentials?: () => readonly RenewedCredential[];
  /** Route keys of the targets out of service. */
  readonly out?: () => Iterable<string>;
  /** Absent without a database. Undefined while it cannot be read. */
  readonly providers?: () => Promise<readonly ProviderGauge[] | undefined>;
  readonly usageWaiting?: () => number;
  readonly usageJournalBytes?: () => number;
  readonly usageLost?: () => number;
  readonly shedShare: () => number;
  /** Absent in tests. */
  readonly memory?: MemoryGauges;
  /** Absent if tracing is off. */
  readonly spans?: () => SpanCounts;
  /** Absent without a database. */
  readonly captures?: CaptureGauges;
  readonly loop?: LoopCounts;
  /** Absent in tests. */
  readonly samples?: () => readonly SampledAnswers[];
  /** Absent if no ClickHouse is configured. */
  readonly sink?: SinkGauges;
};

const registerLoop = (loop: LoopCounts, registry: Registry): void => {
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
const registerSink = ({ lagSeconds, isFeeding, copied, failed }: SinkGauges, registry: Registry): void => {
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

const registerCaptures = ({ held, counts }: CaptureGauges, registry: Registry): void => {
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

const registerSpans = (read: () => SpanCounts, registry: Registry): void => {
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

/** A host without a line has nothing out of service. Host names come from the configuration, so the set is closed. */
const registerOut = (out: () => Iterable<string>, registry: Registry): void => {
  const gauge: Gauge = new Gauge({
    name: 'trivium_targets_out',
    help: 'Targets (model and credential) whose circuit breaker is open now.',
    labelNames: ['provider'],
    registers: [registry],
    collect: () => {
      gauge.reset();
      for (const routeKey of out()) gauge.labels(providerOf(routeKey)).inc();
    },
  });
};

/** A kind of credential without a line is not in use. */
const registerCredentials = (read: () => readonly RenewedCredential[], registry: Registry): void => {
  const age: Gauge = new Gauge({
    name: 'trivium_credential_age_seconds',
    help: 'Age of the oldest temporary credential in use, or time since a secret was last read from its store, in seconds.',
    labelNames: ['identity'],
    registers: [registry],
    aggregator: 'max',
    collect: () => {
      age.reset();
      const oldest = new Map<string, number>();
      for (const { identity, ageMs } of read())
        if (ageMs !== null) oldest.set(identity, Math.max(ageMs, oldest.get(identity) ?? 0));
      for (const [identity, ageMs] of oldest) age.set({ identity }, ageMs / MS_PER_S);
    },
  });
  const failing: Gauge = new Gauge({
    name: 'trivium_credential_renewals_failing',
    help: 'Temporary credentials whose last renewal, or secrets whose last lookup, failed.',
    labelNames: ['identity'],
    registers: [registry],
    collect: () => {
      failing.reset();
      for (const { identity, isFailing } of read()) failing.labels(identity).inc(Number(isFailing));
    },
  });
};

const registerSamples = (read: () => readonly SampledAnswers[], registry: Registry): void => {
  const counter: Counter = new Counter({
    name: 'trivium_compared_answers_total',
    help: 'Answers of providers that were compared with what is known of their format, by outcome: as known, or different.',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const { provider, compared, drifted } of read()) {
        counter.inc({ provider, outcome: 'as-known' }, compared - drifted);
        counter.inc({ provider, outcome: 'different' }, drifted);
      }
    },
  });
};

/** The health that the admin API shows: of all nodes, but for circuits. Nodes agree, so the greatest value is that of each. */
const registerProviders = (read: NonNullable<MetricGauges['providers']>, registry: Registry): void => {
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[],
    set: (made: Gauge, health: ProviderGauge) => void,
  ): void => {
    const made: Gauge = new Gauge({
      name,
      help,
      labelNames,
      aggregator: 'max',
      registers: [registry],
      collect: async () => {
        const found = await read();
        made.reset();
        for (const health of found ?? []) set(made, health);
      },
    });
  };
  gauge(
    'trivium_provider_state',
    '1 for the state of a provider: available, failing, open or unknown.',
    ['provider', 'state'],
    (made, { provider, state }) => made.set({ provider, state }, 1),
  );
  gauge(
    'trivium_provider_error_share',
    'Ratio of failed attempts of all nodes in the last 24 hours, 0 to 1, by provider.',
    ['provider'],
    (made, { provider, errorShare }) => errorShare !== null && made.set({ provider }, errorShare),
  );
};

export const registerGauges = (gauges: MetricGauges, registry: Registry): void => {
  const gauge = (name: string, help: string, read: () => number, aggregator: Aggregator = 'sum'): void => {
    const made: Gauge = new Gauge({ name, help, registers: [registry], aggregator, collect: () => made.set(read()) });
  };
  gauge('trivium_requests_in_flight', 'Requests being served.', gauges.inFlight);
  gauge('trivium_streams_open', 'Requests to providers in flight now.', gauges.openStreams);
  if (gauges.openSockets !== undefined)
    gauge('trivium_websockets_open', 'WebSockets of callers open now.', gauges.openSockets);
  gauge('trivium_holds_open', 'Ledger holds that are neither settled nor released.', gauges.openHolds);
  if (gauges.usageWaiting !== undefined)
    gauge('trivium_usage_waiting', 'Usage events that wait to be stored.', gauges.usageWaiting);
  if (gauges.usageJournalBytes !== undefined)
    gauge('trivium_usage_journal_bytes', 'Size of the usage journal on disk in bytes.', gauges.usageJournalBytes);
  if (gauges.usageLost !== undefined)
    gauge('trivium_usage_lost', 'Usage events that could not be stored.', gauges.usageLost);
  if (gauges.ledger !== undefined) {
    const { byLease, byDatabase, unposted, unpostedMs, violations, unaudited } = gauges.ledger;
    gauge('trivium_ledger_violations', 'Ledger invariants violated at the last audit; must be 0.', violations, 'max');
    gauge(
      'trivium_ledger_unaudited',
      'Accounts too large for one hourly audit, read on in the next.',
      unaudited,
      'max',
    );
    gauge('trivium_lease_admissions', 'Requests admitted from a lease, without a database query.', byLease);
    gauge('trivium_strict_admissions', 'Requests admitted by a database query.', byDatabase);
    gauge('trivium_settlements_unposted', 'Settlements that wait to be posted to the database.', unposted);
    gauge(
      'trivium_settlements_unposted_seconds',
      'Age of the oldest settlement that waits to be posted, in seconds.',
      () => unpostedMs() / MS_PER_S,
      'max',
    );
  }
  if (gauges.limits !== undefined) {
    const { apart, waits } = gauges.limits;
    gauge(
      'trivium_limits_apart',
      'Processes that enforce shared rate limits alone because Redis is unavailable.',
      apart,
    );
    gauge('trivium_limit_waits', 'Requests that waited for a lease of a shared rate limit.', waits);
  }
  gauge('trivium_config_generation', 'Number of times the configuration was loaded.', gauges.configGeneration, 'max');
  gauge('trivium_shed_share', 'Ratio of new requests rejected by load shedding, 0 to 1.', gauges.shedShare, 'max');
  registerOut(gauges.out ?? (() => []), registry);
  registerCredentials(gauges.credentials ?? (() => []), registry);
  if (gauges.providers !== undefined) registerProviders(gauges.providers, registry);
  if (gauges.memory !== undefined) registerMemory(gauges.memory, registry);
  if (gauges.spans !== undefined) registerSpans(gauges.spans, registry);
  if (gauges.loop !== undefined) registerLoop(gauges.loop, registry);
  if (gauges.sink !== undefined) registerSink(gauges.sink, registry);
  if (gauges.samples !== undefined) registerSamples(gauges.samples, registry);
  if (gauges.captures !== undefined) registerCaptures(gauges.captures, registry);
};

const registerMemory = ({ held, limit }: MemoryGauges, registry: Registry): void => {
  const gauge: Gauge = new Gauge({
    name: 'trivium_memory_held_bytes',
    help: 'Memory held for callers in bytes, as counted against the limit, by kind.',
    labelNames: ['kind'],
    registers: [registry],
    collect: () => {
      for (const [kind, bytes] of Object.entries(held())) gauge.set({ kind }, bytes);
    },
  });
  const bound: Gauge = new Gauge({
    name: 'trivium_memory_limit_bytes',
    help: 'Most memory that may be held for callers in bytes (limits.memoryBytes).',
    registers: [registry],
    collect: () => bound.set(limit()),
  });
};
