/** The running gateway: what may change is built from config and catalogue and swapped whole; the rest stays. */
import type { Server } from 'node:http';
import type { Fault } from '@trivium/protocol/canonical';
import { StaticKeys } from './accounts/static-keys.ts';
import type { AdminApi } from './admin/admin-api.ts';
import { ADMIN_MOUNT } from './admin/routes.ts';
import { loadCatalogue } from './catalogue/load.ts';
import { type Config, ownProviders } from './config/config.ts';
import { secretsOf } from './config/known-secrets.ts';
import { pulseEveryMs, waitsOf } from './config/waits.ts';
import { destinationsOf, settingsOf } from './data-plane-settings.ts';
import { buildDirectory } from './directory/build-directory.ts';
import { snapshotAt } from './directory/price-snapshot.ts';
import type { Engine } from './engine/handle.ts';
import { Pulse } from './engine/pulse.ts';
import type { Recorder } from './engine/settle.ts';
import { Hedges } from './health/hedges.ts';
import { RetryBudgets } from './health/retry-budget.ts';
import { type Change, RouteHealth } from './health/route-health.ts';
import { createAdminPlane } from './http/admin-plane.ts';
import { createDataPlane, type DataPlaneSettings } from './http/data-plane.ts';
import type { Destinations } from './http/destination.ts';
import { type DrainOptions, drain } from './http/drain.ts';
import { listen, urlOf } from './http/listening.ts';
import { PROTOCOLS } from './http/route-table.ts';
import { type OpenRepeats, openRepeats } from './idempotency/open-repeats.ts';
import type { AuditRounds } from './ledger/audit-rounds.ts';
import { NodeLedger } from './ledger/node-ledger.ts';
import type { OpenLedger } from './ledger/open-ledger.ts';
import { InFlightLimits } from './limits/in-flight.ts';
import { Pressure } from './limits/pressure.ts';
import { RateLimits } from './limits/rate-limits.ts';
import { openAdminApi } from './open-admin-api.ts';
import { auditOf, ledgerGauges, openLedger } from './open-ledger.ts';
import { priceFactors } from './prices/account-terms.ts';
import { providerSet } from './providers/provider-set.ts';
import { CacheHolders } from './routing/cache-holders.ts';
import { Paces } from './routing/paces.ts';
import { Turns } from './routing/turns.ts';
import { systemAfter, systemClock, systemTimer } from './runtime/clock.ts';
import { digest } from './runtime/digest.ts';
import { watchLoop } from './runtime/loop-watch.ts';
import { requestIds } from './runtime/request-ids.ts';
import { sealingFor } from './seals/envelopes.ts';
import { type OpenSealMemory, openSealMemory } from './seals/open-seal-memory.ts';
import { Signers } from './signing/signers.ts';
import { Backing } from './store/backing.ts';
import type { Tables } from './store/tables.ts';
import { UsageRows } from './store/usage-rows.ts';
import { StoredHosts } from './stored-hosts.ts';
import type { Figures } from './telemetry/figures.ts';
import { healthTeller } from './telemetry/health.ts';
import type { Log } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { type Observing, observe } from './telemetry/observe.ts';
import { RecentRequests } from './telemetry/recent-requests.ts';
import { refusalNews } from './telemetry/refusal-news.ts';
import { GuardedFetcher } from './upstream/media-fetcher.ts';
import { UndiciUpstream } from './upstream/undici-upstream.ts';
import { UsageKeeper } from './usage/keeper.ts';

export type GatewayPorts = {
  readonly log: Log;
  /** Shows the operator's secret, once, when the first start with a database has made it. */
  readonly showFirstSecret?: (secret: string) => void;
  /** For whoever wants the records too, beside the log. */
  readonly onRecord?: Recorder;
  /** Takes the place of this process's own figures where several serve one address. */
  readonly renderFigures?: () => Promise<string>;
};

const ROUTES = [
  'text-call',
  'embed-call',
  'image-call',
  'list-models',
  'one-model',
  'count-tokens',
  'own-report',
  'dry-run',
  'one-request',
  'alive',
  'none',
];

/** What must be zero when nothing runs. */
export type Gauges = {
  readonly openHolds: number;
  readonly takenSlots: number;
  readonly upstreamExchanges: number;
  readonly watched: number;
};

/** The long-lived parts, shared by every generation of the engine. */
class Machinery {
  readonly ledger: OpenLedger | NodeLedger;
  readonly audit: AuditRounds<Tables> | undefined;
  readonly limits: RateLimits;
  readonly pressure: Pressure;
  readonly places: InFlightLimits;
  readonly upstream: UndiciUpstream;
  readonly pulse: Pulse;
  readonly seals: OpenSealMemory;
  readonly signers: Signers;
  readonly turns = new Turns();
  readonly paces = new Paces();
  readonly caches = new CacheHolders();
  readonly recent = new RecentRequests(() => this.config.explain, systemClock.nowMs);
  /** Told of every host that goes out of service or comes back. */
  onHealth: (change: Change) => void = () => {};
  readonly health = new RouteHealth(
    () => this.config.health,
    (change) => this.onHealth(change),
  );
  readonly hedges = new Hedges(() => this.config.hedging.maxPercent / 100);
  readonly retryBudget = new RetryBudgets(() => this.config.retries.budgetPercent / 100);
  readonly repeats: OpenRepeats;
  readonly usage: UsageKeeper;
  /** Absent without a database. */
  readonly backing: Backing | undefined;
  config: Config;

  constructor(config: Config, backing: Backing | undefined, ledger: OpenLedger | NodeLedger, log: Log) {
    this.config = config;
    this.backing = backing;
    this.ledger = ledger;
    this.audit = auditOf(backing, log);
    this.audit?.start();
    this.repeats = openRepeats(
      () => this.config.idempotency,
      systemClock.monotonicMs,
      backing?.store,
      (error) => log.warn('an answer could not be kept for its Idempotency-Key', { problem: String(error) }),
    );
    this.usage = new UsageKeeper({
      store: backing === undefined ? undefined : new UsageRows(backing.store),
      retention: () => this.config.usage,
      nowMs: systemClock.nowMs,
      log,
    });
    this.seals = openSealMemory(
      () => this.config.seals,
      systemClock.monotonicMs,
      backing?.store,
      (error) => log.warn('seals could not be remembered for other nodes', { problem: String(error) }),
    );
    this.pressure = new Pressure(() => this.config.overload);
    this.places = new InFlightLimits(() => this.config.limits, this.pressure, Math.random);
    this.limits = new RateLimits(this.places, () => this.config.rateLimits, systemClock.monotonicMs);
    const { timeouts, upstream } = config;
    this.upstream = new UndiciUpstream({
      connectionsPerOrigin: upstream.connectionsPerOrigin,
      connectMs: timeouts.connectMs,
      keepAliveMs: timeouts.keepAliveMs,
      ca: upstream.ca,
      ...(upstream.proxy !== undefined && { proxy: upstream.proxy }),
    });
    this.pulse = new Pulse(systemTimer, pulseEveryMs(config.timeouts));
    this.signers = new Signers({ upstream: this.upstream, clock: systemClock, pulse: this.pulse });
  }

  get gauges(): Gauges {
    return {
      openHolds: this.ledger.openHolds,
      takenSlots: this.limits.taken,
      upstreamExchanges: this.upstream.open,
      watched: this.pulse.watching,
    };
  }
}

async function openBacking({ database, redis }: Config, log: Log): Promise<Backing | undefined> {
  if (database === undefined) return undefined;
  return Backing.open({ database, ...(redis !== undefined && { redis }) }, systemClock, log);
}

/** Throws when the shipped catalogue and the operator's changes to it do not fit together. */
async function buildEngine(config: Config, machinery: Machinery, record: Recorder): Promise<Engine & PricesUntil> {
  const providers = providerSet(ownProviders(config));
  const { snapshot, problems } = await loadCatalogue({ knownProviders: providers.ids, overrides: config.catalogue });
  const first = problems[0];
  if (first !== undefined) throw new Error(`catalogue: ${first.file} ${first.path}: ${first.message}`);
  const { snapshot: priced, changesAtMs } = snapshotAt(snapshot, systemClock.nowMs());
  const priceFactorPpm = priceFactors(config.prices);
  const { ledger, limits, upstream, pulse, seals, turns, paces, caches, health, retryBudget, hedges, repeats } =
    machinery;
  const { timeouts } = config;
  const fixedKeys = new StaticKeys(config.keys, systemClock.nowMs);
  const namedAccounts = config.keys.map(({ account }) => account);
  await machinery.backing?.ensureAccounts(namedAccounts);
  if (ledger instanceof NodeLedger) await ledger.learn(namedAccounts);
  const fetcher = new GuardedFetcher(config.media.fetch, config.upstream.ca);
  return {
    accounts: machinery.backing?.keys.behind(fixedKeys) ?? fixedKeys,
    directory: buildDirectory({
      catalogue: priced,
      providers,
      hosts: config.providers,
      aliases: config.aliases,
      auto: config.auto.models,
      signerFor: machinery.signers.next(),
    }),
    turns,
    health,
    paces,
    caches,
    clock: systemClock,
    random: Math.random,
    digest,
    fetchesMedia: config.media.fetch.enabled,
    admission: { limits, ledger, clock: systemClock, record, priceFactorPpm },
    attempts: {
      upstream,
      health,
      firstTokens: hedges,
      clock: systemClock,
      pulse,
      seals,
      priceFactorPpm,
      results: fetcher,
      ...(config.media.fetch.enabled && { media: fetcher }),
      limits: {
        eventLength: config.limits.eventBytes,
        jsonDepth: config.limits.jsonDepth,
        answerLength: config.limits.answerBytes,
        waits: waitsOf(timeouts),
      },
      early: { holdMs: timeouts.holdMs, keepAliveMs: timeouts.keepAliveToCallerMs },
    },
    relaying: {
      clock: systemClock,
      pulse,
      keepAliveMs: timeouts.keepAliveToCallerMs,
      slowReaderMs: timeouts.slowReaderMs,
    },
    priceFactorPpm,
    retrying: { rules: config.retries, budget: retryBudget, hedging: hedges, random: Math.random, after: systemAfter },
    jsonDepth: config.limits.jsonDepth,
    sealing: sealingFor(config.seals.keys),
    reports: machinery.usage.reports,
    repeats,
    pricesChangeAtMs: changesAtMs,
    records: machinery.recent,
  };
}

/** When prices by day or hour make another engine; undefined where there are none. */
type PricesUntil = { readonly pricesChangeAtMs: number | undefined };

export class Gateway {
  readonly #machinery: Machinery;
  readonly #hosts: StoredHosts;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #record: Recorder;
  readonly #observing: Observing;
  readonly #data: Server;
  readonly #admin: Server;
  #engine: Engine & PricesUntil;
  #priceTimer: NodeJS.Timeout | undefined;
  #settings: DataPlaneSettings;
  #destinations: Destinations;
  #generation = 1;
  #changing: Promise<void> = Promise.resolve();
  #ready = true;
  #closing = false;
  #stopWatching: () => void = () => undefined;

  private constructor(
    machinery: Machinery,
    engine: Engine & PricesUntil,
    metrics: Metrics,
    record: Recorder,
    observing: Observing,
    { log, renderFigures }: GatewayPorts,
    hosts: StoredHosts,
    api: AdminApi | undefined,
  ) {
    this.#machinery = machinery;
    this.#hosts = hosts;
    this.#log = log;
    this.#metrics = metrics;
    this.#record = record;
    this.#observing = observing;
    this.#engine = engine;
    this.#settings = settingsOf(machinery.config);
    this.#destinations = destinationsOf(machinery.config);
    this.#data = createDataPlane({
      engine: () => this.#engine,
      settings: () => this.#settings,
      destinations: () => this.#destinations,
      nextId: requestIds(systemClock.nowMs),
      ready: () => this.ready,
      closing: () => this.#closing,
      onReply: observing.onReply,
    });
    this.#admin = createAdminPlane({
      ready: () => this.ready,
      ...(api !== undefined && { api: { mount: ADMIN_MOUNT, handle: api } }),
      metrics: {
        contentType: metrics.contentType,
        render:
          renderFigures ??
          (() => {
            observing.flush();
            return metrics.render();
          }),
      },
    });
  }

  static async start(fileConfig: Config, ports: GatewayPorts): Promise<Gateway> {
    const { log, onRecord, showFirstSecret } = ports;
    const backing = await openBacking(fileConfig, log);
    const hosts = new StoredHosts(fileConfig, backing, log);
    const config = await hosts.take(fileConfig);
    const machinery = new Machinery(config, backing, await openLedger(config, backing, log), log);
    log.setKnownSecrets(secretsOf(config));
    const metrics = createMetrics({
      protocols: PROTOCOLS,
      routes: ROUTES,
      providers: Object.keys(config.providers),
      gauges: {
        inFlight: () => machinery.limits.taken,
        openStreams: () => machinery.upstream.open,
        openHolds: () => machinery.ledger.openHolds,
        ...ledgerGauges(machinery.ledger, machinery.audit),
        configGeneration: () => gateway.#generation,
        out: () => machinery.health.out(systemClock.monotonicMs()),
        usageWaiting: () => machinery.usage.waiting,
        usageLost: () => machinery.usage.lost,
        shedShare: () => Math.min(1, machinery.pressure.shed),
      },
      refusals: () => machinery.places.refusals,
    });
    machinery.onHealth = healthTeller(log, metrics);
    const observing = observe(log, metrics);
    const tellOfRefusals = refusalNews(log, systemClock);
    const record: Recorder = (entry) => {
      observing.record(entry);
      machinery.usage.record(entry);
      machinery.recent.keep(entry);
      onRecord?.(entry);
    };
    const engine = await buildEngine(config, machinery, record);
    const api =
      backing === undefined
        ? undefined
        : await openAdminApi(backing, hosts, () => machinery.config, log, showFirstSecret);
    const gateway = new Gateway(machinery, engine, metrics, record, observing, ports, hosts, api);
    backing?.onCredentials(() => gateway.#refresh());
    await Promise.all([listen(gateway.#data, config.listen), listen(gateway.#admin, config.admin)]);
    gateway.#awaitPrices();
    gateway.#stopWatching = watchLoop((lagMs, heapShare, periodMs) => {
      machinery.pressure.observe(lagMs, heapShare, periodMs);
      tellOfRefusals(machinery.places.refusals);
    });
    log.info('listening', { url: gateway.url, adminUrl: gateway.adminUrl });
    return gateway;
  }

  get ready(): boolean {
    return this.#ready;
  }

  get gauges(): Gauges {
    return this.#machinery.gauges;
  }

  /** What this process has counted so far. */
  figures(): Promise<Figures> {
    this.#observing.flush();
    return this.#metrics.figures();
  }

  get url(): string {
    return urlOf(this.#data);
  }

  get adminUrl(): string {
    return urlOf(this.#admin);
  }

  /** Requests under way keep the engine they started with. Addresses and pools stay those of the start. */
  reload(fileConfig: Config): Promise<void> {
    return this.#inTurn(async () => this.#rebuild(await this.#hosts.take(fileConfig)));
  }

  /** The same file with credentials that have changed in the database. What cannot be read leaves all as it is. */
  #refresh(): void {
    const rebuilt = this.#inTurn(async () => {
      const config = await this.#hosts.changed();
      if (config !== undefined && !this.#closing) await this.#rebuild(config);
    });
    rebuilt.catch((error: unknown) => this.#log.error('stored credentials were not taken up', { error }));
  }

  /** One change at a time, in the order they came. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  async #rebuild(config: Config): Promise<void> {
    this.#engine = await buildEngine(config, this.#machinery, this.#record);
    this.#awaitPrices();
    this.#machinery.config = config;
    this.#settings = settingsOf(config);
    this.#destinations = destinationsOf(config);
    this.#metrics.allowProviders(Object.keys(config.providers));
    this.#log.setLevel(config.log.level);
    this.#log.setKnownSecrets(secretsOf(config));
    this.#generation++;
  }

  /** Prices of certain days and hours come and go with an engine of their own. */
  #awaitPrices(): void {
    clearTimeout(this.#priceTimer);
    const { pricesChangeAtMs } = this.#engine;
    if (pricesChangeAtMs === undefined) return;
    this.#priceTimer = setTimeout(
      () => {
        this.#inTurn(async () => {
          this.#engine = await buildEngine(this.#machinery.config, this.#machinery, this.#record);
        })
          .catch((error: unknown) => this.#log.error('prices could not be renewed', { error }))
          .finally(() => this.#awaitPrices());
      },
      Math.max(PRICES_RETRY_MS, pricesChangeAtMs - systemClock.nowMs()),
    ).unref();
  }

  /**
   * What runs may finish; whatever has not by then is told so in its own protocol, and cut. Where another process takes
   * over, the service as a whole stays ready.
   */
  async close(options: Partial<DrainOptions> = {}): Promise<void> {
    const { drainMs } = this.#machinery.config.timeouts;
    const plan = { noticeMs: 0, drainMs, handover: false, ...options };
    clearTimeout(this.#priceTimer);
    this.#ready = plan.handover;
    this.#closing = true;
    if (plan.handover) this.#admin.close();
    await drain(this.#data, plan, () => this.#machinery.pulse.stopAll(STOPPING));
    // Requests that were cut settle in the turn after their sockets closed.
    await new Promise((resolve) => setImmediate(resolve));
    this.#admin.close();
    this.#admin.closeAllConnections();
    this.#stopWatching();
    await this.#machinery.upstream.close();
    await Promise.all([
      this.#machinery.repeats.close(),
      this.#machinery.seals.close(),
      this.#machinery.usage.close(USAGE_CLOSE_MS),
    ]);
    this.#machinery.audit?.stop();
    await this.#machinery.ledger.close(LEDGER_CLOSE_MS);
    await this.#machinery.backing?.close();
    this.#observing.flush();
  }
}

/** A database that is down must not keep the process from ending. */
const USAGE_CLOSE_MS = 5000;

/** What the book could not be told by then is in the journal, and told by whoever starts next. */
const LEDGER_CLOSE_MS = 5000;

/** A timer may fire a little early, and a build may fail: neither makes a loop. */
const PRICES_RETRY_MS = 1000;

const STOPPING: Fault = { kind: 'overloaded', message: 'The gateway is restarting. Send the request again.' };
