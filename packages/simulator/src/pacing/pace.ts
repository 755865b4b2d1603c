// When each token may be sent: time to first token, then a steady rate. Due times are absolute, so delays do not add
// up.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatorClock } from '../clock.ts';

export interface Pace {
  readonly ttftMs: number;
  /** 0 means as fast as the peer reads. */
  readonly tokensPerSecond: number;
}

const MILLISECONDS_PER_SECOND = 1000;

/** Resolves early, without throwing, when the signal aborts: the caller checks the signal anyway. */
export async function waitMs(durationMs: number, signal: AbortSignal): Promise<void> {
  if (durationMs <= 0 || signal.aborted) return;
  await sleep(durationMs, undefined, { signal }).catch(() => undefined);
}

export class Pacer {
  readonly #pace: Pace;
  readonly #clock: SimulatorClock;
  readonly #signal: AbortSignal;
  readonly #startMs: number;
  #released = 0;

  constructor(pace: Pace, clock: SimulatorClock, signal: AbortSignal) {
    this.#pace = pace;
    this.#clock = clock;
    this.#signal = signal;
    this.#startMs = clock.monotonicMs();
  }

  async beforeFirstByte(afterMs = 0): Promise<void> {
    await waitMs(this.#startMs + this.#pace.ttftMs + afterMs - this.#clock.monotonicMs(), this.#signal);
  }

  async beforeToken(): Promise<void> {
    const { tokensPerSecond } = this.#pace;
    if (tokensPerSecond > 0) await this.beforeFirstByte((this.#released * MILLISECONDS_PER_SECOND) / tokensPerSecond);
    this.#released += 1;
  }
}
