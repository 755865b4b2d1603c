/** What a watcher of the gateway saw: how long each of its questions took, and which failed. */
import { percentile, rounded } from '../parts/load.ts';

export type Waits = {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** The longest time by which the watcher itself ran late, although it has next to nothing to do: the machine was busy or stood still. */
  readonly lateMs: number;
  /** By kind of failure. */
  readonly failures: Readonly<Record<string, number>>;
};

export const failuresOf = ({ failures }: Waits): number => Object.values(failures).reduce((sum, each) => sum + each, 0);

/** Asks at a fixed rate whether or not earlier questions were answered; a question without an answer yet counts as long as it waits. */
export class OpenLoop {
  readonly #asked = new Set<number>();
  #tookMs: number[] = [];
  #failures: Record<string, number> = {};
  readonly #timer: NodeJS.Timeout;
  #lastMs = Number.POSITIVE_INFINITY;
  #lateMs = 0;

  constructor(everyMs: number, question: (answered: (failure?: string) => void) => void) {
    this.#timer = setInterval(() => {
      const atMs = performance.now();
      this.#lateMs = Math.max(this.#lateMs, atMs - this.#lastMs - everyMs);
      this.#lastMs = atMs;
      // Two questions at the same instant are one.
      if (this.#asked.has(atMs)) return;
      this.#asked.add(atMs);
      question((failure) => {
        if (!this.#asked.delete(atMs)) return;
        this.#tookMs.push(performance.now() - atMs);
        if (failure !== undefined) this.#failures[failure] = (this.#failures[failure] ?? 0) + 1;
      });
    }, everyMs);
  }

  /** From here on it counts. */
  mark(): void {
    this.#tookMs = [];
    this.#failures = {};
    this.#lateMs = 0;
  }

  /** Resolves when every question is answered, or with those that are not as failures. */
  async end(limitMs: number): Promise<Waits> {
    clearInterval(this.#timer);
    const untilMs = performance.now() + limitMs;
    while (this.#asked.size > 0 && performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 10));
    const nowMs = performance.now();
    const tookMs = [...this.#tookMs, ...[...this.#asked].map((atMs) => nowMs - atMs)];
    if (this.#asked.size > 0) this.#failures['no answer'] = this.#asked.size;
    return {
      count: tookMs.length,
      p50Ms: rounded(percentile(tookMs, 0.5), 1),
      p99Ms: rounded(percentile(tookMs, 0.99), 1),
      longestMs: rounded(
        tookMs.reduce((longest, each) => Math.max(longest, each), 0),
        1,
      ),
      lateMs: rounded(this.#lateMs, 1),
      failures: this.#failures,
    };
  }
}
