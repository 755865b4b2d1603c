/** Round robin: one counter for every set of hosts, so that callers with other preferences do not disturb it. */
import { BoundedMap } from '../../kernel/bounded-map.ts';

const MAX_SETS = 4096;

export class Turns {
  readonly #turns = new BoundedMap<string, { next: number }>(MAX_SETS);

  peek(set: string): number {
    return this.#turns.get(set)?.next ?? 0;
  }

  next(set: string): number {
    // An evicted set starts at 0 again, which costs no more than an uneven round.
    const count = this.#turns.getOrInsertComputed(set, () => ({ next: 0 }));
    const turn = count.next;
    count.next = (turn + 1) % Number.MAX_SAFE_INTEGER;
    return turn;
  }
}
