/** One timer for everybody who waits: no timer per request, and nothing left ticking when nobody waits. */
import type { Fault } from '@trivium/protocol/canonical';
import { SwapList, type SwapListMember } from './swap-list.ts';

export interface Timed extends SwapListMember {
  tick(nowMs: number): void;
  /** There is no time left for whatever this waits for: it fails now, and says why. */
  stop?(fault: Fault): void;
}

export type Timer = { readonly start: (run: () => void, everyMs: number) => () => void; readonly nowMs: () => number };

export class Timeouts {
  readonly #watched = new SwapList<Timed>();
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

  watch(watched: Timed): void {
    this.#watched.add(watched);
    this.#stop ??= this.#timer.start(() => this.#tick(), this.#everyMs);
  }

  unwatch(watched: Timed): void {
    this.#watched.delete(watched);
  }

  /** For the end of the process: nobody's wait outlives it. */
  stopAll(fault: Fault): void {
    this.#watched.visit((watched) => watched.stop?.(fault));
  }

  #tick(): void {
    if (this.#watched.size === 0) {
      this.#stop?.();
      this.#stop = undefined;
      return;
    }
    const nowMs = this.#timer.nowMs();
    this.#watched.visit((watched) => watched.tick(nowMs));
  }
}
