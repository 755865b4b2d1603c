/** The long-lived services of a gateway: opened once, shared by every generation of the engine, closed in order. */

import { HeavyThreads } from '../calls/heavy/heavy-threads.ts';
import { type OpenIdempotencyStore, openIdempotencyStore } from '../calls/idempotency/open-store.ts';
import { RecordingThread } from '../calls/recordings/recording-thread.ts';
import { type OpenSealMemory, openSealMemory } from '../calls/seals/open-seal-memory.ts';
import type { Config } from '../config/config.ts';
import { tickEveryMs } from '../config/sections/timeouts.ts';
import type { NodeNotifications } from '../control/nodes/notification-rows.ts';
import type { WebhookDispatcher } from '../control/webhooks/dispatcher.ts';
import type { DueWebhook } from '../control/webhooks/rows.ts';
import { Connections } from '../http/connections.ts';
import { systemClock, systemTimer } from '../kernel/clock.ts';
import type { CacheMemory, HealthChange } from '../kernel/health.ts';
import { LoopBudget } from '../kernel/loop-budget.ts';
import type { RecordObserver } from '../kernel/record.ts';
import type { Spend } from '../kernel/spend.ts';
import { Timeouts } from '../kernel/timeouts.ts';
import type { CredentialState } from '../kernel/upstream.ts';
import type { KeptBlobs } from '../media/blobs/kept-blobs.ts';
import { ConnectionMemory } from '../media/responses/connection-turns.ts';
import type { StoredTurns } from '../media/responses/stored-turns.ts';
import { Hedges, RetryBudgets } from '../models/health/retry-budget.ts';
import { RouteHealth } from '../models/health/route-health.ts';
import { CacheAffinity } from '../models/routing/cache-affinity.ts';
import { LatencyStatistics } from '../models/routing/latency-statistics.ts';
import { Turns } from '../models/routing/turns.ts';
import type { DriftWatch } from '../models/shapes/drift-watch.ts';
import type { AuditRounds } from '../money/ledger/audit-rounds.ts';
import { NodeLedger } from '../money/ledger/node-ledger.ts';
import type { OpenLedger } from '../money/ledger/open-ledger.ts';
import { type InFlightLimits, Pressure } from '../money/limits/in-flight.ts';
import type { LeaseSource } from '../money/limits/leases.ts';
import { MemoryBook } from '../money/limits/memory-book.ts';
import type { RateLimits } from '../money/limits/rate-limits.ts';
import { UsageRecorder } from '../money/usage/recorder.ts';
import { rangeMatcher } from '../people/accounts/address-ranges.ts';
import type { Tables } from '../store/postgres/tables.ts';
import type { Log } from '../telemetry/log.ts';
import { openUpstream } from '../upstream/open-upstream.ts';
import { OtlpRelay } from '../upstream/otlp-relay.ts';
import { Signers } from '../upstream/signing/signers.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { openSpend } from './agents/open-spend.ts';
import { StoredManaged } from './agents/stored-managed.ts';
import { OpenBackground } from './background/open-background.ts';
import { Backing, proofRuleOf } from './backing.ts';
import { type OpenSecrets, openSecrets, readProviderSecrets } from './credentials/open-secrets.ts';
import { type OpenAlerts, openAlerts } from './open-alerts.ts';
import type { OpenAnalytics } from './open-analytics.ts';
import { openBlobs } from './open-blobs.ts';
import { OpenCallerTokens } from './open-caller-tokens.ts';
import { OpenCapture, openResponses } from './open-capture.ts';
import { openDrift } from './open-drift.ts';
import { auditOf, balanceIn, openLedger, storedUsage } from './open-ledger.ts';
import { type OpenLimits, openLimits } from './open-limits.ts';
import { openNotifications } from './open-notifications.ts';
import { OpenOperations } from './open-operations.ts';
import type { OpenTraces } from './open-traces.ts';
import { openWebhooks } from './open-webhooks.ts';
import { StoredHosts } from './stored-hosts.ts';
import { StoredPolicies } from './stored-policies.ts';
import { StoredSettings } from './stored-settings.ts';
import { StoredTags } from './stored-tags.ts';

/** Must be zero when nothing runs. */
export type Gauges = {
  readonly openHolds: number;
  readonly takenSlots: number;
  /** Memory held for running requests, as it is counted. */
  readonly heldBytes: number;
  readonly upstreamExchanges: number;
  readonly watched: number;
};

/** What has to be awaited, or is needed for it. */
type EarlyServices = Pick<
  Services,
  | 'secrets'
  | 'backing'
  | 'hosts'
  | 'stored'
  | 'policies'
  | 'ledger'
  | 'blobs'
  | 'operations'
  | 'tags'
  | 'managed'
  | 'traces'
  | 'analytics'
> & { readonly current: { config: Config } };

/** The long-lived services, shared by every generation of the engine. */
export class Services {
  readonly ledger: OpenLedger | NodeLedger;
  readonly audit: AuditRounds<Tables> | undefined;
  readonly counting: OpenLimits;
  readonly pressure: Pressure;
  readonly upstream: UpstreamClient;
  readonly timeouts: Timeouts;
  readonly callerTokens: OpenCallerTokens;
  readonly seals: OpenSealMemory;
  readonly signers: Signers;
  readonly turns = new Turns();
  /** All memory held for callers. */
  readonly memory = new MemoryBook(() => this.config.limits);
  readonly loop = new LoopBudget(() => this.config.limits, setImmediate);
  readonly connections = new Connections({
    bounds: () => this.config.limits,
    loop: this.loop,
    // Behind what is on its way by then.
    after: (ms, run) => void setTimeout(setImmediate, ms, run).unref(),
  });
  /** Answers of upstreams that were ended because they sent too much without content. */
  readonly floods = { count: 0 };
  readonly paces = new LatencyStatistics();
  readonly caches: CacheMemory;
  readonly #healthListeners: ((change: HealthChange) => void)[] = [];
  readonly health = new RouteHealth(
    () => this.config.health,
    (change) => {
      for (const listener of this.#healthListeners) listener(change);
    },
    { tell: (routeKey, forMs) => this.notifications?.tell(routeKey, forMs) },
  );
  /** From and to other nodes; absent without Redis. */
  readonly notifications: NodeNotifications | undefined;
  readonly hedges = new Hedges(() => this.config.hedging.maxPercent / 100);
  readonly retryBudget = new RetryBudgets(() => this.config.retries);
  readonly repeats: OpenIdempotencyStore;
  /** Parses large texts. */
  readonly heavy: HeavyThreads;
  /** Measures what is sent to be written down. */
  readonly recordings = new RecordingThread();
  readonly usage: UsageRecorder;
  /** Called at the end of every request. */
  readonly observers: readonly RecordObserver[];
  readonly blobs: KeptBlobs;
  /** Absent without a database. */
  readonly tags: StoredTags | undefined;
  /** Absent without a database. */
  readonly managed: StoredManaged | undefined;
  /** Absent without a database. */
  readonly spend: Spend | undefined;
  /** From programs of people to the operator's receiver. */
  readonly telemetry: OtlpRelay;
  /** Absent without a database. */
  readonly captured: OpenCapture | undefined;
  /** Absent without a database. */
  readonly responses: StoredTurns | undefined;
  /** Of open WebSockets. */
  readonly connectionTurns = new ConnectionMemory(() => this.config.sockets.stateBytes, this.memory);
  /** Absent without a database. */
  readonly background: OpenBackground | undefined;
  /** Absent without a database. */
  readonly operations: OpenOperations | undefined;
  /** Absent without a database. */
  readonly dispatcher: WebhookDispatcher<DueWebhook> | undefined;
  readonly drift: DriftWatch;
  /** Absent without a database. */
  readonly alerts: OpenAlerts | undefined;
  /** Absent if tracing is off. */
  readonly traces: OpenTraces | undefined;
  /** Absent if no ClickHouse is configured. */
  readonly analytics: OpenAnalytics | undefined;
  readonly secrets: OpenSecrets;
  /** Absent without a database. */
  readonly backing: Backing | undefined;
  /** The hosts of the file with those of the database, and likewise models, prices and rules of alerts. */
  readonly hosts: StoredHosts;
  readonly stored: StoredSettings;
  readonly policies: StoredPolicies;
  readonly #current: { config: Config };

  private constructor(early: EarlyServices, log: Log, slices?: LeaseSource) {
    const { backing, ledger, traces } = early;
    const { config } = early.current;
    this.#current = early.current;
    this.secrets = early.secrets;
    this.backing = backing;
    this.use(config);
    this.hosts = early.hosts;
    this.stored = early.stored;
    this.policies = early.policies;
    this.ledger = ledger;
    this.blobs = early.blobs;
    this.operations = early.operations;
    this.tags = early.tags;
    this.managed = early.managed;
    this.spend = backing && openSpend(() => this.config, backing, log);
    this.telemetry = new OtlpRelay(() => this.config.agents.telemetry, {
      ca: () => this.config.upstream.ca,
      nowMs: systemClock.monotonicMs,
      onDropped: (count, problem) =>
        log.warn('telemetry of programs dropped', { problem: `${count} times: ${problem}` }),
    });
    this.traces = traces;
    this.analytics = early.analytics;
    this.drift = openDrift(this, log);
    this.alerts =
      backing &&
      openAlerts(
        () => this.config,
        backing,
        () => this.credentials,
        this.drift,
        log,
      );
    early.policies.alertsOfCanaries = () => this.alerts?.watch.isRaised({ kind: 'canary.stepped_back' }) === true;
    this.audit = auditOf(backing, log, this.alerts?.watch.violation);
    this.audit?.start();
    if (this.alerts !== undefined) this.#healthListeners.push(this.alerts.watch.health);
    this.observers = [
      ...(traces === undefined ? [] : [traces.queue]),
      ...(this.alerts === undefined ? [] : [{ finished: this.alerts.watch.record }]),
    ];
    if (ledger instanceof NodeLedger && this.alerts !== undefined) {
      ledger.onBudgetRefusal = this.alerts.watch.budgetRefused;
      ledger.onSetBack = this.alerts.watch.setBack;
    }
    if (backing !== undefined)
      backing.onRelease = ({ provider, model }) => this.health.release(provider, model, systemClock.monotonicMs());
    this.heavy = new HeavyThreads({
      onLost: (problem) => log.error('worker thread for large bodies exited', { problem }),
      memory: this.memory,
    });
    this.usage = new UsageRecorder({
      stored: storedUsage(backing, ledger),
      recent: () => this.config.explain,
      ...(backing !== undefined && { balance: balanceIn(backing) }),
      retention: () => this.config.usage,
      nowMs: systemClock.nowMs,
      log,
    });
    this.seals = openSealMemory(
      () => this.config.seals,
      systemClock.monotonicMs,
      backing?.store,
      (error) => log.warn('seals not shared with other nodes', { problem: String(error) }),
    );
    this.captured =
      backing && new OpenCapture(() => this.config, backing, this.blobs.store, this.memory, log, this.secrets.book);
    this.repeats = openIdempotencyStore(
      () => this.config.idempotency,
      systemClock.monotonicMs,
      backing && this.captured && { store: backing.store, keys: this.captured.rows },
      (error) => log.warn('idempotent answer not stored', { problem: String(error) }),
      this.memory,
    );
    // What can be sent again goes before what was promised.
    const { evict } = this.memory;
    this.memory.evict = () => this.connectionTurns.forgetOldest() || evict();
    this.responses = backing && this.captured && openResponses(() => this.config, backing, this.captured.rows, log);
    this.background =
      backing &&
      this.captured &&
      this.responses &&
      new OpenBackground(() => this.config, backing, this.captured.rows, this.responses, log);
    this.dispatcher = backing && openWebhooks(() => this.config, backing, log);
    if (backing !== undefined)
      backing.onMessages = () => {
        this.dispatcher?.wake();
        this.alerts?.dispatcher.wake();
      };
    this.pressure = new Pressure(() => this.config.overload);
    const holders = new CacheAffinity();
    this.notifications = openNotifications(config, this.health, holders);
    this.caches = this.notifications?.tellingOf(holders, systemClock.monotonicMs) ?? holders;
    this.counting = openLimits(() => this.config, this.pressure, this.memory, slices, log);
    const { timeouts, upstream } = config;
    this.upstream = openUpstream({
      connectionsPerOrigin: upstream.connectionsPerOrigin,
      connectMs: timeouts.connectMs,
      keepAliveMs: timeouts.keepAliveMs,
      ca: upstream.ca,
      ...(upstream.proxy !== undefined && { proxy: upstream.proxy }),
    });
    this.callerTokens = new OpenCallerTokens(backing, this.upstream, log);
    this.timeouts = new Timeouts(systemTimer, tickEveryMs(config.timeouts));
    const { held } = this.secrets.book;
    this.signers = new Signers({ upstream: this.upstream, clock: systemClock, timeouts: this.timeouts, held });
  }

  static async open(fileConfig: Config, log: Log, slices?: LeaseSource, known?: OpenSecrets): Promise<Services> {
    const { database, redis } = fileConfig;
    const secrets = known ?? openSecrets(fileConfig);
    await readProviderSecrets(secrets, fileConfig);
    const backing =
      database && (await Backing.open({ database, ...(redis !== undefined && { redis }) }, systemClock, log));
    const hosts = new StoredHosts(fileConfig, backing, log);
    const stored = new StoredSettings(fileConfig, backing, log);
    const policies = new StoredPolicies(backing, log);
    const current = { config: await policies.over(await stored.over(await hosts.take(fileConfig))) };
    const ledger = await openLedger(current.config, backing, log);
    const blobs = openBlobs(() => current.config, log);
    const operations = backing && (await OpenOperations.open(() => current.config, backing, blobs, log));
    const tags = backing && (await StoredTags.open(backing, log));
    const managed = backing && (await StoredManaged.open(backing, log));
    const { traces: settings, clickhouse } = current.config;
    const traces = settings && (await (await import('./open-traces.ts')).openTraces(settings, log, systemClock.nowMs));
    const analytics =
      clickhouse &&
      backing &&
      (await (await import('./open-analytics.ts')).OpenAnalytics.open(current.config, backing.store, log));
    const early = {
      current,
      secrets,
      backing,
      hosts,
      stored,
      policies,
      ledger,
      blobs,
      operations,
      tags,
      managed,
      traces,
      analytics,
    };
    return new Services(early, log, slices);
  }

  /** All that are renewed, or read from stores. */
  get credentials(): readonly (CredentialState & { readonly identity: string; readonly name: string })[] {
    return [
      ...this.signers.states.map((state) => ({ ...state, name: state.identity })),
      ...this.secrets.book.states.map((state) => ({ ...state, name: state.reference })),
    ];
  }

  /** The one in force. */
  get config(): Config {
    return this.#current.config;
  }

  /** The listener is called for every host that goes out of service or comes back. */
  onHealth(listener: (change: HealthChange) => void): void {
    this.#healthListeners.push(listener);
  }

  /** Another configuration is in force. */
  use(config: Config): void {
    this.#current.config = config;
    // Parsed once: every connection is compared with it.
    this.connections.isTrustedProxy = rangeMatcher(config.listen.trustedProxies);
    if (this.backing !== undefined) this.backing.proofRule = proofRuleOf(config);
  }

  get limits(): RateLimits {
    return this.counting.limits;
  }

  get places(): InFlightLimits {
    return this.counting.places;
  }

  get gauges(): Gauges {
    return {
      openHolds: this.ledger.openHolds,
      takenSlots: this.limits.taken,
      heldBytes: this.memory.busy,
      upstreamExchanges: this.upstream.open,
      watched: this.timeouts.watching,
    };
  }

  /** Everything that may still write to the database is closed before it. */
  async close(): Promise<void> {
    await this.operations?.close();
    await this.policies.canaries.stop();
    await this.alerts?.close();
    await this.dispatcher?.stop();
    await this.analytics?.close();
    await this.upstream.close();
    await this.secrets.close();
    await this.traces?.close();
    this.notifications?.close();
    // Its content is written to the blob store.
    await this.captured?.close();
    await Promise.all([
      this.heavy.close(),
      this.recordings.close(),
      this.counting.close(),
      this.repeats.close(),
      this.seals.close(),
      this.blobs.close(),
    ]);
    this.usage.close();
    this.responses?.close();
    this.audit?.stop();
    await this.ledger.close(LEDGER_CLOSE_MS);
    await this.backing?.close();
  }
}

/**
 * An unreachable database must not keep the process from ending: what it has not received by then is in the journal.
 */
const LEDGER_CLOSE_MS = 5000;
