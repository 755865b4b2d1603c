/** The records of the newest requests, for as long as they are fresh: a ring, so that remembering one costs nothing. */
import type { RequestRecord, RequestRecords } from '../kernel/record.ts';

export type RecentBounds = { readonly maxRequests: number; readonly ttlMs: number };

export class RecentRequests implements RequestRecords {
  readonly #bounds: () => RecentBounds;
  readonly #nowMs: () => number;
  readonly #ring: RequestRecord[] = [];
  #next = 0;

  /** `nowMs` is the wall clock, as in the records. */
  constructor(bounds: () => RecentBounds, nowMs: () => number) {
    this.#bounds = bounds;
    this.#nowMs = nowMs;
  }

  keep(record: RequestRecord): void {
    const { maxRequests } = this.#bounds();
    if (this.#ring.length > maxRequests) this.#ring.length = 0;
    if (maxRequests === 0) return;
    if (this.#next >= maxRequests || this.#next > this.#ring.length) this.#next = 0;
    this.#ring[this.#next++] = record;
  }

  find(accountId: string, requestId: string): RequestRecord | undefined {
    const found = this.#ring.find((record) => record.requestId === requestId && record.accountId === accountId);
    if (found === undefined) return undefined;
    return this.#nowMs() - found.receivedAtMs < this.#bounds().ttlMs ? found : undefined;
  }
}
