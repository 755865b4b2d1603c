/** Whose turn it is: a count of its own for every set of hosts, so that callers with other wishes do not disturb it. */
const MAX_SETS = 4096;

export class Turns {
  readonly #turns = new Map<string, number>();

  peek(set: string): number {
    return this.#turns.get(set) ?? 0;
  }

  next(set: string): number {
    const turn = this.#turns.get(set) ?? 0;
    // Starting anew costs nobody more than an uneven round.
    if (turn === 0 && this.#turns.size >= MAX_SETS) this.#turns.clear();
    this.#turns.set(set, (turn + 1) % Number.MAX_SAFE_INTEGER);
    return turn;
  }
}
