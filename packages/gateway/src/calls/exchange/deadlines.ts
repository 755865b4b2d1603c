/** The timeouts of an upstream, in monotonic ms. */

/**
 * Timeouts in ms: to the first content, between two lines of a stream, between two pieces of content while lines
 * without content arrive, and for all attempts together.
 */
export type Waits = {
  readonly firstByteMs: number;
  readonly silenceMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
};

/** How long in ms a complete answer waits for more, if its format has no last frame. */
export const LINGER_MS = 1000;

export class Deadlines {
  /** When the wait for the first content started. */
  sinceMs: number;
  #activeAtMs: number;
  #progressAtMs: number;
  #paused = false;

  constructor(nowMs: number) {
    this.sinceMs = this.#activeAtMs = this.#progressAtMs = nowMs;
  }

  /** A line or the head has arrived. */
  onActivity(nowMs: number): void {
    this.#activeAtMs = nowMs;
  }

  /** What arrived last was content: no ping, comment or empty delta. */
  progressed(): void {
    this.#progressAtMs = this.#activeAtMs;
  }

  /** An upstream the gateway does not read from is not silent. */
  pause(): void {
    this.#paused = true;
  }

  resume(nowMs: number): void {
    this.#paused = false;
    this.#activeAtMs = this.#progressAtMs = nowMs;
  }

  /** No content has arrived for this long. */
  hasIdled(nowMs: number, ms: number): boolean {
    return !this.#paused && nowMs - this.#progressAtMs > ms;
  }

  /** Before the first content only the first-byte timeout counts, whatever else arrives. */
  isOver(nowMs: number, hasBegun: boolean, { firstByteMs, silenceMs, idleMs }: Waits): boolean {
    if (this.#paused) return false;
    if (!hasBegun) return nowMs - this.sinceMs > firstByteMs;
    return nowMs - this.#activeAtMs > silenceMs || nowMs - this.#progressAtMs > idleMs;
  }
}
