/** Answers by Idempotency-Key in this process only: limited in number, bytes and time; the oldest are evicted first. */
import { hash } from 'node:crypto';
import type { IdempotencyClaim, IdempotencyStore, Reservation, StoredAnswer } from '../../kernel/idempotency.ts';
import { MEMORY_FACTOR } from '../../kernel/memory.ts';
import { type RepeatBounds, stillRunning } from './bounds.ts';

type Running = {
  readonly content: string;
  /** Called when there is an answer, or when the first request gave up. */
  readonly waiting: (() => void)[];
};
type Finished = {
  readonly content: string;
  readonly requestId: string;
  /** Absent: it was not stored. */
  readonly answer?: StoredAnswer;
  /** A long body, outside the heap: a string may retain more than itself. */
  readonly body?: Buffer;
  readonly bytes: number;
  readonly finishedAtMs: number;
};

/** More than any client repeats one request at a time. */
const MAX_WAITING = 1000;
/** Estimated memory of an entry in addition to its body. */
const ENTRY_BYTES = 512;
/** A string takes up to two bytes per character in memory. */
const BYTES_PER_CHARACTER = 2;
const LONG_BODY = 4096;
/** While an answer is recorded, it may also wait for a caller who reads slowly. */
const RECORDED_FACTOR = 2;

/** The memory of this process for what is held for callers. Stored answers are the first to go. */
export type StoreRoom = {
  /** False: there is no room. */
  keep(kind: 'idempotency', bytes: number): boolean;
  drop(kind: 'idempotency', bytes: number): void;
  /** Removes the oldest stored answer; false if there is none. */
  evict: () => boolean;
};

export class MemoryIdempotencyStore implements IdempotencyStore {
  /** Bounded by the number of running requests. */
  readonly #running = new Map<string, Running>();
  /** In the order they finished, so that the first is always the oldest. */
  readonly #finished = new Map<string, Finished>();
  readonly #bounds: () => RepeatBounds;
  readonly #nowMs: () => number;
  readonly #room: StoreRoom;
  #bytes = 0;

  constructor(bounds: () => RepeatBounds, nowMs: () => number, room: StoreRoom) {
    this.#bounds = bounds;
    this.#nowMs = nowMs;
    this.#room = room;
    room.evict = () => this.#evictOldest();
  }

  get maxAnswerLength(): number {
    return this.#bounds().maxAnswerBytes;
  }
  get size(): number {
    return this.#finished.size;
  }
  get bytes(): number {
    return this.#bytes;
  }

  async claim(request: Parameters<IdempotencyStore['claim']>[0]): Promise<IdempotencyClaim> {
    const name = JSON.stringify([request.accountId, request.key]);
    const content = hash('sha256', request.content);
    const untilMs = this.#nowMs() + this.#bounds().waitMs;
    for (;;) {
      this.#tidy();
      const known = this.#finished.get(name) ?? this.#running.get(name);
      if (known === undefined) return { kind: 'first', keeping: this.#begin(name, content, request.requestId) };
      if (known.content !== content) return { kind: 'other-content' };
      if ('bytes' in known) return claimOf(known);
      await endOf(known, untilMs - this.#nowMs());
    }
  }

  /** Its content was erased. */
  forgetAccount(accountId: string): void {
    const prefix = `[${JSON.stringify(accountId)},`;
    for (const name of this.#finished.keys()) if (name.startsWith(prefix)) this.#remove(name);
  }

  #begin(name: string, content: string, requestId: string): Reservation {
    const running: Running = { content, waiting: [] };
    this.#running.set(name, running);
    let heldBytes = 0;
    const end = (finished?: () => Finished): void => {
      if (this.#running.get(name) !== running) return;
      this.#running.delete(name);
      this.#room.drop('idempotency', heldBytes);
      if (finished !== undefined) {
        const entry = finished();
        this.#bytes += entry.bytes;
        this.#finished.set(name, entry);
      }
      for (const wake of running.waiting) wake();
      this.#tidy();
    };
    const unstored = (): Finished => ({ content, requestId, bytes: ENTRY_BYTES, finishedAtMs: this.#nowMs() });
    return {
      hold: (characters) => {
        const more = characters * RECORDED_FACTOR - heldBytes;
        if (more > 0 && !this.#makeRoom(more)) return false;
        heldBytes += Math.max(0, more);
        return true;
      },
      keep: (answer) =>
        end(() => {
          const packed = packedOf(answer);
          const whole = { ...unstored(), ...packed };
          return this.#makeRoom(whole.bytes) ? whole : unstored();
        }),
      tooLong: () => end(unstored),
      forget: () => end(),
    };
  }

  /** For a newer answer, older ones go. */
  #makeRoom(bytes: number): boolean {
    while (!this.#room.keep('idempotency', bytes)) if (!this.#evictOldest()) return false;
    return true;
  }

  #evictOldest(): boolean {
    for (const name of this.#finished.keys()) {
      this.#remove(name);
      return true;
    }
    return false;
  }

  #remove(name: string): void {
    const entry = this.#finished.get(name);
    if (entry === undefined) return;
    this.#finished.delete(name);
    this.#bytes -= entry.bytes;
    // Entries without an answer are bounded by their number, and not in the book.
    if (entry.answer !== undefined) this.#room.drop('idempotency', entry.bytes);
  }

  #tidy(): void {
    const { maxEntries, maxBytes, ttlMs } = this.#bounds();
    const oldestMs = this.#nowMs() - ttlMs;
    for (const [name, { finishedAtMs }] of this.#finished) {
      if (finishedAtMs > oldestMs && this.#finished.size <= maxEntries && this.#bytes <= maxBytes) return;
      this.#remove(name);
    }
  }
}

function packedOf(answer: StoredAnswer): Pick<Finished, 'answer' | 'body' | 'bytes'> {
  const { length } = answer.body;
  if (length <= LONG_BODY) return { answer, bytes: ENTRY_BYTES + length * BYTES_PER_CHARACTER };
  const body = Buffer.from(answer.body);
  return { answer: { ...answer, body: '' }, body, bytes: ENTRY_BYTES + body.length * MEMORY_FACTOR.idempotency };
}

function claimOf({ requestId, answer, body }: Finished): IdempotencyClaim {
  if (answer === undefined) return { kind: 'too-long', requestId };
  return { kind: 'kept', answer: body === undefined ? answer : { ...answer, body: body.toString() } };
}

async function endOf(running: Running, waitMs: number): Promise<void> {
  if (waitMs <= 0 || running.waiting.length >= MAX_WAITING) throw stillRunning();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(stillRunning()), waitMs);
    running.waiting.push(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
