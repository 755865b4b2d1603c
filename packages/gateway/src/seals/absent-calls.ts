/** Calls of which it is known that no node remembers anything, so that none is asked again. Bounded, the oldest go first. */
import { BoundedMap } from '../kernel/bounded-map.ts';

const MAX_ABSENT = 20_000;
/** Another node may just be writing it down: what is missed for the first time is looked for again after so long. */
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

  /** Nothing was ever there to be remembered. */
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
