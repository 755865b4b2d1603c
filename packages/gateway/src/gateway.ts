/** The running gateway: what may change is built from config and catalogue and swapped whole; the rest stays. */
import type { Server } from 'node:http';
import { type Fault, PROTOCOL_NAMES } from '@trivium/protocol/canonical';
import type { AdminApi } from './admin/admin-api.ts';
import { PAYMENTS_MOUNT } from './admin/payment-events.ts';
import { ADMIN_MOUNT } from './admin/routes.ts';
import { buildEngine, type PricesUntil } from './build-engine.ts';
import type { Config } from './config/config.ts';
import { secretsOf } from './config/known-secrets.ts';
import { destinationsOf, settingsOf } from './data-plane-settings.ts';
import type { Engine } from './engine/handle.ts';
import type { Recorder } from './engine/settle.ts';
import { createAdminPlane } from './http/admin-plane.ts';
import { createDataPlane } from './http/data-plane.ts';
import type { DataPlaneSettings } from './http/data-plane-ports.ts';
import type { Destinations } from './http/destination.ts';
import { type DrainOptions, drain } from './http/drain.ts';
import { listen, urlOf } from './http/listening.ts';
import { NodeLedger } from './ledger/node-ledger.ts';
import type { SliceSource } from './limits/slices.ts';
import { type Gauges, Machinery, openBacking } from './machinery.ts';
import { openAdminApi } from './open-admin-api.ts';
import { ledgerGauges, openLedger } from './open-ledger.ts';
import type { OpenLimits } from './open-limits.ts';
import { OpenOperations } from './open-operations.ts';
import { announcing } from './open-webhooks.ts';
import { systemClock } from './runtime/clock.ts';
import { restoreFastStrings } from './runtime/fast-strings.ts';
import { watchLoop } from './runtime/loop-watch.ts';
import { requestIds } from './runtime/request-ids.ts';
import { StoredHosts } from './stored-hosts.ts';
import { StoredPrices } from './stored-prices.ts';
import type { Figures } from './telemetry/figures.ts';
import { healthTeller } from './telemetry/health.ts';
import type { Log } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { type Observing, observe } from './telemetry/observe.ts';
import { refusalNews } from './telemetry/refusal-news.ts';

export type { Gauges } from './machinery.ts';

export type GatewayPorts = {
  readonly log: Log;
  /** Shows the operator's secret, once, when the first start with a database has made it. */
  readonly showFirstSecret?: (secret: string) => void;
  /** For whoever wants the records too, beside the log. */
  readonly onRecord?: Recorder;
  /** Takes the place of this process's own figures where several serve one address. */
  readonly renderFigures?: () => Promise<string>;
  /** Owns the limits of several processes that serve one address; Redis goes before it. */
  readonly slices?: SliceSource;
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
  readonly #machinery: Machinery;
  readonly #hosts: StoredHosts;
  readonly #prices: StoredPrices;
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
    prices: StoredPrices,
    api: AdminApi | undefined,
  ) {
    this.#machinery = machinery;
    this.#hosts = hosts;
    this.#prices = prices;
    this.#log = log;
    this.#metrics = metrics;
    this.#record = record;
    this.#observing = observing;
    this.#engine = engine;
    this.#settings = settingsOf(machinery.config);
    this.#destinations = destinationsOf(machinery.config);
    this.#data = createDataPlane({
      engine: () => this.#engine,
      blobs: machinery.blobs,
      settings: () => this.#settings,
      destinations: () => this.#destinations,
      nextId: requestIds(systemClock.nowMs),
      unready: () => this.unready,
      closing: () => this.#closing,
      onReply: observing.onReply,
    });
    this.#admin = createAdminPlane({
      bounds: machinery.config,
      unready: () => this.unready,
      ...(api !== undefined && { api: { mounts: [ADMIN_MOUNT, PAYMENTS_MOUNT], handle: api } }),
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
    const { log, onRecord, showFirstSecret, slices } = ports;
    restoreFastStrings();
    const backing = await openBacking(fileConfig, log);
    const hosts = new StoredHosts(fileConfig, backing, log);
    const prices = new StoredPrices(fileConfig, backing, log);
    const config = await prices.over(await hosts.take(fileConfig));
    const machinery = new Machinery(config, backing, await openLedger(config, backing, log), log, slices);
    if (backing !== undefined)
      machinery.operations = await OpenOperations.open(
        () => machinery.config,
        backing,
        (blob, origin) => machinery.blobs.linkTo(blob, origin),
        log,
      );
    if (backing !== undefined) machinery.operations?.onOver(announcing(backing));
    log.setKnownSecrets(secretsOf(config));
    const metrics = createMetrics({
      protocols: PROTOCOL_NAMES,
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
        usageJournalBytes: () => machinery.usage.journalBytes,
        usageLost: () => machinery.usage.lost,
        ...limitGauges(machinery.counting),
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
      backing === undefined ? undefined : await openAdminApi(backing, hosts, prices, machinery, log, showFirstSecret);
    const gateway = new Gateway(machinery, engine, metrics, record, observing, ports, hosts, prices, api);
    backing?.onStored(() => gateway.#refresh());
    await gateway.#listen(config);
    gateway.#awaitPrices();
    await machinery.operations?.start(() => gateway.#engine, machinery, record, log);
    gateway.#stopWatching = watchLoop((lagMs, memory, periodMs) => {
      machinery.pressure.observe(lagMs, memory, periodMs);
      tellOfRefusals(machinery.places.refusals);
    });
    log.info('listening', { url: gateway.url, adminUrl: gateway.adminUrl });
    return gateway;
  }

  /** Where it fails nothing is left open, so that the process can end. */
  async #listen({ listen: data, admin }: Config): Promise<void> {
    try {
      await Promise.all([listen(this.#data, data), listen(this.#admin, admin)]);
    } catch (error) {
      this.#data.close();
      this.#admin.close();
      await this.#machinery.close();
      throw error;
    }
  }

  /** Why `/readyz` says 503; undefined while it says 200. */
  get unready(): string | undefined {
    if (!this.#ready) return 'the gateway is stopping';
    const { ledger, config } = this.#machinery;
    const missing = ledger instanceof NodeLedger ? ledger.missing : undefined;
    if (missing === 'journal') return 'the journal of the ledger cannot be written; is its disk full?';
    if (missing === 'database' && config.readiness.database)
      return 'the database does not answer, and no account is known that is served without it';
    return undefined;
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
    return this.#inTurn(async () => this.#rebuild(await this.#prices.over(await this.#hosts.take(fileConfig))));
  }

  /** The same file with what has changed in the database. What cannot be read leaves all as it is. */
  #refresh(): void {
    const rebuilt = this.#inTurn(async () => {
      const changed = await this.#hosts.changed();
      const isNew = (await this.#prices.isChanged()) || changed !== undefined;
      if (isNew && !this.#closing) await this.#rebuild(await this.#prices.over(changed ?? this.#hosts.current));
    });
    rebuilt.catch((error: unknown) => this.#log.error('what is stored was not taken up', { error }));
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
    await this.#machinery.close();
    this.#observing.flush();
  }
}

const limitGauges = ({ shared }: OpenLimits) =>
  shared && { limits: { apart: () => Number(!shared.isShared), waits: () => shared.waits } };

/** A timer may fire a little early, and a build may fail: neither makes a loop. */
const PRICES_RETRY_MS = 1000;

const STOPPING: Fault = { kind: 'overloaded', message: 'The gateway is restarting. Send the request again.' };
