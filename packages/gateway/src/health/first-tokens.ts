/**
 * How long the first tokens of a model took of late, as far as they were healthy: what is many times slower than most is
 * what hedging is against, and must not raise the bar it is held to.
 */
const WINDOW = 128;
/** Fewer tell nothing. */
const MIN_SAMPLES = 20;
const LATE_SHARE = 0.95;
const HEALTHY_FACTOR = 5;
/** The bar is found anew after so many samples. */
const RENEW_EVERY = 8;

export class FirstTokens {
  readonly #samples = new Float64Array(WINDOW);
  #count = 0;
  #barMs: number | undefined;
  #barAt = 0;

  note(firstTokenMs: number): void {
    this.#samples[this.#count % WINDOW] = firstTokenMs;
    this.#count++;
  }

  /** Nineteen of twenty healthy ones came sooner; undefined while too few are known. */
  lateAfterMs(): number | undefined {
    if (this.#count < MIN_SAMPLES) return undefined;
    if (this.#barMs === undefined || this.#count - this.#barAt >= RENEW_EVERY) {
      this.#barMs = barOf(this.#samples.slice(0, Math.min(this.#count, WINDOW)).sort());
      this.#barAt = this.#count;
    }
    return this.#barMs;
  }
}

function barOf(sorted: Float64Array): number {
  const medianMs = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const healthy = sorted.filter((sampleMs) => sampleMs <= medianMs * HEALTHY_FACTOR);
  return healthy[Math.min(healthy.length - 1, Math.floor(healthy.length * LATE_SHARE))] ?? 0;
}
