/** One shared timer for all timeouts: no timer per request, and none at all while nothing waits. */
import type { Fault } from '@trivium/protocol/canonical';

export interface Timed extends SwapListMember {
  tick(nowMs: number): void;
  /** Called at shutdown: whatever this waits for fails now with this fault. */
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

  /** At shutdown: ends all waits. */
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

// A swap-remove list of present members, for members that come and go thousands of times a second. A `Set` would do,
// but V8 chains the tables that a busy set outgrows: a dead table in the old generation keeps its members alive, and
// each of them whatever it holds, until the next full collection. Under load that promoted a third of all requests.

export interface SwapListMember {
  /** The member's index in the list; only the list writes it. Starts as `ABSENT`. */
  index: number;
}

export const ABSENT = -1;

export class SwapList<M extends SwapListMember> {
  readonly #items: M[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(member: M): void {
    if (member.index !== ABSENT) return;
    member.index = this.#items.length;
    this.#items.push(member);
  }

  delete(member: M): void {
    const { index } = member;
    if (index === ABSENT) return;
    member.index = ABSENT;
    const last = this.#items.pop();
    if (last === undefined || last === member) return;
    last.index = index;
    this.#items[index] = last;
  }

  /** Members may leave and join while this runs; one that joins is not visited. */
  visit(each: (member: M) => void): void {
    // From the end: the item that takes a removed one's index was visited already.
    for (let index = this.#items.length - 1; index >= 0; index--) {
      const member = this.#items[index];
      if (member !== undefined) each(member);
    }
  }
}
