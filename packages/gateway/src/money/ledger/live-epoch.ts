/**
 * One running epoch: its core, its journal and what waits to be written or posted. Only one epoch of a node admits at a
 * time.
 */
import { pause } from '../../kernel/clock.ts';
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
/**
 * Segments already in the ledger database are kept for a promoted standby that may lack them: for 5 minutes, at most
 * 128 MB.
 */
const KEPT_MS = 300_000;
const MOST_KEPT = 16;

type Written = (isWritten: boolean) => void;

export type LiveEpochPorts = {
  readonly database: LedgerDatabase;
  readonly monotonicMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

export class LiveEpoch {
  readonly core: NodeLedgerCore;
  readonly #journal: Journal;
  readonly #ports: LiveEpochPorts;
  #waiting: Written[] = [];
  #writing = false;
  #flushing: Promise<void> | undefined;
  #over = false;
  readonly #size = new BatchSize();
  readonly #waitingSince = new WaitingSince();
  readonly #usage: UsageMemory;
  #pushed = 0;
  /** Closed segments, and how many postings must be done before each may be removed. */
  readonly #old: (ClosedSegment & { readonly afterPostings: number; readonly sinceMs: number })[] = [];

  constructor(core: NodeLedgerCore, journal: Journal, ports: LiveEpochPorts) {
    this.core = core;
    this.#journal = journal;
    this.#ports = ports;
    this.#usage = new UsageMemory(ports.onTrouble);
  }

  /** True if the usage joins the end of its request. */
  joinEnd(usage: UsageLine): boolean {
    return this.core.outbox.joinEnd(usage);
  }

  addUsage(usage: UsageLine): void {
    this.core.outbox.addUsage(usage);
    this.write();
  }

  /** Size of the journal segments with something the ledger database does not have. */
  get unpostedBytes(): number {
    const { posted } = this.core.journalled;
    return this.#old.reduce(
      (sum, { afterPostings, bytes }) => (afterPostings > posted ? sum + bytes : sum),
      this.#journal.bytes,
    );
  }

  /** Resolves when everything the core has decided so far is in the journal; to false if it could not be written. */
  written(): Promise<boolean> {
    return new Promise((resolve) => this.onWritten(resolve));
  }

  /** The same without a promise. */
  onWritten(run: Written): void {
    this.#waiting.push(run);
    this.write();
  }

  /** Gathers everything that happens in this turn of the event loop into one write. */
  write(): void {
    if (this.#writing) return;
    this.#writing = true;
    setImmediate(() => this.#writeNow());
  }

  #writeNow(): void {
    this.#writing = false;
    if (this.#over) {
      this.#settleWaiting(false);
      return;
    }
    const records = this.core.takeRecords();
    const isWritten = this.#journal.append(records.map(recordToJson));
    this.#usage.keep(records, isWritten ? this.#journal.path : undefined);
    // With a full disk, money still reaches the ledger database; only what relies on the journal alone is refused.
    this.core.written();
    this.#noteWaiting();
    this.#settleWaiting(isWritten);
    if (isWritten && this.#journal.isFull) this.#rotate();
    if (this.core.unposted > 0) this.#flushing ??= this.#flush();
  }

  #settleWaiting(isWritten: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) run(isWritten);
  }

  #noteWaiting(): void {
    const { pushed } = this.core.journalled;
    if (pushed > this.#pushed) this.#waitingSince.pushed(pushed, this.#ports.monotonicMs());
    this.#pushed = pushed;
  }

  /** Age in ms of the oldest unposted posting that a replay of the journal would repeat. */
  get unpostedMs(): number {
    return this.#waitingSince.ageMs(this.#ports.monotonicMs());
  }

  /**
   * If no new segment can be opened (no file descriptors or disk space), writing continues in the old one; the next
   * write tries again.
   */
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
   * Posts until nothing is left. Batches without an answer are sent again; refused commands block nothing else. While
   * more waits than fits into one batch there is nothing to gather, so there is no pause.
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

  /** The last write failed: nothing may rely on the journal until one succeeds. */
  get isUnwritable(): boolean {
    return this.#journal.unwrittenCharacters > 0;
  }

  /** Nothing runs, and everything is posted. */
  get isIdle(): boolean {
    return this.core.running === 0 && this.core.unposted === 0;
  }

  /**
   * Writes and posts the rest within the time limit; the journal is removed once the ledger database has everything.
   */
  async close(withinMs: number): Promise<boolean> {
    const untilMs = this.#ports.monotonicMs() + withinMs;
    await this.written();
    while (!this.isIdle && this.#ports.monotonicMs() < untilMs) await pause(FLUSH_MS);
    this.#over = true;
    if (this.isIdle) this.#journal.delete();
    else this.#journal.close();
    return this.isIdle;
  }
}
