/**
 * What a node has to post, in two lanes. Leases and resizes go first: admission waits for them, and neither depends on
 * earlier postings. A resize that overtakes settles finds more left in its lease, never less. Everything else keeps its
 * order: a release that overtook a settle would return the money that covers it. Only within a batch, checkpoints move
 * before settles and releases: nothing older in the batch concerns their requests, and consecutive settles are posted
 * together.
 */

import type { Checkpoint, Release, Resize, Settle, TakeLease } from './commands.ts';
import type { StoreUsage, UsageLine } from './usage-line.ts';

export type Posting = Settle | Release | Checkpoint | Resize | TakeLease | StoreUsage;

export const usageOf = (posting: object): UsageLine | undefined =>
  'usage' in posting ? (posting as StoreUsage).usage : undefined;

/**
 * Settles of one account that may wait on a node. The leases of a dead node are released after 15 s, and settlements
 * that only its journal holds by then are not covered: no more may wait than can be posted well within that time.
 */
export const MOST_UNPOSTED_SETTLES = 10_000;

const goesFirst = ({ do: kind }: Posting): boolean => kind === 'lease' || kind === 'resize';

const isCheckpoint = ({ do: kind }: Posting): boolean => kind === 'checkpoint';

class Lane {
  waiting: Posting[] = [];
  /** Postings whose records are in the journal; only those may be sent. */
  sendable = 0;
  posted = 0;

  remove(count: number): void {
    this.waiting.splice(0, count);
    this.sendable -= count;
    this.posted += count;
  }
}

export class PostingQueue {
  readonly #first = new Lane();
  readonly #inOrder = new Lane();
  readonly #settlesOf = new Map<string, number>();
  #settles = 0;

  push(posting: Posting): void {
    (goesFirst(posting) ? this.#first : this.#inOrder).waiting.push(posting);
    if (posting.do === 'settle') this.#countSettle(posting.account, 1);
  }

  get length(): number {
    return this.#first.waiting.length + this.#inOrder.waiting.length;
  }

  get sendable(): number {
    return this.#first.sendable + this.#inOrder.sendable;
  }

  get settles(): number {
    return this.#settles;
  }

  /** Usage events waiting to be stored. */
  get usages(): number {
    return this.#inOrder.waiting.reduce((count, posting) => (usageOf(posting) === undefined ? count : count + 1), 0);
  }

  findUsage(requestId: string): UsageLine | undefined {
    const found = this.#inOrder.waiting.findLast((posting) => usageOf(posting)?.requestId === requestId);
    return found && usageOf(found);
  }

  isFull(account: string): boolean {
    return (this.#settlesOf.get(account) ?? 0) >= MOST_UNPOSTED_SETTLES;
  }

  /**
   * Postings that a replay of the journal would repeat: how many were ever pushed, and how many of those, from the
   * first, are posted.
   */
  get journalled(): { readonly pushed: number; readonly posted: number } {
    const { posted, waiting } = this.#inOrder;
    return { pushed: posted + waiting.length, posted };
  }

  written(): void {
    this.#first.sendable = this.#first.waiting.length;
    this.#inOrder.sendable = this.#inOrder.waiting.length;
  }

  batch(most: number): readonly Posting[] {
    const first = this.#first.waiting.slice(0, Math.min(most, this.#first.sendable));
    const rest = this.#inOrder.waiting.slice(0, Math.min(most - first.length, this.#inOrder.sendable));
    return [...first, ...rest.filter(isCheckpoint), ...rest.filter((posting) => !isCheckpoint(posting))];
  }

  /** `batch`: as `batch()` returned it. Postings pushed meanwhile come after it in either lane. */
  remove(batch: readonly Posting[]): void {
    let first = 0;
    while (first < batch.length && goesFirst(batch[first]!)) first++;
    this.#first.remove(first);
    this.#inOrder.remove(batch.length - first);
    for (const posting of batch) if (posting.do === 'settle') this.#countSettle(posting.account, -1);
  }

  #countSettle(account: string, by: 1 | -1): void {
    this.#settles += by;
    const count = (this.#settlesOf.get(account) ?? 0) + by;
    if (count === 0) this.#settlesOf.delete(account);
    else this.#settlesOf.set(account, count);
  }
}
