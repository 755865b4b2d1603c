/** One timer for everybody who waits: no timer per request, and nothing left ticking when nobody waits. */
import type { Fault } from '@trivium/protocol/canonical';
import { type Member, Roster } from './roster.ts';

export interface Watched extends Member {
  beat(nowMs: number): void;
  /** There is no time left for whatever this waits for: it fails now, and says why. */
  stop?(fault: Fault): void;
}

export type Timer = { readonly start: (run: () => void, everyMs: number) => () => void; readonly nowMs: () => number };

export class Pulse {
  readonly #watched = new Roster<Watched>();
  readonly #timer: Timer;
  readonly #everyMs: number;
  #stop: (() => void) | undefined;

  constructor(timer: Timer, everyMs: number) {
    this.#timer = timer;
    this.#everyMs = everyMs;
  }

  get watching(): number {
    return this.#watched.size;
  }

  watch(watched: Watched): void {
    this.#watched.add(watched);
    this.#stop ??= this.#timer.start(() => this.#beat(), this.#everyMs);
  }

  unwatch(watched: Watched): void {
    this.#watched.delete(watched);
  }

  /** For the end of the process: nobody's wait outlives it. */
  stopAll(fault: Fault): void {
    this.#watched.visit((watched) => watched.stop?.(fault));
  }

  #beat(): void {
    if (this.#watched.size === 0) {
      this.#stop?.();
      this.#stop = undefined;
      return;
    }
    const nowMs = this.#timer.nowMs();
    this.#watched.visit((watched) => watched.beat(nowMs));
  }
}
