/** Memory held for callers, as seen by the parts that hold it. The book that counts it is in `limits/memory-book.ts`. */

/**
 * `body`: request bodies. `answer`: non-streamed answers until they are handed to the caller, and what streams hold back.
 * `unread`: what callers have not read yet. `thread`: copies on the threads that parse large texts. `idempotency`: stored
 * answers. `capture`: captured content until it is written. `turn`: what open WebSockets may refer to.
 */
export type MemoryKind = 'body' | 'answer' | 'unread' | 'thread' | 'idempotency' | 'capture' | 'turn';

/**
 * Bytes of memory for each character or byte of a text, garbage included: measured as the growth of resident memory with
 * large texts. A body exists as bytes, as text, and again as the request that is sent; an answer as the pieces it arrived
 * in, joined, parsed and encoded again.
 */
export const MEMORY_FACTOR: Readonly<Record<MemoryKind, number>> = {
  body: 4,
  answer: 6,
  unread: 2,
  thread: 4,
  idempotency: 1,
  capture: 2,
  turn: 2,
};

/** Texts up to this length, in characters, are bounded by their number (`limits.inFlight`) and not counted. */
export const SMALL_TEXT = 65_536;
/** The same for request bodies, in bytes. There can be many more of them than of answers. */
export const SMALL_BODY = 8192;

/** Something that stopped for lack of memory. */
export interface MemoryWaiter {
  /** Called once, when there is room for more. */
  hasRoom(): void;
}

/** The memory of one answer; released exactly once, further calls have no effect. */
export interface AnswerMemory {
  /** Counts the characters held now. False: read no more of it until `hasRoom` is called. */
  hold(characters: number): boolean;
  /** Nothing more will arrive: it no longer waits for room. */
  complete(): void;
  /** It is the caller's to read now. */
  handOver(characters: number): void;
  release(): void;
}

/** For exchanges and the threads for large texts. */
export interface Memory {
  answer(accountId: string, waiter: MemoryWaiter): AnswerMemory;
  /** Whether this much more fits now, without counting it. */
  fits(bytes: number): boolean;
  /** Counts what is in memory anyway; the returned function stops counting it, once. */
  count(accountId: string, kind: MemoryKind, characters: number): () => void;
}
