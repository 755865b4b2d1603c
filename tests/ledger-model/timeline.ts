/** Virtual time: what was put off happens in order, and nothing takes longer than it says. */
type Event = { readonly atMs: number; readonly order: number; readonly run: () => void };

export class Timeline {
  nowMs: number;
  readonly #heap: Event[] = [];
  #order = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  after(delayMs: number, run: () => void): void {
    const heap = this.#heap;
    const event = { atMs: this.nowMs + delayMs, order: this.#order++, run };
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  }

  /** False when nothing is left to happen until then. */
  step(untilMs: number): boolean {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.atMs > untilMs) return false;
    const last = heap.pop()!;
    if (heap.length > 0) this.#sink(last);
    this.nowMs = first.atMs;
    first.run();
    return true;
  }

  #sink(event: Event): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, event)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = event;
  }
}

const isBefore = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
