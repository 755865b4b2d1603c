/**
 * Recent times to first token of a model, without outliers: responses many times slower than most are what hedging is
 * against, and must not raise its threshold.
 */
const WINDOW = 128;
/** Fewer samples are not meaningful. */
const MIN_SAMPLES = 20;
const LATE_SHARE = 0.95;
const HEALTHY_FACTOR = 5;
/** The threshold is computed again after this many samples. */
const RENEW_EVERY = 8;

export class FirstTokens {
  readonly #samples = new Float64Array(WINDOW);
  #count = 0;
  #thresholdMs: number | undefined;
  #thresholdAt = 0;

  note(firstTokenMs: number): void {
    this.#samples[this.#count % WINDOW] = firstTokenMs;
    this.#count++;
  }

  /** The 95th percentile of healthy samples in ms; undefined while there are too few. */
  lateAfterMs(): number | undefined {
    if (this.#count < MIN_SAMPLES) return undefined;
    if (this.#thresholdMs === undefined || this.#count - this.#thresholdAt >= RENEW_EVERY) {
      this.#thresholdMs = thresholdOf(this.#samples.slice(0, Math.min(this.#count, WINDOW)).sort());
      this.#thresholdAt = this.#count;
    }
    return this.#thresholdMs;
  }
}

function thresholdOf(sorted: Float64Array): number {
  const medianMs = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const healthy = sorted.filter((sampleMs) => sampleMs <= medianMs * HEALTHY_FACTOR);
  return healthy[Math.min(healthy.length - 1, Math.floor(healthy.length * LATE_SHARE))] ?? 0;
}
