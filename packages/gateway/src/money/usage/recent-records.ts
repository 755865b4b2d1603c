/** The records of the newest requests of this process, for gateways without a database: a ring buffer. */
import type { RequestRecord } from '../../kernel/record.ts';
import type { UsageEvent } from './event.ts';

export type RecentBounds = { readonly maxRequests: number; readonly ttlMs: number };

/** Events are made only when they are read, which is rare. */
type Kept = RequestRecord | UsageEvent;

export class RecentRecords {
  readonly #bounds: () => RecentBounds;
  readonly #nowMs: () => number;
  readonly #eventOf: (record: RequestRecord) => UsageEvent;
  readonly #ring: Kept[] = [];
  #next = 0;

  /** `nowMs` is the wall clock, as in the records. */
  constructor(bounds: () => RecentBounds, nowMs: () => number, eventOf: (record: RequestRecord) => UsageEvent) {
    this.#bounds = bounds;
    this.#nowMs = nowMs;
    this.#eventOf = eventOf;
  }

  keep(record: Kept): void {
    const { maxRequests } = this.#bounds();
    if (this.#ring.length > maxRequests) this.#ring.length = 0;
    if (maxRequests === 0) return;
    if (this.#next >= maxRequests || this.#next > this.#ring.length) this.#next = 0;
    this.#ring[this.#next++] = record;
  }

  find(requestId: string): UsageEvent | undefined {
    const found = this.#ring.find((record) => record.requestId === requestId);
    return found !== undefined && this.#isFresh(found) ? this.#shown(found) : undefined;
  }

  /** In no order. */
  all(): readonly UsageEvent[] {
    return this.#ring.filter((record) => this.#isFresh(record)).map((record) => this.#shown(record));
  }

  #isFresh({ receivedAtMs }: Kept): boolean {
    return this.#nowMs() - receivedAtMs < this.#bounds().ttlMs;
  }

  #shown(record: Kept): UsageEvent {
    return 'details' in record ? record : this.#eventOf(record);
  }
}
