/**
 * A bounded right to do more than was asked for: every request brings a share of a token, every extra call takes a whole
 * one. Time brings tokens only up to a small floor, so that a quiet host has any. Time is handed in.
 */
export type BucketForm = {
  /** Extra calls for each request, e.g. 0.1. */
  readonly share: () => number;
  /** Most that can be saved up. */
  readonly capacity: () => number;
  /** What time alone fills it to, and it begins with. */
  readonly floor: number;
  readonly floorPerSecond: number;
};

export class TokenBucket {
  readonly #form: BucketForm;
  #tokens: number;
  #filledAtMs = 0;

  constructor(form: BucketForm) {
    this.#form = form;
    this.#tokens = form.floor;
  }

  asked(): void {
    this.#tokens = Math.min(this.#form.capacity(), this.#tokens + this.#form.share());
  }

  take(nowMs: number): boolean {
    const { floor, floorPerSecond } = this.#form;
    const filled = this.#tokens + ((nowMs - this.#filledAtMs) / 1000) * floorPerSecond;
    this.#tokens = Math.max(this.#tokens, Math.min(floor, filled));
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
