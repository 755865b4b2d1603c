/** How long an upstream may take, and whether it has taken longer. Times are monotonic. */

/**
 * To the first content, between two lines of a stream, between two pieces of content while lines that say nothing come, and
 * for all attempts together.
 */
export type Waits = {
  readonly firstByteMs: number;
  readonly silenceMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
};

export class Deadlines {
  /** Since when the first content is waited for. */
  sinceMs: number;
  #heardAtMs: number;
  #progressAtMs: number;
  #progress = 0;
  #paused = false;

  constructor(nowMs: number) {
    this.sinceMs = this.#heardAtMs = this.#progressAtMs = nowMs;
  }

  /** A line, or the head. */
  heard(nowMs: number): void {
    this.#heardAtMs = nowMs;
  }

  /** How often there was content so far; pings, comments and empty deltas leave it as it is. */
  progressed(count: number, nowMs: number): void {
    if (count === this.#progress) return;
    this.#progress = count;
    this.#progressAtMs = nowMs;
  }

  /** An upstream we do not listen to is not silent. */
  pause(): void {
    this.#paused = true;
  }

  resume(nowMs: number): void {
    this.#paused = false;
    this.#heardAtMs = this.#progressAtMs = nowMs;
  }

  /** Before the first content an upstream may drip as it likes: it is content that is waited for. */
  isOver(nowMs: number, hasBegun: boolean, { firstByteMs, silenceMs, idleMs }: Waits): boolean {
    if (this.#paused) return false;
    if (!hasBegun) return nowMs - this.sinceMs > firstByteMs;
    return nowMs - this.#heardAtMs > silenceMs || nowMs - this.#progressAtMs > idleMs;
  }
}
