/** Passes usage of finished requests to the ledger's journal, which stores it, and serves it to readers. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, ProtocolName } from '@trivium/protocol/canonical';
import type { Caller } from '../../kernel/caller.ts';
import type { BegunRequest, RefusedRequest, RequestRecord, RequestRecords } from '../../kernel/record.ts';
import { recordedProtocol } from '../../kernel/recorded-protocol.ts';
import { Rounds } from '../../kernel/rounds.ts';
import type { Tags } from '../../kernel/tags.ts';
import type { Log } from '../../telemetry/log.ts';
import { type EncodedEvent, keptOf } from './encoded-event.ts';
import { redactedTags, refusalEventOf, type UsageEvent, usageEventOf, withoutSecrets } from './event.ts';
import { explainedOf } from './explained.ts';
import { RecentReader } from './recent-reader.ts';
import { type RecentBounds, RecentRecords } from './recent-records.ts';
import { RecordFeed } from './record-feed.ts';
import type { RecordReader } from './record-query.ts';
import { RecordReports } from './record-reports.ts';
import { RefusalSampler } from './refusal-sampler.ts';
import { type ReportedBalance, type UsageReader, UsageReports } from './reports.ts';
import { forgetOldUsage, type RetentionSettings } from './retention.ts';

export type UsageStore = UsageReader & {
  forgetSome(eventsFrom: string, sumsFrom: string): Promise<boolean>;
  keepPrices(versions: readonly PriceVersion[]): Promise<void>;
  /** Corrects some rows to what the ledger has charged; false if none is due. */
  matchSome(): Promise<boolean>;
  /** Rolls up finished hours of a day; false if there are none. */
  rollUpSome(): Promise<boolean>;
};

/** Keeps events from the end of their requests until they are stored. */
export interface UsageJournal {
  keep(event: EncodedEvent): void;
  /** An event that is not stored yet, as JSON. */
  find(requestId: string): string | undefined;
  /** True: requests are refused, since they could not be recorded. */
  readonly isFull: boolean;
  readonly waiting: number;
  readonly bytes: number;
  /** Events that were not stored and never will be. */
  readonly lost: number;
}

/** The price rows as JSON, under the version that bills name. */
export type PriceVersion = { readonly version: string; readonly rows: string };

export type UsageStorage = {
  readonly store: UsageStore;
  readonly records: RecordReader;
  readonly journal: UsageJournal;
};

type RequestToSend = {
  readonly protocol: ProtocolName;
  readonly dialect: { readonly id: string };
  readonly caller: Pick<Caller, 'keyId' | 'memberId'>;
  readonly model: { readonly id: string };
  readonly receivedAtMs: number;
  readonly tags?: Tags | undefined;
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
/** Interval of warnings while the database is down, instead of one per batch. */
const WARN_EVERY_MS = 30_000;
const ROLL_UP_MS = 300_000;
/** Pause between days, for other readers and writers. */
const ROLL_UP_PAUSE_MS = 50;

const FULL: Fault = {
  kind: 'overloaded',
  message: 'Usage cannot be recorded at the moment; nothing was sent. Please try again.',
  retryAfterMs: 5_000,
};

export class UsageRecorder {
  readonly reports: UsageReports;
  readonly records: RecordReports;
  readonly feed: RecordFeed;
  readonly #journal: UsageJournal | undefined;
  readonly #recent: RecentRecords;
  readonly #refusals = new RefusalSampler();
  readonly #options: RecorderOptions;
  readonly #keptPrices = new Set<string>();
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  readonly #rounds: readonly Rounds[];
  #isClosed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { stored, nowMs, balance } = options;
    this.#recent = new RecentRecords(options.recent, nowMs, this.#eventOf);
    this.#journal = stored?.journal;
    this.#rounds = stored === undefined ? [] : this.#roundsOf(stored.store);
    for (const rounds of this.#rounds) rounds.start(FIRST_RETENTION_MS);
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
    this.feed = new RecordFeed({ reader: stored?.records, onTrouble: (error) => this.#warnUnreachable(error) });
  }

  /** What an account may read of its own requests. */
  readonly explained: RequestRecords = {
    find: async (accountId, requestId) => {
      const event = await this.records.one(accountId, requestId);
      return event && explainedOf(event);
    },
  };

  get waiting(): number {
    return this.#journal?.waiting ?? 0;
  }

  get journalBytes(): number {
    return this.#journal?.bytes ?? 0;
  }

  /** Events that were not stored and never will be. */
  get lost(): number {
    return this.#journal?.lost ?? 0;
  }

  /**
   * Called before a request is sent: returns the start of its usage event, so that it gets a row even if this process
   * dies. A fault if the journal is full.
   */
  readonly begin = ({
    protocol,
    dialect,
    caller,
    model,
    receivedAtMs,
    tags,
  }: RequestToSend): BegunRequest | Fault | undefined => {
    if (this.#journal === undefined) return undefined;
    if (this.#journal.isFull) return FULL;
    const { keyId, memberId } = caller;
    const safeTags = tags && redactedTags(tags, this.#options.log.redact);
    return {
      keyId,
      memberId,
      modelId: model.id,
      protocol: recordedProtocol(protocol, dialect.id),
      receivedAtMs,
      tags: safeTags,
    };
  };

  readonly record = (record: RequestRecord): void => {
    if (this.#journal !== undefined) {
      this.#journal.keep(keptOf(this.#eventOf(record)));
      return;
    }
    this.#recent.keep(record);
    this.feed.offer(() => this.#eventOf(record));
  };

  /**
   * Samples a flood of refusals. They are recorded like usage, without waiting: if the journal is full, they are
   * dropped, and the next record counts them.
   */
  readonly refused = (refused: RefusedRequest): void => {
    const { nowMs, log } = this.#options;
    const unrecorded = this.#refusals.take(refused.caller?.accountId, nowMs(), this.#journal?.isFull !== true);
    if (unrecorded === undefined) return;
    const event = refusalEventOf(withoutSecrets(refused, log.redact), unrecorded, log.redact);
    if (this.#journal !== undefined) this.#journal.keep(keptOf(event));
    else {
      this.#recent.keep(event);
      this.feed.offer(() => event);
    }
  };

  /**
   * Stores prices, so that a bill can be explained for as long as it is kept. A failure is retried with the next
   * prices.
   */
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

  /** The ledger posts what is not stored by then. */
  close(): void {
    this.#isClosed = true;
    for (const rounds of this.#rounds) void rounds.stop();
    this.feed.close();
  }

  readonly #eventOf = (record: RequestRecord): UsageEvent => usageEventOf(record, this.#options.log.redact);

  #find(requestId: string): UsageEvent | undefined {
    const json = this.#journal?.find(requestId);
    return json === undefined ? this.#recent.find(requestId) : JSON.parse(json);
  }

  #roundsOf(store: UsageStore): readonly Rounds[] {
    const { log } = this.#options;
    const warn = (message: string) => (error: unknown) => log.warn(message, { problem: String(error) });
    return [
      new Rounds({
        run: () => this.#retain(store),
        pauseMs: () => RETENTION_MS,
        onTrouble: warn('usage retention failed'),
      }),
      new Rounds({
        run: () => this.#rollUp(store),
        pauseMs: () => ROLL_UP_MS,
        onTrouble: warn('usage not rolled up; reports read the sums by the hour'),
      }),
    ];
  }

  async #rollUp(store: UsageStore): Promise<void> {
    while (!this.#isClosed && (await store.rollUpSome())) await sleep(ROLL_UP_PAUSE_MS, undefined, { ref: false });
  }

  #warnUnreachable(error: unknown): void {
    const nowMs = this.#options.nowMs();
    if (nowMs - this.#warnedAtMs < WARN_EVERY_MS) return;
    this.#warnedAtMs = nowMs;
    this.#options.log.warn('usage database unreachable', { problem: String(error) });
  }

  async #retain(store: UsageStore): Promise<void> {
    const { retention, nowMs } = this.#options;
    await forgetOldUsage(
      (events, sums) => store.forgetSome(events, sums),
      retention(),
      nowMs(),
      (ms) => sleep(ms),
    );
    // Rows of requests that the ledger closed after they were stored. Nodes of the previous release leave some.
    while (!this.#isClosed && (await store.matchSome()));
  }
}
