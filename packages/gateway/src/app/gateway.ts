/** The running gateway: everything built from configuration and catalogue is replaced as a whole; the rest stays. */
import type { Server } from 'node:http';
import type { Fault } from '@trivium/protocol/canonical';
import type { Config } from '../config/config.ts';
import { secretsOf } from '../config/known-secrets.ts';
import { type DrainOptions, drain } from '../http/drain.ts';
import { listen, urlOf } from '../http/listening.ts';
import type { Sockets } from '../http/sockets/sockets.ts';
import { delayUntil, systemClock } from '../kernel/clock.ts';
import type { Recorder } from '../kernel/record.ts';
import type { LeaseSource } from '../money/limits/leases.ts';
import { healthTeller } from '../telemetry/health.ts';
import type { Figures } from '../telemetry/lasting-figures.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Observing, observe } from '../telemetry/observe.ts';
import { refusalLog } from '../telemetry/refusal-log.ts';
import { buildEngine } from './build-engine.ts';
import { type OpenSecrets, readProviderSecrets } from './credentials/open-secrets.ts';
import { restoreFastStrings } from './fast-strings.ts';
import { openMetrics } from './gauges.ts';
import { watchLoop } from './loop-watch.ts';
import { openAdminApi } from './open-admin-api.ts';
import { refusalsWith } from './open-ledger.ts';
import { OpenNodes } from './open-nodes.ts';
import { openAdminPlanes, openDataPlane, type Phase, Serving, unreadyReason } from './open-planes.ts';
import { openPrograms, openSignIn } from './open-sign-in.ts';
import { requireJournalFolder } from './require-startable.ts';
import { type Gauges, Services } from './services.ts';

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
  /** With which the configuration was read; the gateway closes it. Without it, the gateway opens its own. */
  readonly secrets?: OpenSecrets;
};

type GatewayParts = {
  readonly services: Services;
  readonly serving: Serving;
  readonly phase: Phase;
  readonly sockets: Sockets;
  readonly nodes: OpenNodes;
  readonly metrics: Metrics;
  readonly observing: Observing;
  readonly record: Recorder;
  readonly servers: { readonly data: Server; readonly admin: Server; readonly members?: Server };
  readonly log: Log;
};

export class Gateway {
  readonly #parts: GatewayParts;
  #priceTimer: NodeJS.Timeout | undefined;
  #changing: Promise<void> = Promise.resolve();
  #stopWatching: () => void = () => undefined;

  private constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  static async start(fileConfig: Config, ports: GatewayPorts): Promise<Gateway> {
    const { log, onRecord, showFirstSecret, slices, renderFigures, secrets } = ports;
    restoreFastStrings();
    requireJournalFolder(fileConfig);
    const services = await Services.open(fileConfig, log, slices, secrets);
    const { config } = services;
    const tellLog = (): void => log.setKnownSecrets([...secretsOf(services.config), ...services.secrets.book.values]);
    tellLog();
    services.secrets.book.onValue = tellLog;
    const phase: Phase = { isReady: true, isClosing: false };
    const nodes = new OpenNodes(services, () => unreadyReason(phase, services), log);
    const metrics = openMetrics(services, () => serving.engine, nodes);
    services.onHealth(healthTeller(log, metrics));
    const observing = observe(log, metrics, () => services.config.log.requests);
    const record: Recorder = (entry) => {
      observing.record(entry);
      services.usage.record(entry);
      if (entry.decidedBy?.canary?.sentTo !== undefined) services.policies.canaries.finished(entry);
      for (const observer of services.observers) observer.finished(entry);
      onRecord?.(entry);
    };
    const serving = new Serving(config, await buildEngine(config, services, record));
    metrics.allow(Object.keys(config.providers), serving.engine.directory.modelIds);
    const signIn = openSignIn(() => services.config, services.upstream, services.backing?.store, log);
    const programs = openPrograms(services, signIn, log);
    const {
      server: data,
      sockets,
      inProcess,
      followLink,
    } = openDataPlane(services, serving, phase, observing, programs, log);
    const inside = { engine: () => serving.engine, calls: inProcess, url: () => urlOf(data), nodes, signIn };
    const api = await openAdminApi(services, inside, log, showFirstSecret);
    const render = async (): Promise<string> => {
      observing.flush();
      return metrics.render();
    };
    const { contentType } = metrics;
    const shown = { contentType, render: renderFigures ?? render };
    const servers = { data, ...openAdminPlanes(services, phase, api, followLink, shown) };
    const gateway = new Gateway({ services, sockets, serving, phase, nodes, metrics, observing, record, servers, log });
    await gateway.#begin(config);
    return gateway;
  }

  async #begin(config: Config): Promise<void> {
    const { services, serving, nodes, metrics, record, log } = this.#parts;
    services.backing?.onStored(() => this.#refresh());
    if (services.backing !== undefined) await services.captured?.start(services.backing);
    await this.#listen(config);
    nodes.start({ data: this.url, admin: this.adminUrl, members: this.membersUrl ?? null });
    this.#awaitPrices();
    await services.background?.start(() => serving.engine, record);
    await services.operations?.start(() => serving.engine, services, record, log);
    const tellOfRefusals = refusalLog(log, systemClock);
    this.#stopWatching = watchLoop(services.places, {
      onSample: metrics.loopDelay,
      onPeriod: (lagMs, memory, periodMs) => {
        services.pressure.observe(lagMs, memory, periodMs);
        nodes.loopDelayMs = lagMs;
        tellOfRefusals(refusalsWith(services.places.refusals, services.ledger));
      },
    });
    log.info('listening', { url: this.url, adminUrl: this.adminUrl });
  }

  /** If it fails nothing is left open, so that the process can end. */
  async #listen(config: Config): Promise<void> {
    const { data, admin, members } = this.#parts.servers;
    try {
      await Promise.all([
        listen(data, config.listen),
        listen(admin, config.admin),
        members && config.admin.members && listen(members, config.admin.members),
      ]);
    } catch (error) {
      data.close();
      admin.close();
      members?.close();
      await this.#parts.services.close();
      throw error;
    }
  }

  /** Why `/readyz` answers 503; undefined while it answers 200. */
  get unready(): string | undefined {
    return unreadyReason(this.#parts.phase, this.#parts.services);
  }

  get gauges(): Gauges {
    return this.#parts.services.gauges;
  }

  /** The metrics of this process. */
  figures(): Promise<Figures> {
    this.#parts.observing.flush();
    return this.#parts.metrics.figures();
  }

  get url(): string {
    return urlOf(this.#parts.servers.data);
  }

  get adminUrl(): string {
    return urlOf(this.#parts.servers.admin);
  }

  /** For reading the configuration again. */
  get secrets(): OpenSecrets {
    return this.#parts.services.secrets;
  }

  /** Undefined if no listener for members is configured. */
  get membersUrl(): string | undefined {
    const { members } = this.#parts.servers;
    return members && urlOf(members);
  }

  /** Running requests keep the engine they started with. Addresses and pools stay those of the start. */
  reload(fileConfig: Config): Promise<void> {
    const { hosts, stored, policies, secrets } = this.#parts.services;
    return this.#inTurn(async () => {
      await readProviderSecrets(secrets, fileConfig);
      await this.#rebuild(await policies.over(await stored.over(await hosts.take(fileConfig))));
    });
  }

  /** The same file with the changes in the database. If the database cannot be read, everything stays as it is. */
  #refresh(): void {
    const { services, serving, phase, log } = this.#parts;
    const { hosts, stored, policies } = services;
    const rebuilt = this.#inTurn(async () => {
      const changed = await hosts.changed();
      const isNew = (await stored.isChanged()) || changed !== undefined;
      if (phase.isClosing) return;
      if (isNew) await this.#rebuild(await policies.over(await stored.over(changed ?? hosts.current)));
      // Policies need no other directory: they apply in a fraction of the time.
      else if (await policies.renew()) serving.engine = { ...serving.engine, policies: policies.inForce };
    });
    rebuilt.catch((error: unknown) => log.error('reload from the database failed', { error }));
  }

  /** One change at a time, in order. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  async #rebuild(config: Config): Promise<void> {
    const { services, serving, metrics, nodes, record, log } = this.#parts;
    serving.use(config, await buildEngine(config, services, record));
    this.#awaitPrices();
    services.use(config);
    metrics.allow(Object.keys(config.providers), serving.engine.directory.modelIds);
    log.setLevel(config.log.level);
    log.setKnownSecrets([...secretsOf(config), ...services.secrets.book.values]);
    nodes.changed();
  }

  /** Prices of certain days and hours start and end with a new engine. */
  #awaitPrices(): void {
    const { services, serving, record, log } = this.#parts;
    clearTimeout(this.#priceTimer);
    const { pricesChangeAtMs } = serving.engine;
    if (pricesChangeAtMs === undefined) return;
    this.#priceTimer = setTimeout(
      () => {
        this.#inTurn(async () => {
          serving.engine = await buildEngine(services.config, services, record);
        })
          .catch((error: unknown) => log.error('price refresh failed', { error }))
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
    const { services, servers, sockets, phase, nodes, observing } = this.#parts;
    const plan = { noticeMs: 0, drainMs: services.config.timeouts.drainMs, handover: false, ...options };
    clearTimeout(this.#priceTimer);
    phase.isReady = plan.handover;
    phase.isClosing = true;
    const inner = [servers.admin, servers.members].filter((server) => server !== undefined);
    if (plan.handover) for (const server of inner) server.close();
    const halted = services.background?.stop(plan.drainMs);
    await drain(servers.data, plan, () => services.timeouts.stopAll(STOPPING), sockets);
    await halted;
    // Requests that were cut settle in the turn after their sockets closed.
    await new Promise((resolve) => setImmediate(resolve));
    for (const server of inner) {
      server.close();
      server.closeAllConnections();
    }
    this.#stopWatching();
    await nodes.close();
    await services.close();
    observing.flush();
  }
}

/** A timer may fire a little early, and a build may fail: neither may cause a busy loop. */
const PRICES_RETRY_MS = 1000;

const STOPPING: Fault = { kind: 'overloaded', message: 'The gateway is restarting. Send the request again.' };
