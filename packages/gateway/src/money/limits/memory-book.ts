/**
 * One account book of the memory this process holds for callers, with a share for each account. New work beyond it is
 * refused; answers that are arriving wait unread until there is room, accounts taking turns. So that answers which wait for
 * each other cannot block for ever, one of them at a time may go beyond the rest, into a reserve.
 */
import {
  type AnswerMemory,
  MEMORY_FACTOR,
  type Memory,
  type MemoryKind,
  type MemoryWaiter,
  SMALL_TEXT,
} from '../../kernel/memory.ts';

export type MemoryBounds = {
  /** For everything together. */
  readonly memoryBytes: number;
  /** The largest answer accepted from an upstream. */
  readonly answerBytes: number;
};

/** `share`: the account holds more than its part. `full`: the process does. */
export type MemoryRefusal = 'share' | 'full';

/** What may be dropped. */
export type KeptKind = 'idempotency' | 'capture' | 'turn';

/** What one account holds. */
export type AccountMemory = {
  readonly id: string;
  held: number;
  /** Holders that will call `leave`. */
  users: number;
};

/** Maximum fraction of the memory that one account may hold, so that others have room. */
const ACCOUNT_SHARE = 0.5;
/** Maximum fraction of the memory that is kept for the one answer that may go beyond the rest. */
const RESERVE = 1 / 3;
/**
 * An account that holds less than this fraction is served whatever others hold, up to this much beyond the limit: who
 * sends little is not refused for those who send much.
 */
const SMALL_SHARE = 1 / 64;
const BEYOND_FOR_SMALL = 1 / 4;
/** Answers get room in steps, so that most pieces cost one comparison. */
const STEP_BYTES = 16 * SMALL_TEXT;

export class MemoryBook implements Memory {
  /** Bytes held, by kind. */
  readonly held: Record<MemoryKind, number> = {
    ...{ body: 0, answer: 0, unread: 0, thread: 0 },
    ...{ idempotency: 0, capture: 0, turn: 0 },
  };
  /** Removes the oldest of what is stored; false if there is none. */
  evict: () => boolean = () => false;
  readonly #bounds: () => MemoryBounds;
  readonly #accounts = new Map<string, AccountMemory>();
  /** By account; accounts in the order of their turns. */
  readonly #waiting = new Map<string, Set<ArrivingAnswer>>();
  /** The answer that may use the reserve. */
  #first: ArrivingAnswer | undefined;
  #total = 0;
  #isWaking = false;
  #isEvicting = false;

  constructor(bounds: () => MemoryBounds) {
    this.#bounds = bounds;
  }

  /** All bytes held. */
  get total(): number {
    return this.#total;
  }

  get limit(): number {
    return this.#bounds().memoryBytes;
  }

  /** Bytes held for running requests: zero when nothing runs. */
  get busy(): number {
    return this.#total - this.held.idempotency - this.held.capture - this.held.turn;
  }

  get waiting(): number {
    let count = 0;
    for (const own of this.#waiting.values()) count += own.size;
    return count;
  }

  /** The caller of this method must call `leave` once. */
  enter(accountId: string): AccountMemory {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = { id: accountId, held: 0, users: 0 };
      this.#accounts.set(accountId, account);
    }
    account.users++;
    return account;
  }

  leave(account: AccountMemory): void {
    if (--account.users === 0) this.#accounts.delete(account.id);
  }

  /**
   * For new work, which already holds `own` bytes. While nothing else is held, one body is accepted whatever its size:
   * no setting makes a legal body impossible.
   */
  take(account: AccountMemory, kind: MemoryKind, bytes: number, own: number): MemoryRefusal | undefined {
    if (account.held > own && account.held + bytes > this.limit * ACCOUNT_SHARE) return 'share';
    if (!this.fits(bytes) && this.busy > own && !this.#isSmall(account.held + bytes, bytes))
      return (account.held + bytes) * this.#accounts.size > this.#ordinary ? 'share' : 'full';
    this.add(account, kind, bytes);
    return undefined;
  }

  #isSmall(held: number, bytes: number): boolean {
    return held <= this.limit * SMALL_SHARE && this.#total + bytes <= this.limit * (1 + BEYOND_FOR_SMALL);
  }

  /** Counts without asking. */
  add(account: AccountMemory, kind: MemoryKind, bytes: number): void {
    this.#total += bytes;
    this.held[kind] += bytes;
    account.held += bytes;
  }

  give(account: AccountMemory, kind: MemoryKind, bytes: number): void {
    this.subtract(account, kind, bytes);
    if (this.#waiting.size > 0) this.#wake();
  }

  subtract(account: AccountMemory, kind: MemoryKind, bytes: number): void {
    this.#total -= bytes;
    this.held[kind] -= bytes;
    account.held -= bytes;
  }

  fits(bytes: number): boolean {
    if (this.#excessOf(bytes) <= 0) return true;
    this.#isEvicting = true;
    try {
      while (this.#excessOf(bytes) > 0) if (!this.evict()) return false;
      return true;
    } finally {
      this.#isEvicting = false;
    }
  }

  #excessOf(bytes: number): number {
    return this.#total - (this.#first?.granted ?? 0) + bytes - this.#ordinary;
  }

  /** For what may be dropped: never at the cost of stored answers, or of requests. */
  keep(kind: KeptKind, bytes: number): boolean {
    if (this.#total + bytes > this.#ordinary) return false;
    this.#total += bytes;
    this.held[kind] += bytes;
    return true;
  }

  drop(kind: KeptKind, bytes: number): void {
    this.#total -= bytes;
    this.held[kind] -= bytes;
    if (this.#waiting.size > 0 && !this.#isEvicting) this.#wake();
  }

  answer(accountId: string, waiter: MemoryWaiter): AnswerMemory {
    return new ArrivingAnswer(this, this.enter(accountId), waiter);
  }

  count(accountId: string, kind: MemoryKind, characters: number): () => void {
    const account = this.enter(accountId);
    const bytes = characters * MEMORY_FACTOR[kind];
    let isCounted = true;
    this.add(account, kind, bytes);
    return () => {
      if (!isCounted) return;
      isCounted = false;
      this.give(account, kind, bytes);
      this.leave(account);
    };
  }

  /** Whether an answer may hold this much more. */
  mayGrow(answer: ArrivingAnswer, bytes: number): boolean {
    if (answer === this.#first) return true;
    const { account, granted } = answer;
    return (account.held === granted || account.held + bytes <= this.limit * ACCOUNT_SHARE) && this.fits(bytes);
  }

  /** True: it may go on at once, into the reserve. */
  wait(answer: ArrivingAnswer): boolean {
    const { id } = answer.account;
    const own = this.#waiting.get(id);
    if (own === undefined) this.#waiting.set(id, new Set([answer]));
    else own.add(answer);
    const first = this.#promote();
    // Another one that was not allowed to before.
    if (first !== answer) first?.waiter.hasRoom();
    return first === answer;
  }

  /** It needs no more room. */
  stopWaiting(answer: ArrivingAnswer): void {
    const { id } = answer.account;
    const own = this.#waiting.get(id);
    if (own?.delete(answer) === true && own.size === 0) this.#waiting.delete(id);
  }

  /** It no longer uses the reserve: another answer may have it. */
  settle(answer: ArrivingAnswer): void {
    this.stopWaiting(answer);
    if (this.#first === answer) this.#first = undefined;
    if (this.#waiting.size > 0) this.#wake();
  }

  get #ordinary(): number {
    return this.limit - this.#reserve;
  }

  get #reserve(): number {
    const { memoryBytes, answerBytes } = this.#bounds();
    return Math.min(memoryBytes * RESERVE, answerBytes * (MEMORY_FACTOR.answer + MEMORY_FACTOR.thread));
  }

  /** Accounts take turns until no waiting answer has room. */
  #wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    try {
      for (let turn = 0; turn < this.#waiting.size; ) {
        const next = this.#nextWaiting();
        if (next !== undefined && this.mayGrow(next, STEP_BYTES)) {
          this.#leaveQueue(next);
          next.grant(STEP_BYTES);
          next.waiter.hasRoom();
          turn = 0;
        } else {
          if (next !== undefined) this.#toEnd(next.account.id);
          turn++;
        }
      }
      this.#promote()?.waiter.hasRoom();
    } finally {
      this.#isWaking = false;
    }
  }

  /**
   * Gives the reserve to the answer whose turn it is. Not while much is unread: then room will be free without it, because
   * a caller who does not read is disconnected.
   */
  #promote(): ArrivingAnswer | undefined {
    const next = this.#first === undefined ? this.#nextWaiting() : undefined;
    if (next === undefined) return undefined;
    if (this.#total - next.granted > this.#ordinary && this.held.unread > this.#reserve / 2) return undefined;
    this.#leaveQueue(next);
    this.#first = next;
    return next;
  }

  #nextWaiting(): ArrivingAnswer | undefined {
    for (const own of this.#waiting.values()) for (const answer of own) return answer;
    return undefined;
  }

  #leaveQueue(answer: ArrivingAnswer): void {
    const { id } = answer.account;
    this.#waiting.get(id)?.delete(answer);
    this.#toEnd(id);
  }

  #toEnd(accountId: string): void {
    const own = this.#waiting.get(accountId);
    this.#waiting.delete(accountId);
    if (own !== undefined && own.size > 0) this.#waiting.set(accountId, own);
  }
}

class ArrivingAnswer implements AnswerMemory {
  readonly account: AccountMemory;
  readonly waiter: MemoryWaiter;
  /** Bytes counted for it, from what arrived and in advance. */
  granted = 0;
  readonly #book: MemoryBook;
  #kind: MemoryKind = 'answer';
  #isReleased = false;

  constructor(book: MemoryBook, account: AccountMemory, waiter: MemoryWaiter) {
    this.#book = book;
    this.account = account;
    this.waiter = waiter;
  }

  hold(characters: number): boolean {
    if (this.#isReleased) return true;
    if (characters === 0) {
      this.#countAs('answer', 0);
      this.#book.settle(this);
      return true;
    }
    const more = characters * MEMORY_FACTOR.answer - this.granted;
    if (more <= 0) return true;
    const step = Math.max(more, STEP_BYTES);
    const mayGrow = this.#book.mayGrow(this, step);
    // What has arrived is in memory in any case.
    this.grant(mayGrow ? step : more);
    return mayGrow || this.#book.wait(this);
  }

  grant(bytes: number): void {
    this.granted += bytes;
    this.#book.add(this.account, this.#kind, bytes);
  }

  complete(): void {
    this.#book.stopWaiting(this);
  }

  handOver(characters: number): void {
    if (this.#isReleased) return;
    this.#countAs('unread', characters * MEMORY_FACTOR.unread);
    this.#book.settle(this);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#countAs(this.#kind, 0);
    this.#book.settle(this);
    this.#book.leave(this.account);
  }

  #countAs(kind: MemoryKind, bytes: number): void {
    this.#book.subtract(this.account, this.#kind, this.granted);
    this.#kind = kind;
    this.granted = 0;
    this.grant(bytes);
  }
}
