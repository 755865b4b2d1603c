/** Answers by Idempotency-Key in this process only: limited in number, bytes and time; the oldest are evicted first. */
import { hash } from 'node:crypto';
import type { IdempotencyClaim, IdempotencyStore, Reservation } from '../kernel/idempotency.ts';
import { type RepeatBounds, stillRunning } from './bounds.ts';

type Running = {
  readonly content: string;
  /** Called when there is an answer, or when the first request gave up. */
  readonly waiting: (() => void)[];
};
type Finished = {
  readonly content: string;
  readonly claim: Exclude<IdempotencyClaim, { readonly kind: 'first' }>;
  readonly bytes: number;
  readonly finishedAtMs: number;
};

/** More than any client repeats one request at a time. */
const MAX_WAITING = 1000;
/** Estimated memory of an entry in addition to its body. */
const ENTRY_BYTES = 512;
/** A string takes up to two bytes per character in memory. */
const BYTES_PER_CHARACTER = 2;

export class MemoryIdempotencyStore implements IdempotencyStore {
  /** Bounded by the number of running requests. */
  readonly #running = new Map<string, Running>();
  /** In the order they finished, so that the first is always the oldest. */
  readonly #finished = new Map<string, Finished>();
  readonly #bounds: () => RepeatBounds;
  readonly #nowMs: () => number;
  #bytes = 0;

  constructor(bounds: () => RepeatBounds, nowMs: () => number) {
    this.#bounds = bounds;
    this.#nowMs = nowMs;
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
      if ('claim' in known) return known.claim;
      await endOf(known, untilMs - this.#nowMs());
    }
  }

  #begin(name: string, content: string, requestId: string): Reservation {
    const running: Running = { content, waiting: [] };
    this.#running.set(name, running);
    const end = (claim?: Finished['claim'], bodyLength = 0): void => {
      if (this.#running.get(name) !== running) return;
      this.#running.delete(name);
      if (claim !== undefined) {
        const bytes = ENTRY_BYTES + bodyLength * BYTES_PER_CHARACTER;
        this.#bytes += bytes;
        this.#finished.set(name, { content, claim, bytes, finishedAtMs: this.#nowMs() });
      }
      for (const wake of running.waiting) wake();
      this.#tidy();
    };
    return {
      keep: (answer) => end({ kind: 'kept', answer }, answer.body.length),
      tooLong: () => end({ kind: 'too-long', requestId }),
      forget: () => end(),
    };
  }

  #tidy(): void {
    const { maxEntries, maxBytes, ttlMs } = this.#bounds();
    const oldestMs = this.#nowMs() - ttlMs;
    for (const [name, { finishedAtMs, bytes }] of this.#finished) {
      if (finishedAtMs > oldestMs && this.#finished.size <= maxEntries && this.#bytes <= maxBytes) return;
      this.#finished.delete(name);
      this.#bytes -= bytes;
    }
  }
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
