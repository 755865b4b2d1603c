/** One epoch at work: its core, its journal and what waits to be written or posted. A node has one that admits at a time. */
import type { ClosedSegment, Journal } from '../journal/journal.ts';
import { postInParts } from './apply-in-parts.ts';
import { recordToJson } from './core/journal-records.ts';
import type { NodeLedgerCore } from './core/node-ledger-core.ts';
import type { UsageLine } from './core/usage-line.ts';
import type { LedgerDatabase } from './ledger-database.ts';
import { BatchSize, WaitingSince } from './posting-pace.ts';
import { UsageMemory } from './usage-memory.ts';

const FLUSH_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** What the ledger database knows is kept a while longer, for a server that takes over and has not got it yet: 5 minutes, 128 MB. */
const KEPT_MS = 300_000;
const MOST_KEPT = 16;

type Writing = { readonly resolve: () => void; readonly reject: () => void };

export type LiveEpochPorts = {
  readonly database: LedgerDatabase;
  readonly monotonicMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

export class LiveEpoch {
  readonly core: NodeLedgerCore;
  readonly #journal: Journal;
  readonly #ports: LiveEpochPorts;
  #waiting: Writing[] = [];
  #writing = false;
  #flushing: Promise<void> | undefined;
  #over = false;
  readonly #size = new BatchSize();
  readonly #waitingSince = new WaitingSince();
  readonly #usage: UsageMemory;
  #pushed = 0;
  /** Old segments, and how many postings must be through before they may go. */
  readonly #old: (ClosedSegment & { readonly afterPostings: number; readonly sinceMs: number })[] = [];

  constructor(core: NodeLedgerCore, journal: Journal, ports: LiveEpochPorts) {
    this.core = core;
    this.#journal = journal;
    this.#ports = ports;
    this.#usage = new UsageMemory(ports.onTrouble);
  }

  /** True where it joins the end of its request. */
  joinEnd(usage: UsageLine): boolean {
    return this.core.outbox.joinEnd(usage);
  }

  addUsage(usage: UsageLine): void {
    this.core.outbox.addUsage(usage);
    this.write();
  }

  /** Of the journal, that hold something the ledger database does not know. */
  get unpostedBytes(): number {
    const { posted } = this.core.journalled;
    return this.#old.reduce(
      (sum, { afterPostings, bytes }) => (afterPostings > posted ? sum + bytes : sum),
      this.#journal.bytes,
    );
  }

  /** Resolves when all that the core has decided so far stands in the journal; rejects when it could not be written. */
  written(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.write();
    });
  }

  /** One write for everything that happens in this turn of the event loop. */
  write(): void {
    if (this.#writing) return;
    this.#writing = true;
    setImmediate(() => this.#writeNow());
  }

  #writeNow(): void {
    this.#writing = false;
    if (this.#over) return;
    const records = this.core.takeRecords();
    const isWritten = this.#journal.append(records.map(recordToJson));
    this.#usage.keep(records, isWritten ? this.#journal.path : undefined);
    // With a full disk money still reaches the ledger database; only what would rest on the journal alone is refused.
    this.core.written();
    this.#noteWaiting();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { resolve, reject } of waiting) (isWritten ? resolve : reject)();
    if (isWritten && this.#journal.isFull) this.#rotate();
    if (this.core.unposted > 0) this.#flushing ??= this.#flush();
  }

  #noteWaiting(): void {
    const { pushed } = this.core.journalled;
    if (pushed > this.#pushed) this.#waitingSince.pushed(pushed, this.#ports.monotonicMs());
    this.#pushed = pushed;
  }

  /** How long the oldest posting has waited that the journal would tell again. */
  get unpostedMs(): number {
    return this.#waitingSince.ageMs(this.#ports.monotonicMs());
  }

  /** Where no new segment can be had, for want of files or disk, the old one goes on; the next write tries again. */
  #rotate(): void {
    try {
      const { bytes, remove } = this.#journal.rotate();
      this.#journal.append(this.core.runningRecords().map(recordToJson));
      this.#old.push({ afterPostings: this.core.journalled.pushed, sinceMs: this.#ports.monotonicMs(), bytes, remove });
    } catch (error) {
      this.#ports.onTrouble(error);
    }
  }

  /**
   * Until everything is through; what got no answer is sent again, and what is refused keeps nothing else waiting. While more waits
   * than a batch takes there is nothing to gather, so no pause.
   */
  async #flush(): Promise<void> {
    const { database, monotonicMs, onTrouble } = this.#ports;
    let pauseMs = FLUSH_MS;
    while (this.core.unposted > 0 && !this.#over) {
      if (pauseMs > 0) await pause(pauseMs);
      const batch = this.core.batch(this.#size.most);
      if (batch.length === 0) {
        pauseMs = FLUSH_MS;
        continue;
      }
      this.#usage.recall(batch);
      const sentAtMs = monotonicMs();
      try {
        this.core.posted(batch, await postInParts(database, batch, onTrouble), sentAtMs, monotonicMs());
        this.#usage.forget(batch);
        this.#waitingSince.posted(this.core.journalled.posted);
        this.#size.answered(batch.length, monotonicMs() - sentAtMs);
        this.write();
        pauseMs = this.core.sendable >= this.#size.most ? 0 : FLUSH_MS;
      } catch (error) {
        this.#size.unanswered();
        pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FLUSH_MS, pauseMs) * 2);
        onTrouble(error);
      }
      this.#removeOld();
    }
    this.#flushing = undefined;
  }

  #removeOld(): void {
    for (let [oldest] = this.#old; oldest !== undefined; [oldest] = this.#old) {
      const isKnown = oldest.afterPostings <= this.core.journalled.posted;
      const isKept = this.#old.length <= MOST_KEPT && this.#ports.monotonicMs() - oldest.sinceMs < KEPT_MS;
      if (!isKnown || isKept) return;
      this.#old.shift();
      oldest.remove();
    }
  }

  /** The last write failed, and nothing may rest on the journal until one succeeds. */
  get isUnwritable(): boolean {
    return this.#journal.unwrittenCharacters > 0;
  }

  /** Nothing runs and nothing is owed any more. */
  get isIdle(): boolean {
    return this.core.running === 0 && this.core.unposted === 0;
  }

  /** Writes and posts what there is, within a bound; the journal goes when the ledger database knows everything. */
  async close(withinMs: number): Promise<boolean> {
    const untilMs = this.#ports.monotonicMs() + withinMs;
    await this.written().catch(() => undefined);
    while (!this.isIdle && this.#ports.monotonicMs() < untilMs) await pause(FLUSH_MS);
    this.#over = true;
    if (this.isIdle) this.#journal.delete();
    else this.#journal.close();
    return this.isIdle;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
