/**
 * Negative cache: calls known to have no stored seals on any node, so that they are not looked up again. Bounded; the
 * oldest are evicted first.
 */
import { BoundedMap } from '../../kernel/bounded-map.ts';

const MAX_ABSENT = 20_000;
/** In ms. Another node may be writing it right now: after the first miss it is looked up again after this time. */
const FIRST_MS = 5000;

export class AbsentCalls {
  readonly #untilMs = new BoundedMap<string, number>(MAX_ABSENT);
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  has(key: string): boolean {
    const untilMs = this.#untilMs.get(key);
    return untilMs !== undefined && this.#nowMs() < untilMs;
  }

  missed(key: string, ttlMs: number): void {
    this.#put(key, this.#untilMs.has(key) ? ttlMs : Math.min(ttlMs, FIRST_MS));
  }

  /** There never were seals to store. */
  never(key: string, ttlMs: number): void {
    this.#put(key, ttlMs);
  }

  forget(key: string): void {
    this.#untilMs.delete(key);
  }

  get size(): number {
    return this.#untilMs.size;
  }

  #put(key: string, forMs: number): void {
    this.#untilMs.set(key, this.#nowMs() + forMs);
  }
}
