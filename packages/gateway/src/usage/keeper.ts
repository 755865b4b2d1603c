/** Usage from the recorder to the store, and back to whoever may read it. Without a store only the latest are known. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnReports } from '../engine/ports.ts';
import type { RequestRecord } from '../engine/settle.ts';
import type { Log } from '../telemetry/log.ts';
import { type UsageEvent, usageEventOf } from './event.ts';
import { UsageQueue, type UsageSink } from './queue.ts';
import { type Balance, type UsageReader, UsageReports } from './reports.ts';
import { forgetOldUsage, type RetentionSettings } from './retention.ts';

export type UsageStore = UsageSink &
  UsageReader & { forgetSome(eventsFrom: string, sumsFrom: string): Promise<boolean> };

export type KeeperOptions = {
  readonly store: UsageStore | undefined;
  readonly retention: () => RetentionSettings;
  readonly nowMs: () => number;
  readonly log: Log;
  readonly balance?: (accountId: string) => Promise<Balance | undefined>;
};

/** Without a store: as many as somebody may ask for right after a request, and no more. */
const MAX_RECENT = 1000;
const FIRST_RETENTION_MS = 60_000;
const RETENTION_MS = 3_600_000;
/** So that a database that is down is told of now and then, and not for every batch. */
const TELL_EVERY_MS = 30_000;

export class UsageKeeper {
  readonly reports: OwnReports;
  readonly #queue: UsageQueue | undefined;
  readonly #recent = new Map<string, RequestRecord>();
  readonly #options: KeeperOptions;
  #lost = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
    const { store, nowMs, balance } = options;
    this.#queue =
      store === undefined
        ? undefined
        : new UsageQueue(store, {
            eventOf: this.#eventOf,
            onTrouble: (error, waiting) => this.#tell(error, waiting),
            onLost: (events, why) => this.#lose(events, why),
          });
    this.reports = new UsageReports({
      nowMs,
      reader: store,
      recent: (id) => this.#find(id),
      ...(balance !== undefined && { balance }),
    });
    if (store !== undefined) this.#timer = setTimeout(() => this.#retain(store), FIRST_RETENTION_MS).unref();
  }

  get waiting(): number {
    return this.#queue?.waiting ?? 0;
  }

  /** Events that were not stored and never will be. */
  get lost(): number {
    return this.#lost;
  }

  readonly record = (record: RequestRecord): void => {
    if (this.#queue !== undefined) {
      this.#queue.push(record);
      return;
    }
    this.#recent.set(record.requestId, record);
    if (this.#recent.size <= MAX_RECENT) return;
    const [oldest] = this.#recent.keys();
    if (oldest !== undefined) this.#recent.delete(oldest);
  };

  async close(deadlineMs: number): Promise<void> {
    clearTimeout(this.#timer);
    await this.#queue?.close(deadlineMs);
  }

  readonly #eventOf = (record: RequestRecord): UsageEvent => usageEventOf(record, this.#options.log.redact);

  #find(requestId: string): UsageEvent | undefined {
    const record = this.#recent.get(requestId);
    return record === undefined ? this.#queue?.find(requestId) : this.#eventOf(record);
  }

  #tell(error: unknown, waiting: number): void {
    const nowMs = this.#options.nowMs();
    if (nowMs - this.#toldAtMs < TELL_EVERY_MS) return;
    this.#toldAtMs = nowMs;
    this.#options.log.warn('usage waits to be stored', { problem: `${waiting} of them: ${String(error)}` });
  }

  #lose(events: number, why: string): void {
    if (this.#lost === 0 || why !== 'full')
      this.#options.log.error('usage was lost', { problem: `${events} of them: ${why}` });
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
      .catch((error: unknown) => log.warn('old usage could not be forgotten', { problem: String(error) }))
      .finally(() => {
        this.#timer = setTimeout(() => this.#retain(store), RETENTION_MS).unref();
      });
  }
}
