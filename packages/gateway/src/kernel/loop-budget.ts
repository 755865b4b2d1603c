/**
 * The event loop is shared. Streams and bodies together do a bounded amount of work in one turn of the loop; what is left
 * waits for a later turn. Accounts take turns there, so that one with many streams does not delay one with few.
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
}

/** One read of a socket: a waiter that goes on is expected to take about this much. */
const READ_BYTES = 65_536;
/**
 * The end of a turn is noticed through an immediate, which costs a system call. Until this fraction of a budget is used,
 * work is counted on without one: at worst a turn is taken for longer than it is.
 */
const UNNOTICED = 0.25;

export class LoopBudget {
  readonly #bounds: () => LoopBounds;
  readonly #nextTurn: (run: () => void) => void;
  readonly #waiting = new Map<string, Set<LoopWaiter>>();
  #bytes = 0;
  #events = 0;
  #isScheduled = false;
  #waited = 0;

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
    const { turnBytes, turnEvents } = this.#bounds();
    if (this.#bytes < turnBytes * UNNOTICED && this.#events < turnEvents * UNNOTICED) return false;
    this.#schedule();
    return this.#bytes >= turnBytes || this.#events >= turnEvents;
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

  readonly #turn = (): void => {
    this.#isScheduled = false;
    this.#bytes = this.#events = 0;
    const most = Math.max(1, Math.floor(this.#bounds().turnBytes / READ_BYTES));
    for (let count = 0; count < most && this.#waiting.size > 0 && !this.#isUsedUp; count++) this.#goOn();
    if (this.#waiting.size > 0) this.#schedule();
  };

  get #isUsedUp(): boolean {
    const { turnBytes, turnEvents } = this.#bounds();
    return this.#bytes >= turnBytes || this.#events >= turnEvents;
  }

  /** The next waiter of the account that has waited longest for its turn. */
  #goOn(): void {
    for (const [accountId, own] of this.#waiting) {
      this.#waiting.delete(accountId);
      for (const waiter of own) {
        own.delete(waiter);
        // Behind the other accounts.
        if (own.size > 0) this.#waiting.set(accountId, own);
        waiter.goOn();
        return;
      }
    }
  }
}
