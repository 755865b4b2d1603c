/**
 * How hard the process is pressed: which share of new requests has to go for those it has to be served in time. Told ten
 * times a second, or as often as the loop turns, how long the event loop keeps everybody waiting and how full heap and memory are; asked once per request.
 */

export type PressureBounds = {
  /** A sustained delay of the event loop that is no longer acceptable; 0 takes no notice of it. */
  readonly lagMs: number;
  /** How much of the heap may be in use before nothing new is taken. */
  readonly heapShare: number;
  /** How much of the memory it may have may be resident, buffers outside the heap included, before nothing new is taken. */
  readonly residentShare: number;
};

/** How full the memory of the process is, as shares of what it may have. */
export type MemoryReading = { readonly heapShare: number; readonly residentShare: number };

/** Delay must last so long, and over more than one period, before anybody is refused: a pause is no load. */
const SUSTAINED_MS = 300;
/** Delay counts against the goal by how far it is off, and by whether it grows: a controller for queues, as in RFC 8033. */
const BY_DISTANCE = 0.1;
const BY_TREND = 0.2;
/** One terrible period tells no more than one this many times too slow, and as many times too long. */
const MAX_RATIO = 5;
const PERIOD_MS = 100;
/** Above 1, so that callers with a tenth of their share can be refused as well if all others already are. */
const MAX_SHED = 4;
/** Once the loop keeps up easily, what remains of the pressure goes quickly: all of it within a second or so. */
const EASY_RATIO = 0.25;
const EASING = 0.6;
const LEAST_SHED = 0.01;

export class Pressure {
  readonly #bounds: () => PressureBounds;
  #shed = 0;
  #slowMs = 0;
  #lastRatio = 0;
  #memoryFull = false;

  constructor(bounds: () => PressureBounds) {
    this.#bounds = bounds;
  }

  /** The share of requests to refuse, of a caller that has exactly its own share of what runs. */
  get shed(): number {
    return this.#shed;
  }

  get memoryFull(): boolean {
    return this.#memoryFull;
  }

  /** After each period, with the shortest delay seen in it: what even the luckiest had to wait. */
  observe(lagMs: number, memory: MemoryReading, periodMs: number): void {
    const bounds = this.#bounds();
    this.#memoryFull = memory.heapShare >= bounds.heapShare || memory.residentShare >= bounds.residentShare;
    const ratio = bounds.lagMs === 0 ? 0 : Math.min(MAX_RATIO, lagMs / bounds.lagMs);
    this.#shed = this.#next(ratio, periodMs);
    this.#lastRatio = ratio;
  }

  #next(ratio: number, periodMs: number): number {
    const isFirst = this.#slowMs === 0;
    this.#slowMs = ratio > 1 ? this.#slowMs + periodMs : 0;
    if (this.#shed === 0 && (isFirst || this.#slowMs < SUSTAINED_MS)) return 0;
    const byDistance = BY_DISTANCE * (ratio - 1) * Math.min(MAX_RATIO, periodMs / PERIOD_MS);
    const drift = byDistance + BY_TREND * (ratio - this.#lastRatio);
    const next = Math.min(MAX_SHED, Math.max(0, this.#shed + drift)) * (ratio < EASY_RATIO ? EASING : 1);
    return next < LEAST_SHED ? 0 : next;
  }
}
