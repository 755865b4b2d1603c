/**
 * This process among the nodes: what it reports of itself, and what it reads of the others; part of the composition
 * root.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { compareSettings } from '../config/compare-settings.ts';
import type { Config } from '../config/config.ts';
import type { ConfigOrigin, Setting } from '../config/settings.ts';
import type { ConfigurationDiff, ShownNode, ShownSetting } from '../control/nodes/contract.ts';
import type { NodesPort } from '../control/nodes/ports.ts';
import { listNodes, removeNode, renewNode, settingsOfNode } from '../control/nodes/rows.ts';
import { systemClock } from '../kernel/clock.ts';
import { requestIds } from '../kernel/request-ids.ts';
import { nameNode } from '../money/journal/lives.ts';
import { NodeLedger } from '../money/ledger/node-ledger.ts';
import type { Store } from '../store/postgres/store.ts';
import type { Log } from '../telemetry/log.ts';
import { hashOfSettings, settingsOfProcess, shownChange, shownSetting } from './configuration-views.ts';
import type { Services } from './services.ts';

const RENEW_MS = 10_000;
/** Larger configurations are not shown by other nodes. */
const MAX_PUBLISHED_BYTES = 262_144;

type Listeners = ShownNode['listeners'];

type Report = Omit<ShownNode, 'id' | 'self' | 'seenAt'>;
type InForce = {
  readonly settings: readonly Setting[];
  readonly shown: readonly ShownSetting[];
  readonly hash: string;
};

const ownVersion = (): string => {
  const own: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof own === 'object' && own !== null && 'version' in own ? String(own.version) : 'unknown';
};

export class OpenNodes implements NodesPort {
  readonly id: string;
  /** Generation of the configuration: 1 at the start. */
  generation = 1;
  /** The last sample. */
  loopDelayMs = 0;
  readonly #services: Services;
  readonly #store: Store | undefined;
  readonly #started: Config;
  readonly #unready: () => string | undefined;
  readonly #log: Log;
  readonly #startedAt = new Date();
  readonly #version = ownVersion();
  #listeners: Listeners = { data: '', admin: '', members: null };
  #inForce: InForce | undefined;
  #loadedAt = this.#startedAt;
  #publishedHash = '';
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #isKnown = false;
  #isClosed = false;

  constructor(services: Services, unready: () => string | undefined, log: Log) {
    const { ledger, backing, config } = services;
    this.id = ledger instanceof NodeLedger ? ledger.node : nameNode(requestIds(systemClock.nowMs));
    this.#services = services;
    this.#store = backing?.store;
    this.#started = config;
    this.#unready = unready;
    this.#log = log;
  }

  /** Called once the gateway listens. */
  start(listeners: Listeners): void {
    this.#listeners = listeners;
    if (this.#store !== undefined) this.#renewNow(this.#store);
  }

  /** Another configuration is in force. */
  changed(): void {
    this.generation++;
    this.#inForce = undefined;
    this.#loadedAt = new Date();
    if (this.#timer !== undefined && this.#store !== undefined) this.#renewNow(this.#store);
  }

  readonly list = async (): Promise<readonly ShownNode[]> => {
    const seenAt = new Date().toISOString();
    const self: ShownNode = { id: this.id, self: true, seenAt, ...this.#report() };
    if (this.#store === undefined) return [self];
    const others = (await listNodes<Report>(this.#store)).filter(({ id }) => id !== this.id);
    return [
      self,
      ...others.map(({ id, seen_at, report }) => ({ id, self: false, seenAt: seen_at.toISOString(), ...report })),
    ].sort((a, b) => (a.id < b.id ? -1 : 1));
  };

  readonly configuration: NodesPort['configuration'] = async (node) => {
    const { shown, hash } = this.#now();
    if (node === undefined || node === this.id) return { node: this.id, hash, items: shown };
    const items = await this.#publishedBy(node);
    return items && { node, hash: hashOfSettings(items), items };
  };

  readonly diff = async (node = this.id, against?: string): Promise<ConfigurationDiff | undefined> => {
    const from = await this.#settingsOf(node);
    const other = against === undefined ? this.#inFile() : { settings: await this.#settingsOf(against) };
    if (from === undefined) return undefined;
    const base = { node, against: against ?? null };
    if ('problems' in other) return { ...base, needsRestart: false, problems: [...other.problems], items: [] };
    if (other.settings === undefined) return undefined;
    const items = compareSettings(from, other.settings).map((change) => shownChange(change, this.#log.redact));
    return { ...base, needsRestart: items.some(({ needsRestart }) => needsRestart), problems: [], items };
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    // Does not wait for an unreachable database: the row expires.
    if (this.#isKnown && this.#store !== undefined) await removeNode(this.#store, this.id).catch(() => undefined);
  }

  #now(): InForce {
    if (this.#inForce !== undefined) return this.#inForce;
    const settings = settingsOfProcess(this.#started, this.#services.config, this.#services.hosts.fromDatabase);
    const shown = settings.map((setting) => shownSetting(setting, this.#log.redact));
    this.#inForce = { settings, shown, hash: hashOfSettings(shown) };
    return this.#inForce;
  }

  #report(): Report {
    const { gauges, ledger, usage, counting } = this.#services;
    const { hash } = this.#now();
    return {
      hostname: hostname(),
      pid: process.pid,
      version: this.#version,
      startedAt: this.#startedAt.toISOString(),
      unready: this.#unready() ?? null,
      generation: this.generation,
      listeners: this.#listeners,
      configHash: hash,
      configLoadedAt: this.#loadedAt.toISOString(),
      inFlight: gauges.takenSlots,
      upstreamExchanges: gauges.upstreamExchanges,
      openHolds: gauges.openHolds,
      unpostedSettlements: ledger instanceof NodeLedger ? ledger.unpostedSettlements : 0,
      usageWaiting: usage.waiting,
      loopDelayMs: Math.round(this.loopDelayMs * 10) / 10,
      residentBytes: process.memoryUsage.rss(),
      limitsShared: counting.shared?.isShared ?? null,
    };
  }

  #renewNow(store: Store): void {
    clearTimeout(this.#timer);
    this.#renewing = this.#renewing.then(() => this.#renew(store));
    this.#timer = setTimeout(() => this.#renewNow(store), RENEW_MS).unref();
  }

  async #renew(store: Store): Promise<void> {
    if (this.#isClosed) return;
    const { shown, hash } = this.#now();
    const settings = hash === this.#publishedHash ? undefined : published(shown);
    try {
      await renewNode(store, this.id, this.#report(), settings);
      this.#publishedHash = hash;
      this.#isKnown = true;
    } catch (error) {
      // The row may have expired meanwhile, with its settings.
      this.#publishedHash = '';
      if (this.#isKnown) this.#log.warn('node not reported to the others', { problem: String(error) });
      this.#isKnown = false;
    }
  }

  async #publishedBy(node: string): Promise<readonly ShownSetting[] | undefined> {
    const text = this.#store && (await settingsOfNode(this.#store, node));
    return typeof text === 'string' ? (JSON.parse(text) as readonly ShownSetting[]) : undefined;
  }

  async #settingsOf(node: string): Promise<readonly Setting[] | undefined> {
    if (node === this.id) return this.#now().settings;
    const items = await this.#publishedBy(node);
    return items?.map(({ place, ...setting }) => ({ ...setting, ...(place !== null && { place }) }));
  }

  /** What this process would use if it were started now. */
  #inFile(): ReturnType<NonNullable<ConfigOrigin['reread']>> {
    const { reread } = this.#services.config.origin;
    const read = reread?.() ?? {
      problems: [{ place: 'configuration', path: '', message: 'was not read from a file' }],
    };
    if ('problems' in read) return read;
    // Stored values apply wherever the file has none.
    const stored = this.#now().settings.filter(({ source }) => source === 'database');
    const given = new Set(read.settings.map(({ path }) => path));
    return { settings: [...read.settings, ...stored.filter(({ path }) => !given.has(path))] };
  }
}

const published = (settings: readonly ShownSetting[]): string | null => {
  const text = JSON.stringify(settings);
  return Buffer.byteLength(text) > MAX_PUBLISHED_BYTES ? null : text;
};
