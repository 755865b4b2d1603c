/**
 * The event loop is shared. Streams and bodies together do a bounded amount of work in one turn of the loop; what is left
 * waits for a later turn. Accounts take turns there, each with the same amount of work, so that one with many streams
 * does not delay one with few.
 */

export type LoopBounds = {
  /** Bytes read in one turn, of all streams and bodies together. */
  readonly turnBytes: number;
  /** Events of streams translated or passed on in one turn. */
  readonly turnEvents: number;
};

/** Something that stopped because the turn was used up. */
export interface LoopWaiter {
  /** Called once, in a later turn, unless it left before. */
  goOn(): void;
  /** What its next read is expected to cost, in bytes, if it only starts to read again. */
  readonly readCost?: number;
}

/** One read of a socket: a waiter that does not say what its next read costs is expected to take about this much. */
const READ_BYTES = 16_384;
/**
 * The end of a turn is noticed through an immediate, which costs a system call. Until this fraction of a budget is used,
 * work is counted on without one: at worst a turn is taken for longer than it is.
 */
const UNNOTICED = 0.25;
/** The part of a turn that one account uses before another one goes on. */
const QUANTUM = 1 / 16;
/**
 * Node accepts one connection in each turn of the loop. While connections arrive, turns are this part as long, so that a
 * newcomer does not wait behind as many long turns as there are connections before it.
 */
const SHORT_TURN = 1 / 16;
const SHORT_TURNS = 2;

export class LoopBudget {
  /** What arrives now is better kept for a later turn. */
  isUsedUp = false;
  readonly #bounds: () => LoopBounds;
  readonly #nextTurn: (run: () => void) => void;
  readonly #waiting = new Map<string, Set<LoopWaiter>>();
  #bytes = 0;
  #events = 0;
  #isScheduled = false;
  #waited = 0;
  #shortTurns = 0;

  constructor(bounds: () => LoopBounds, nextTurn: (run: () => void) => void) {
    this.#bounds = bounds;
    this.#nextTurn = nextTurn;
  }

  /** How often something had to wait for a later turn. */
  get waited(): number {
    return this.#waited;
  }

  /** Counts work that was done. True: this turn is used up; stop, and `wait`. */
  spend(bytes: number, events = 0): boolean {
    this.#bytes += bytes;
    this.#events += events;
    const { turnBytes, turnEvents } = this.#turnBounds();
    if (this.#bytes < turnBytes * UNNOTICED && this.#events < turnEvents * UNNOTICED) return false;
    this.#schedule();
    this.isUsedUp = this.#bytes >= turnBytes || this.#events >= turnEvents;
    return this.isUsedUp;
  }

  /** A connection was accepted: more may wait to be. */
  hurry(): void {
    this.#shortTurns = SHORT_TURNS;
  }

  #turnBounds(): LoopBounds {
    const bounds = this.#bounds();
    if (this.#shortTurns === 0) return bounds;
    return { turnBytes: bounds.turnBytes * SHORT_TURN, turnEvents: bounds.turnEvents * SHORT_TURN };
  }

  /** `accountId`: whose work it is; strangers share the empty one. */
  wait(waiter: LoopWaiter, accountId: string): void {
    this.#waited++;
    const own = this.#waiting.get(accountId);
    if (own === undefined) this.#waiting.set(accountId, new Set([waiter]));
    else own.add(waiter);
    this.#schedule();
  }

  leave(waiter: LoopWaiter, accountId: string): void {
    const own = this.#waiting.get(accountId);
    if (own?.delete(waiter) === true && own.size === 0) this.#waiting.delete(accountId);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#nextTurn(this.#turn);
  }

  /**
   * A waiter that works at once is counted by its work. One that only reads on works later in the same turn: as many go
   * on as their reads are expected to fit into it.
   */
  readonly #turn = (): void => {
    this.#isScheduled = this.isUsedUp = false;
    this.#bytes = this.#events = 0;
    if (this.#shortTurns > 0) this.#shortTurns--;
    let left = this.#turnBounds().turnBytes;
    while (left > 0 && this.#waiting.size > 0 && !this.isUsedUp) left -= this.#goOn();
    if (this.#waiting.size > 0) this.#schedule();
  };

  get #used(): number {
    const { turnBytes, turnEvents } = this.#turnBounds();
    return Math.max(this.#bytes / turnBytes, this.#events / turnEvents);
  }

  /** The account that has waited longest for its turn goes on: with a quantum of work, or with one read. Returns what the read will cost. */
  #goOn(): number {
    for (const [accountId, own] of this.#waiting) {
      const cost = this.#letWork(own);
      // Behind the other accounts. Waiters that left may have taken it out already.
      if (this.#waiting.get(accountId) !== own) return cost;
      this.#waiting.delete(accountId);
      if (own.size > 0) this.#waiting.set(accountId, own);
      return cost;
    }
    return 0;
  }

  #letWork(own: Set<LoopWaiter>): number {
    const until = this.#used + QUANTUM;
    // Those that wait again while this goes on are at the end of the set.
    for (const waiter of own) {
      own.delete(waiter);
      const before = this.#used;
      waiter.goOn();
      if (this.#used === before) return waiter.readCost ?? READ_BYTES;
      if (this.#used >= until) break;
    }
    return 0;
  }
}
