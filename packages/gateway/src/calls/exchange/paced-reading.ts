/**
 * How fast the answer of an upstream is read: no faster than its caller reads it, than turns of the loop allow, and than
 * there is memory for.
 */
import type { Fault } from '@trivium/protocol/canonical';
import type { Clock } from '../../kernel/clock.ts';
import type { LoopBudget, LoopWaiter } from '../../kernel/loop-budget.ts';
import type { AnswerMemory, Memory, MemoryWaiter } from '../../kernel/memory.ts';
import type { AnswerSample } from '../../kernel/target.ts';
import type { HowFailed, UpstreamExchange } from '../../kernel/upstream.ts';
import type { WireAttempt } from '../../kernel/wire.ts';

/** Why the upstream is not read now, as bits: more than one may hold. `late`: what arrived last is not taken yet. */
export const UNREAD = { byCaller: 1, inTurn: 2, forMemory: 4, late: 8 } as const;
/** What arrives now is kept behind what is to be taken first. */
const LATE = UNREAD.inTurn | UNREAD.late;

/** A piece costs at least as much as this many bytes. */
export const PIECE_BYTES = 64;
/** Less than this is counted with what follows it: most pieces of most streams cost one comparison. */
export const SPENT_AT_ONCE = 1024;

export const TOO_LATE: Fault = { kind: 'upstream-timeout', message: 'The upstream provider took too long.' };
export const NO_MEMORY: Fault = {
  kind: 'upstream-timeout',
  message: 'The gateway had no memory for this answer in time. Ask for shorter answers, or for fewer at a time.',
};

const LINE_FEED = 10;

type Ports = {
  readonly loop: Pick<LoopBudget, 'isUsedUp' | 'spend' | 'wait' | 'leave'>;
  readonly clock: Clock;
  readonly memory?: Memory;
};

export abstract class PacedReading implements LoopWaiter, MemoryWaiter {
  /** Undefined for most answers, which are short. */
  memory: AnswerMemory | undefined;
  /** Another one releases the memory, once the caller has read the answer. */
  isMemoryTaken = false;
  protected exchange: UpstreamExchange | undefined;
  protected readonly deadlines: Deadlines;
  /** Undefined if nothing is captured. */
  protected wire: WireAttempt | undefined;
  /** Undefined for nearly all. */
  protected sample: AnswerSample | undefined;
  /** What arrived and is not taken yet completes a line. */
  protected hasLine = false;
  /** Nothing more of the answer is taken. */
  protected isOver = false;
  protected unread = 0;
  /** Bytes that were taken and not yet counted against a turn of the loop. */
  protected unspent = 0;
  /** What arrived in a turn of the loop that was used up. */
  #late = '';
  /** What follows it. */
  #afterLate: (() => void) | undefined;
  readonly #ports: Ports;
  readonly #accountId: string;

  constructor(ports: Ports, accountId: string) {
    this.#ports = ports;
    this.#accountId = accountId;
    this.deadlines = new Deadlines(ports.clock.monotonicMs());
  }

  /** Sound has no lines: each piece of it counts. */
  readsBytes = false;
  protected abstract take(piece: string): void;
  protected abstract endNow(): void;
  protected abstract failNow(said: Fault, cause: unknown, how?: HowFailed): void;

  onText(piece: string): void {
    this.wire?.text(piece);
    this.sample?.text(piece);
    // A piece that does not complete a line does not count as activity.
    if (this.readsBytes || piece.charCodeAt(piece.length - 1) === LINE_FEED || piece.includes('\n')) {
      this.deadlines.onActivity(this.#ports.clock.monotonicMs());
      this.hasLine = true;
    }
    if (this.#ports.loop.isUsedUp || (this.unread & LATE) !== 0) this.#keepForLater(piece);
    else this.take(piece);
  }

  onEnd(): void {
    if (this.isOver) return;
    if (this.#ports.loop.isUsedUp || (this.unread & LATE) !== 0) this.#keepForLater('', () => this.endNow());
    else this.endNow();
  }

  onFail(said: Fault, cause: unknown, how?: HowFailed): void {
    if (this.#late === '') this.failNow(said, cause, how);
    else this.#afterLate = () => this.failNow(said, cause, how);
  }

  /** The caller reads more slowly than the upstream sends; the upstream's timeouts stand still. */
  pause(): void {
    this.deadlines.pause();
    this.#stopReading(UNREAD.byCaller);
  }
  resume(): void {
    this.deadlines.resume(this.#ports.clock.monotonicMs());
    this.#readOn(UNREAD.byCaller);
  }

  #stopReading(why: number): void {
    if (this.unread === 0) this.exchange?.pause();
    this.unread |= why;
  }

  #readOn(why: number): void {
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
    this.#stopReading(UNREAD.inTurn);
    this.#ports.loop.wait(this, this.#accountId);
  }

  /** A later turn of the loop has room for it. */
  goOn(): void {
    if (!this.isOver) this.#readOn(UNREAD.inTurn);
  }

  /** Many connections can have something to read in one turn: beyond its budget they are read, and no more. */
  #keepForLater(piece: string, then?: () => void): void {
    this.#late = this.#late === '' ? piece : this.#late + piece;
    this.#afterLate = then;
    this.#waitForTurn();
    this.unread |= UNREAD.late;
  }

  #takeLate(): void {
    // The caller may have read on in a turn that is used up.
    if (this.#ports.loop.isUsedUp) {
      this.#waitForTurn();
      return;
    }
    const late = this.#late;
    const afterLate = this.#afterLate;
    this.#late = '';
    this.#afterLate = undefined;
    this.unread &= ~UNREAD.late;
    if (late !== '') this.take(late);
    if (this.isOver) return;
    if (afterLate !== undefined) afterLate();
    else if (this.unread === 0) this.exchange?.resume();
  }

  /** Counts what is held of the answer; the rest of it waits at the upstream while there is no room. */
  protected countHeld(characters: number): void {
    this.memory ??= this.#ports.memory?.answer(this.#accountId, this);
    if (this.memory?.hold(characters) === false && !this.isOver) this.#stopReading(UNREAD.forMemory);
  }

  hasRoom(): void {
    if (!this.isOver) this.#readOn(UNREAD.forMemory);
  }

  /** The answer is given up. */
  protected stopWaiting(): void {
    if ((this.unread & UNREAD.inTurn) !== 0) this.#ports.loop.leave(this, this.#accountId);
  }
}

// The timeouts of an upstream, in monotonic ms.

/**
 * Timeouts in ms: to the first content, between two lines of a stream, between two pieces of content while lines
 * without content arrive, and for all attempts together.
 */
export type Waits = {
  readonly firstByteMs: number;
  readonly silenceMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
};

/** How long in ms a complete answer waits for more, if its format has no last frame. */
export const LINGER_MS = 1000;

export class Deadlines {
  /** When the wait for the first content started. */
  sinceMs: number;
  #activeAtMs: number;
  #progressAtMs: number;
  #paused = false;

  constructor(nowMs: number) {
    this.sinceMs = this.#activeAtMs = this.#progressAtMs = nowMs;
  }

  /** A line or the head has arrived. */
  onActivity(nowMs: number): void {
    this.#activeAtMs = nowMs;
  }

  /** What arrived last was content: no ping, comment or empty delta. */
  progressed(): void {
    this.#progressAtMs = this.#activeAtMs;
  }

  /** An upstream the gateway does not read from is not silent. */
  pause(): void {
    this.#paused = true;
  }

  resume(nowMs: number): void {
    this.#paused = false;
    this.#activeAtMs = this.#progressAtMs = nowMs;
  }

  /** No content has arrived for this long. */
  hasIdled(nowMs: number, ms: number): boolean {
    return !this.#paused && nowMs - this.#progressAtMs > ms;
  }

  /** Before the first content only the first-byte timeout counts, whatever else arrives. */
  isOver(nowMs: number, hasBegun: boolean, { firstByteMs, silenceMs, idleMs }: Waits): boolean {
    if (this.#paused) return false;
    if (!hasBegun) return nowMs - this.sinceMs > firstByteMs;
    return nowMs - this.#activeAtMs > silenceMs || nowMs - this.#progressAtMs > idleMs;
  }
}
