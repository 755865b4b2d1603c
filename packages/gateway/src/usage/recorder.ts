/** Usage from the recorder by way of the journal to the store, and back to whoever may read it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '@trivium/protocol/canonical';
import type { RefusedRequest, RequestRecord, RequestRecords } from '../kernel/record.ts';
import { recordedProtocol } from '../kernel/recorded-protocol.ts';
import type { Planned } from '../request/request.ts';
import type { Log } from '../telemetry/log.ts';
import { Backlog, type BacklogPorts } from './backlog.ts';
import { eventIn, keptOf } from './encoded-event.ts';
import { redactedTags, refusalEventOf, type UsageEvent, usageEventOf, withoutSecrets } from './event.ts';
import { explainedOf } from './explained.ts';
import { UsageQueue, type UsageSink } from './queue.ts';
import { RecentReader } from './recent-reader.ts';
import { type RecentBounds, RecentRecords } from './recent-records.ts';
import { RecordFeed } from './record-feed.ts';
import type { RecordReader } from './record-query.ts';
import { RecordReports } from './record-reports.ts';
import { RefusalSampler } from './refusal-sampler.ts';
import { type ReportedBalance, type UsageReader, UsageReports } from './reports.ts';
import { forgetOldUsage, type RetentionSettings } from './retention.ts';

export type UsageStore = UsageSink &
  UsageReader & {
    forgetSome(eventsFrom: string, sumsFrom: string): Promise<boolean>;
    keepPrices(versions: readonly PriceVersion[]): Promise<void>;
    /** Lets some rows say what the ledger has charged, where they may not; false when there is none to look at now. */
    matchSome(): Promise<boolean>;
  };

/** The rows as JSON, under the name that bills give them. */
export type PriceVersion = { readonly version: string; readonly rows: string };

export type UsageStorage = {
  readonly store: UsageStore;
  readonly records: RecordReader;
  readonly journal: Pick<BacklogPorts, 'folder' | 'epoch' | 'isOver'>;
};

export type RecorderOptions = {
  /** Without it only the latest requests of this process are known. */
  readonly stored: UsageStorage | undefined;
  readonly recent: () => RecentBounds;
  readonly retention: () => RetentionSettings;
  readonly nowMs: () => number;
  readonly log: Log;
  readonly balance?: (accountId: string) => Promise<ReportedBalance | undefined>;
};

const FIRST_RETENTION_MS = 60_000;
const RETENTION_MS = 3_600_000;
/** So that a database that is down is told of now and then, and not for every batch. */
const TELL_EVERY_MS = 30_000;
/** How often somebody looks for what dead processes of this machine have left. */
const TAKE_OVER_MS = 5_000;
const MATCH_MS = 5_000;

const FULL: Fault = {
  kind: 'overloaded',
  message: 'Usage cannot be recorded at the moment; nothing was sent. Please try again.',
  retryAfterMs: 5_000,
};

export class UsageRecorder {
  readonly reports: UsageReports;
  readonly records: RecordReports;
  readonly feed: RecordFeed;
  readonly #backlog: Backlog | undefined;
  readonly #queue: UsageQueue | undefined;
  readonly #recent: RecentRecords;
  readonly #refusals = new RefusalSampler();
  readonly #options: RecorderOptions;
  readonly #keptPrices = new Set<string>();
  #lost = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #takingOver: NodeJS.Timeout | undefined;
  #matching: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { stored, nowMs, balance } = options;
    this.#recent = new RecentRecords(options.recent, nowMs, this.#eventOf);
    if (stored !== undefined) {
      const onTrouble = (error: unknown): void => this.#tell(error);
      this.#backlog = new Backlog({ ...stored.journal, onTrouble });
      this.#queue = new UsageQueue(stored.store, this.#backlog, {
        onTrouble,
        onLost: (events, why) => this.#lose(events, why),
      });
      this.#takeOver(this.#backlog, this.#queue);
      this.#timer = setTimeout(() => this.#retain(stored.store), FIRST_RETENTION_MS).unref();
      this.#matching = setTimeout(() => this.#match(stored.store), MATCH_MS).unref();
    }
    this.reports = new UsageReports({
      nowMs,
      reader: stored?.store,
      recent: (id) => this.#find(id),
      ...(balance !== undefined && { balance }),
    });
    this.records = new RecordReports({
      nowMs,
      reader: stored?.records ?? new RecentReader(this.#recent),
      unstored: (id) => this.#find(id),
    });
    this.feed = new RecordFeed({ reader: stored?.records, onTrouble: (error) => this.#tell(error) });
  }

  /** What an account may read of a request of its own. */
  readonly explained: RequestRecords = {
    find: async (accountId, requestId) => {
      const event = await this.records.one(accountId, requestId);
      return event && explainedOf(event);
    },
  };

  get waiting(): number {
    return this.#queue?.waiting ?? 0;
  }

  get journalBytes(): number {
    return this.#backlog?.bytes ?? 0;
  }

  /** Events that were not stored and never will be. */
  get lost(): number {
    return this.#lost;
  }

  /** Before a request is sent: whatever happens to this process, a row will tell of it. Refused when none could be kept. */
  readonly begin = ({ id, protocol, dialect, caller, model, receivedAtMs, tags }: Planned): Fault | undefined => {
    if (this.#backlog === undefined) return undefined;
    if (this.#backlog.isFull) return FULL;
    const { accountId, keyId, memberId } = caller;
    const safeTags = tags && redactedTags(tags, this.#options.log.redact);
    this.#backlog.begin({
      requestId: id,
      accountId,
      keyId,
      memberId,
      modelId: model.id,
      protocol: recordedProtocol(protocol, dialect.id),
      receivedAtMs,
      tags: safeTags,
    });
    return undefined;
  };

  readonly record = (record: RequestRecord): void => {
    if (this.#queue !== undefined) {
      this.#queue.push(keptOf(this.#eventOf(record)));
      return;
    }
    this.#recent.keep(record);
    this.feed.offer(() => this.#eventOf(record));
  };

  /** Of a flood some are recorded. They go the way of usage, and wait for nothing: where the journal is full, none is kept. */
  readonly refused = (refused: RefusedRequest): void => {
    const { nowMs, log } = this.#options;
    const unrecorded = this.#refusals.take(refused.caller?.accountId, nowMs());
    if (unrecorded === undefined || this.#backlog?.isFull === true) return;
    const event = refusalEventOf(withoutSecrets(refused, log.redact), unrecorded);
    if (this.#queue !== undefined) this.#queue.push(keptOf(event));
    else {
      this.#recent.keep(event);
      this.feed.offer(() => event);
    }
  };

  /** So that a bill can be explained for as long as it is kept. What could not be stored now is, with the next prices. */
  keepPrices(versions: () => readonly PriceVersion[]): void {
    const { stored, log } = this.#options;
    if (stored === undefined) return;
    const fresh = versions().filter(({ version }) => !this.#keptPrices.has(version));
    const byVersion = new Map(fresh.map(({ version, rows }) => [version, { version, rows }]));
    stored.store.keepPrices([...byVersion.values()]).then(
      () => {
        for (const version of byVersion.keys()) this.#keptPrices.add(version);
      },
      (error: unknown) => log.warn('price snapshot not stored', { problem: String(error) }),
    );
  }

  async close(deadlineMs: number): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#takingOver);
    clearTimeout(this.#matching);
    this.feed.close();
    const left = (await this.#queue?.close(deadlineMs)) ?? 0;
    if (left > 0) this.#options.log.warn('usage events left in the journal', { problem: `${left} of them` });
  }

  readonly #eventOf = (record: RequestRecord): UsageEvent => usageEventOf(record, this.#options.log.redact);

  #find(requestId: string): UsageEvent | undefined {
    const kept = this.#queue?.find(requestId);
    return kept === undefined ? this.#recent.find(requestId) : eventIn(kept);
  }

  #takeOver(backlog: Backlog, queue: UsageQueue): void {
    try {
      if (backlog.takeOver()) queue.start();
    } catch (error) {
      this.#tell(error);
    }
    this.#takingOver = setTimeout(() => this.#takeOver(backlog, queue), TAKE_OVER_MS).unref();
  }

  async #match(store: UsageStore): Promise<void> {
    try {
      while (!this.#isClosed && (await store.matchSome()));
    } catch (error) {
      this.#tell(error);
    }
    if (!this.#isClosed) this.#matching = setTimeout(() => this.#match(store), MATCH_MS).unref();
  }

  #tell(error: unknown): void {
    const nowMs = this.#options.nowMs();
    if (nowMs - this.#toldAtMs < TELL_EVERY_MS) return;
    this.#toldAtMs = nowMs;
    this.#options.log.warn('usage database unreachable; events are queued', {
      problem: `${this.waiting} of them: ${String(error)}`,
    });
  }

  #lose(events: number, why: string): void {
    if (this.#lost === 0 || why !== 'full')
      this.#options.log.error('usage events lost', { problem: `${events} of them: ${why}` });
    this.#lost += events;
  }

  #retain(store: UsageStore): void {
    const { retention, nowMs, log } = this.#options;
    forgetOldUsage(
      (events, sums) => store.forgetSome(events, sums),
      retention(),
      nowMs(),
      (ms) => sleep(ms),
    )
      .catch((error: unknown) => log.warn('usage retention failed', { problem: String(error) }))
      .finally(() => {
        this.#timer = setTimeout(() => this.#retain(store), RETENTION_MS).unref();
      });
  }
}
