/** The running gateway: everything built from configuration and catalogue is replaced as a whole; the rest stays. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Fault } from '@trivium/protocol/canonical';
import type { Config } from '../config/config.ts';
import { secretsOf } from '../config/known-secrets.ts';
import type { AdminApi } from '../control/api/admin-api.ts';
import { ADMIN_MOUNT } from '../control/api/routes.ts';
import { PAYMENTS_MOUNT } from '../control/money/payment-events.ts';
import { createAdminPlane, createMembersPlane } from '../http/admin-plane.ts';
import { createDataPlane } from '../http/data-plane.ts';
import type { DataPlanePorts, DataPlaneSettings, Destinations } from '../http/destination.ts';
import { type DrainOptions, drain } from '../http/drain.ts';
import { InProcessCalls } from '../http/in-process.ts';
import { Incoming } from '../http/incoming.ts';
import { listen, urlOf } from '../http/listening.ts';
import { consoleServer } from '../http/serve-console.ts';
import { delayUntil, systemClock } from '../kernel/clock.ts';
import type { Recorder } from '../kernel/record.ts';
import { RECORDED_PROTOCOLS } from '../kernel/recorded-protocol.ts';
import { requestIds } from '../kernel/request-ids.ts';
import { NodeLedger } from '../money/ledger/node-ledger.ts';
import type { LeaseSource } from '../money/limits/leases.ts';
import { withoutSecrets } from '../money/usage/event.ts';
import { healthTeller } from '../telemetry/health.ts';
import type { Figures } from '../telemetry/lasting-figures.ts';
import type { Log } from '../telemetry/log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { type Observing, observe } from '../telemetry/observe.ts';
import { refusalLog } from '../telemetry/refusal-log.ts';
import { type BuiltEngine, buildEngine } from './build-engine.ts';
import { destinationsOf, settingsOf } from './data-plane-settings.ts';
import { restoreFastStrings } from './fast-strings.ts';
import { captureGauges, limitGauges, loopGauges, sinkGauges, spanGauges } from './gauges.ts';
import { watchLoop } from './loop-watch.ts';
import { type GatewayInside, openAdminApi } from './open-admin-api.ts';
import { ledgerGauges, openLedger, refusalsWith } from './open-ledger.ts';
import { OpenNodes } from './open-nodes.ts';
import { OpenOperations } from './open-operations.ts';
import { announcing } from './open-webhooks.ts';
import { requireJournalFolder } from './require-startable.ts';
import { type Gauges, openBacking, Services } from './services.ts';
import { StoredHosts } from './stored-hosts.ts';
import { StoredPrices } from './stored-prices.ts';
import { StoredTags } from './stored-tags.ts';

export type { Gauges } from './services.ts';

export type GatewayPorts = {
  readonly log: Log;
  /** Shows the operator's secret, once, when the first start with a database has created it. */
  readonly showFirstSecret?: (secret: string) => void;
  /** Receives the records besides the log. */
  readonly onRecord?: Recorder;
  /** Replaces this process's own metrics if several processes serve one address. */
  readonly renderFigures?: () => Promise<string>;
  /** Lease server for the rate limits of several processes that serve one address; Redis takes precedence. */
  readonly slices?: LeaseSource;
};

const ROUTES = [
  'text-call',
  'embed-call',
  'image-call',
  'video-call',
  'video-poll',
  'list-models',
  'one-model',
  'count-tokens',
  'own-report',
  'dry-run',
  'one-request',
  'alive',
  'blob',
  'none',
];

export class Gateway {
  readonly #services: Services;
  readonly #hosts: StoredHosts;
  readonly #prices: StoredPrices;
  readonly #nodes: OpenNodes;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #record: Recorder;
  readonly #observing: Observing;
  readonly #data: Server;
  readonly #inProcess: InProcessCalls;
  readonly #admin: Server;
  /** For members of accounts, if it is configured. */
  readonly #members: Server | undefined;
  #engine: BuiltEngine;
  #priceTimer: NodeJS.Timeout | undefined;
  #settings: DataPlaneSettings;
  #destinations: Destinations;
  #changing: Promise<void> = Promise.resolve();
  #ready = true;
  #closing = false;
  #stopWatching: () => void = () => undefined;

  private constructor(
    services: Services,
    engine: BuiltEngine,
    metrics: Metrics,
    record: Recorder,
    observing: Observing,
    { log, renderFigures }: GatewayPorts,
    hosts: StoredHosts,
    prices: StoredPrices,
    nodes: OpenNodes,
    api: AdminApi | undefined,
  ) {
    this.#services = services;
    this.#hosts = hosts;
    this.#prices = prices;
    this.#nodes = nodes;
    this.#log = log;
    this.#metrics = metrics;
    this.#record = record;
    this.#observing = observing;
    this.#engine = engine;
    this.#settings = settingsOf(services.config);
    this.#destinations = destinationsOf(services.config);
    const ports: DataPlanePorts = {
      engine: () => this.#engine,
      blobs: services.blobs,
      connections: services.connections,
      settings: () => this.#settings,
      destinations: () => this.#destinations,
      nextId: requestIds(systemClock.nowMs),
      unready: () => this.unready,
      closing: () => this.#closing,
      onReply: observing.onReply,
      onRefused: (refused) => {
        services.usage.refused(refused);
        const observers = services.observers.filter((observer) => observer.refused !== undefined);
        if (observers.length === 0) return;
        const clean = withoutSecrets(refused, log.redact);
        for (const observer of observers) observer.refused?.(clean);
      },
    };
    this.#data = createDataPlane(ports);
    this.#inProcess = new InProcessCalls(ports);
    const followLink = (request: IncomingMessage, response: ServerResponse, path: string): boolean => {
      if (!path.startsWith(`${this.#settings.blobMount}/`)) return false;
      new Incoming(ports, request, response).serve();
      return true;
    };
    const serveConsole = consoleServer();
    const console = () => (services.config.admin.console ? serveConsole : undefined);
    this.#admin = createAdminPlane({
      bounds: services.config,
      connections: services.connections,
      unready: () => this.unready,
      ...(api !== undefined && {
        api: {
          mounts: [ADMIN_MOUNT, PAYMENTS_MOUNT],
          handle: (request, response) => api(request, response, 'operators'),
          console,
          followLink,
        },
      }),
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
    if (api !== undefined && services.config.admin.members !== undefined)
      this.#members = createMembersPlane(services.config, services.connections, {
        mounts: [ADMIN_MOUNT],
        handle: (request, response) => api(request, response, 'members'),
        console,
        followLink,
      });
  }

  static async start(fileConfig: Config, ports: GatewayPorts): Promise<Gateway> {
    const { log, onRecord, showFirstSecret, slices } = ports;
    restoreFastStrings();
    requireJournalFolder(fileConfig);
    const backing = await openBacking(fileConfig, log);
    const hosts = new StoredHosts(fileConfig, backing, log);
    const prices = new StoredPrices(fileConfig, backing, log);
    const config = await prices.over(await hosts.take(fileConfig));
    const services = new Services(config, backing, await openLedger(config, backing, log), log, slices);
    if (backing !== undefined)
      services.operations = await OpenOperations.open(
        () => services.config,
        backing,
        (blob, origin) => services.blobs.linkTo(blob, origin),
        log,
      );
    if (backing !== undefined) services.operations?.onOver(announcing(backing));
    services.tags = backing && (await StoredTags.open(backing, log));
    if (config.traces !== undefined) {
      const { openTraces } = await import('./open-traces.ts');
      services.traces = await openTraces(config.traces, log, systemClock.nowMs);
      services.observers.push(services.traces.queue);
    }
    if (config.clickhouse !== undefined && backing !== undefined) {
      const { OpenAnalytics } = await import('./open-analytics.ts');
      services.analytics = await OpenAnalytics.open(config, backing.store, log);
    }
    if (services.alerts !== undefined) services.observers.push({ finished: services.alerts.watch.record });
    log.setKnownSecrets(secretsOf(config));
    const metrics = createMetrics({
      protocols: RECORDED_PROTOCOLS,
      routes: ROUTES,
      providers: Object.keys(config.providers),
      gauges: {
        inFlight: () => services.limits.taken,
        openStreams: () => services.upstream.open,
        openHolds: () => services.ledger.openHolds,
        ...ledgerGauges(services.ledger, services.audit),
        configGeneration: () => gateway.#nodes.generation,
        out: () => services.health.out(systemClock.monotonicMs()),
        usageWaiting: () => services.usage.waiting,
        usageJournalBytes: () => services.usage.journalBytes,
        usageLost: () => services.usage.lost,
        memory: { held: () => services.memory.held, limit: () => services.memory.limit },
        shedShare: () => Math.min(1, services.pressure.shed),
        ...loopGauges(services),
        ...limitGauges(services.counting),
        ...spanGauges(services.traces),
        ...sinkGauges(services.analytics),
        ...captureGauges(services.captured),
      },
      refusals: () => refusalsWith(services.places.refusals, services.ledger),
      cuts: () => services.connections.cuts,
    });
    const logHealth = healthTeller(log, metrics);
    services.onHealth = (change) => {
      logHealth(change);
      services.alerts?.watch.health(change);
    };
    const observing = observe(log, metrics);
    const tellOfRefusals = refusalLog(log, systemClock);
    const record: Recorder = (entry) => {
      observing.record(entry);
      services.usage.record(entry);
      for (const observer of services.observers) observer.finished(entry);
      onRecord?.(entry);
    };
    const engine = await buildEngine(config, services, record);
    const nodes = new OpenNodes(services, hosts, () => gateway.unready, log);
    const inner: GatewayInside = {
      engine: () => gateway.#engine,
      calls: () => gateway.#inProcess,
      url: () => gateway.url,
      nodes,
    };
    const api = await openAdminApi(backing, hosts, prices, services, inner, log, showFirstSecret);
    metrics.allow(Object.keys(config.providers), engine.directory.modelIds);
    const gateway = new Gateway(services, engine, metrics, record, observing, ports, hosts, prices, nodes, api);
    backing?.onStored(() => gateway.#refresh());
    if (backing !== undefined) await services.captured?.start(backing);
    await gateway.#listen(config);
    nodes.start({ data: gateway.url, admin: gateway.adminUrl, members: gateway.membersUrl ?? null });
    gateway.#awaitPrices();
    await services.operations?.start(() => gateway.#engine, services, record, log);
    gateway.#stopWatching = watchLoop((lagMs, memory, periodMs) => {
      services.pressure.observe(lagMs, memory, periodMs);
      nodes.loopDelayMs = lagMs;
      tellOfRefusals(refusalsWith(services.places.refusals, services.ledger));
    });
    log.info('listening', { url: gateway.url, adminUrl: gateway.adminUrl });
    return gateway;
  }

  /** If it fails nothing is left open, so that the process can end. */
  async #listen({ listen: data, admin }: Config): Promise<void> {
    try {
      await Promise.all([
        listen(this.#data, data),
        listen(this.#admin, admin),
        this.#members && admin.members && listen(this.#members, admin.members),
      ]);
    } catch (error) {
      this.#data.close();
      this.#admin.close();
      this.#members?.close();
      await this.#services.close();
      throw error;
    }
  }

  /** Why `/readyz` answers 503; undefined while it answers 200. */
  get unready(): string | undefined {
    if (!this.#ready) return 'the gateway is stopping';
    const { ledger, config } = this.#services;
    const missing = ledger instanceof NodeLedger ? ledger.missing : undefined;
    if (missing === 'journal') return 'the journal of the ledger cannot be written; is its disk full?';
    if (missing === 'database' && config.readiness.database)
      return 'the database does not answer, and no account is known that is served without it';
    return undefined;
  }

  get gauges(): Gauges {
    return this.#services.gauges;
  }

  /** The metrics of this process. */
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

  /** Undefined if no listener for members is configured. */
  get membersUrl(): string | undefined {
    return this.#members && urlOf(this.#members);
  }

  /** Running requests keep the engine they started with. Addresses and pools stay those of the start. */
  reload(fileConfig: Config): Promise<void> {
    return this.#inTurn(async () => this.#rebuild(await this.#prices.over(await this.#hosts.take(fileConfig))));
  }

  /** The same file with the changes in the database. If the database cannot be read, everything stays as it is. */
  #refresh(): void {
    const rebuilt = this.#inTurn(async () => {
      const changed = await this.#hosts.changed();
      const isNew = (await this.#prices.isChanged()) || changed !== undefined;
      if (isNew && !this.#closing) await this.#rebuild(await this.#prices.over(changed ?? this.#hosts.current));
    });
    rebuilt.catch((error: unknown) => this.#log.error('reload from the database failed', { error }));
  }

  /** One change at a time, in order. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  async #rebuild(config: Config): Promise<void> {
    this.#engine = await buildEngine(config, this.#services, this.#record);
    this.#awaitPrices();
    this.#services.use(config);
    this.#settings = settingsOf(config);
    this.#destinations = destinationsOf(config);
    this.#metrics.allow(Object.keys(config.providers), this.#engine.directory.modelIds);
    this.#log.setLevel(config.log.level);
    this.#log.setKnownSecrets(secretsOf(config));
    this.#nodes.changed();
  }

  /** Prices of certain days and hours start and end with a new engine. */
  #awaitPrices(): void {
    clearTimeout(this.#priceTimer);
    const { pricesChangeAtMs } = this.#engine;
    if (pricesChangeAtMs === undefined) return;
    this.#priceTimer = setTimeout(
      () => {
        this.#inTurn(async () => {
          this.#engine = await buildEngine(this.#services.config, this.#services, this.#record);
        })
          .catch((error: unknown) => this.#log.error('price refresh failed', { error }))
          .finally(() => this.#awaitPrices());
      },
      delayUntil(pricesChangeAtMs, systemClock.nowMs(), PRICES_RETRY_MS),
    ).unref();
  }

  /**
   * Graceful shutdown: running requests may finish; those that have not by the deadline get an error in their own
   * protocol, and are cut. During a handover to another process the service stays ready.
   */
  async close(options: Partial<DrainOptions> = {}): Promise<void> {
    const { drainMs } = this.#services.config.timeouts;
    const plan = { noticeMs: 0, drainMs, handover: false, ...options };
    clearTimeout(this.#priceTimer);
    this.#ready = plan.handover;
    this.#closing = true;
    const inner = [this.#admin, this.#members].filter((server) => server !== undefined);
    if (plan.handover) for (const server of inner) server.close();
    await drain(this.#data, plan, () => this.#services.timeouts.stopAll(STOPPING));
    // Requests that were cut settle in the turn after their sockets closed.
    await new Promise((resolve) => setImmediate(resolve));
    for (const server of inner) {
      server.close();
      server.closeAllConnections();
    }
    this.#stopWatching();
    await this.#nodes.close();
    await this.#services.close();
    this.#observing.flush();
  }
}

/** A timer may fire a little early, and a build may fail: neither may cause a busy loop. */
const PRICES_RETRY_MS = 1000;

const STOPPING: Fault = { kind: 'overloaded', message: 'The gateway is restarting. Send the request again.' };
