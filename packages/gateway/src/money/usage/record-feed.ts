/**
 * Finished requests, for viewers who follow them live. With a database, requests of all nodes: one query per second for
 * all viewers of this process, and none without a viewer. Without a database, requests of this process, at once.
 */

import type { UsageEvent } from './event.ts';
import { type RecordReader, type RecordRow, rowOf } from './record-query.ts';

export type RecordViewer = {
  readonly row: (row: RecordRow) => void;
  /** Some rows were left out: more came than can be shown. */
  readonly gap: () => void;
};

export const FEED = {
  everyMs: 1000,
  /** Maximum rows of one poll, including those shown before; beyond it, some are left out. */
  maxRows: 5000,
  /** How long after its time a row may appear: concurrent transactions store batches. */
  overlapMs: 2000,
  maxViewers: 32,
  /** Of these, for operators alone. */
  forOperators: 8,
  /** Of one account: its members and keys together. */
  perAccount: 4,
} as const;

/** Undefined: an operator. */
type Viewing = string | undefined;

export type FeedPorts = {
  /** Absent: rows are passed to `offer`. */
  readonly reader: Pick<RecordReader, 'storedAfter'> | undefined;
  readonly onTrouble: (error: unknown) => void;
};

export class RecordFeed {
  readonly #ports: FeedPorts;
  readonly #viewers = new Map<RecordViewer, Viewing>();
  /** Rows found before, with the time they were stored: the next poll finds them again. */
  readonly #found = new Map<string, number>();
  /** By the database's clock; undefined until a row was found. */
  #lastMs: number | undefined;
  #isFirst = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: FeedPorts) {
    this.#ports = ports;
  }

  /** Undefined if there are too many viewers already. `account`: of the member or key that views; an operator has none. */
  follow(viewer: RecordViewer, account?: string): (() => void) | undefined {
    if (!this.#hasPlace(account)) return undefined;
    this.#viewers.set(viewer, account);
    if (this.#ports.reader !== undefined && this.#timer === undefined) {
      this.#isFirst = true;
      this.#lastMs = undefined;
      this.#schedule(0);
    }
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.close();
    };
  }

  #hasPlace(account: Viewing): boolean {
    if (account === undefined) return this.#viewers.size < FEED.maxViewers;
    const accounts = [...this.#viewers.values()].filter((each) => each !== undefined);
    return (
      accounts.length < FEED.maxViewers - FEED.forOperators &&
      this.#viewers.size < FEED.maxViewers &&
      accounts.filter((each) => each === account).length < FEED.perAccount
    );
  }

  offer(event: () => UsageEvent): void {
    if (this.#viewers.size > 0 && this.#ports.reader === undefined) this.#show(rowOf(event()));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(inMs: number): void {
    const timer = setTimeout(() => {
      this.look()
        .catch(this.#ports.onTrouble)
        .finally(() => {
          if (this.#timer === timer) this.#schedule(FEED.everyMs);
        });
    }, inMs).unref();
    this.#timer = timer;
  }

  /** The first poll only notes the rows that existed before. */
  async look(): Promise<void> {
    const since = this.#lastMs === undefined ? undefined : this.#lastMs - FEED.overlapMs;
    const rows = (await this.#ports.reader?.storedAfter(since, FEED.overlapMs, FEED.maxRows)) ?? [];
    let newestMs = this.#lastMs ?? 0;
    for (const row of rows) {
      newestMs = Math.max(newestMs, row.storedAtMs);
      if (this.#found.has(row.requestId)) continue;
      this.#found.set(row.requestId, row.storedAtMs);
      if (!this.#isFirst) this.#show(row);
    }
    const isGap = rows.length === FEED.maxRows;
    if (isGap && !this.#isFirst) for (const viewer of this.#viewers.keys()) viewer.gap();
    this.#isFirst = false;
    // After a gap the next poll goes on with the latest rows.
    this.#lastMs = isGap || newestMs === 0 ? undefined : newestMs;
    for (const [id, storedAtMs] of this.#found) if (storedAtMs < newestMs - FEED.overlapMs) this.#found.delete(id);
  }

  #show(row: RecordRow): void {
    for (const viewer of this.#viewers.keys()) viewer.row(row);
  }
}
