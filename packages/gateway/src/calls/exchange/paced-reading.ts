/**
 * How fast the answer of an upstream is read: no faster than its caller reads it, than turns of the loop allow, and than
 * there is memory for.
 */
import type { LoopBudget, LoopWaiter } from '../../kernel/loop-budget.ts';
import type { AnswerMemory, Memory, MemoryWaiter } from '../../kernel/memory.ts';
import type { UpstreamExchange } from '../../kernel/upstream.ts';

/** Why the upstream is not read now, as bits: more than one may hold. `late`: what arrived last is not taken yet. */
export const UNREAD = { byCaller: 1, inTurn: 2, forMemory: 4, late: 8 } as const;
/** What arrives now is kept behind what is to be taken first. */
export const LATE = UNREAD.inTurn | UNREAD.late;

/** A piece costs at least as much as this many bytes. */
export const PIECE_BYTES = 64;
/** Less than this is counted with what follows it: most pieces of most streams cost one comparison. */
export const SPENT_AT_ONCE = 1024;

type Ports = { readonly loop: Pick<LoopBudget, 'isUsedUp' | 'spend' | 'wait' | 'leave'>; readonly memory?: Memory };

export abstract class PacedReading implements LoopWaiter, MemoryWaiter {
  /** Undefined for most answers, which are short. */
  memory: AnswerMemory | undefined;
  /** Another one releases the memory, once the caller has read the answer. */
  isMemoryTaken = false;
  protected exchange: UpstreamExchange | undefined;
  /** Nothing more of the answer is taken. */
  protected isOver = false;
  protected unread = 0;
  /** Bytes that were taken and not yet counted against a turn of the loop. */
  protected unspent = 0;
  /** What arrived in a turn of the loop that was used up. */
  protected late = '';
  /** What follows it. */
  protected afterLate: (() => void) | undefined;
  readonly #ports: Ports;
  readonly #accountId: string;

  constructor(ports: Ports, accountId: string) {
    this.#ports = ports;
    this.#accountId = accountId;
  }

  protected abstract take(piece: string): void;

  protected stopReading(why: number): void {
    if (this.unread === 0) this.exchange?.pause();
    this.unread |= why;
  }

  protected readOn(why: number): void {
    if (this.unread === 0) return;
    this.unread &= ~why;
    if (this.unread === UNREAD.late) this.#takeLate();
    else if (this.unread === 0) this.exchange?.resume();
  }

  /** Counts what was done; the rest of the answer waits for a later turn of the loop if this one is used up. */
  protected spend(events: number): void {
    const bytes = this.unspent;
    this.unspent = 0;
    if (this.#ports.loop.spend(bytes, events) && !this.isOver) this.#waitForTurn();
  }

  #waitForTurn(): void {
    if ((this.unread & UNREAD.inTurn) !== 0) return;
    this.stopReading(UNREAD.inTurn);
    this.#ports.loop.wait(this, this.#accountId);
  }

  /** A later turn of the loop has room for it. */
  goOn(): void {
    if (!this.isOver) this.readOn(UNREAD.inTurn);
  }

  /** Many connections can have something to read in one turn: beyond its budget they are read, and no more. */
  protected keepForLater(piece: string, then?: () => void): void {
    this.late = this.late === '' ? piece : this.late + piece;
    this.afterLate = then;
    this.#waitForTurn();
    this.unread |= UNREAD.late;
  }

  #takeLate(): void {
    // The caller may have read on in a turn that is used up.
    if (this.#ports.loop.isUsedUp) {
      this.#waitForTurn();
      return;
    }
    const { late, afterLate } = this;
    this.late = '';
    this.afterLate = undefined;
    this.unread &= ~UNREAD.late;
    if (late !== '') this.take(late);
    if (this.isOver) return;
    if (afterLate !== undefined) afterLate();
    else if (this.unread === 0) this.exchange?.resume();
  }

  /** Counts what is held of the answer; the rest of it waits at the upstream while there is no room. */
  protected countHeld(characters: number): void {
    this.memory ??= this.#ports.memory?.answer(this.#accountId, this);
    if (this.memory?.hold(characters) === false && !this.isOver) this.stopReading(UNREAD.forMemory);
  }

  hasRoom(): void {
    if (!this.isOver) this.readOn(UNREAD.forMemory);
  }

  /** The answer is given up. */
  protected stopWaiting(): void {
    if ((this.unread & UNREAD.inTurn) !== 0) this.#ports.loop.leave(this, this.#accountId);
  }
}
