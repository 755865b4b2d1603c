/** Answers the same questions as the database, from the records in this process's memory. */
import type { UsageEvent } from './event.ts';
import { classOf } from './outcome-class.ts';
import type { RecentRecords } from './recent-records.ts';
import {
  EVERY_ACCOUNT,
  fits,
  type HistogramBar,
  type HistogramQuestion,
  inTime,
  type RecordFilter,
  type RecordPage,
  type RecordReader,
  type RecordRow,
  rowOf,
} from './record-query.ts';

export class RecentReader implements RecordReader {
  readonly #recent: RecentRecords;

  constructor(recent: RecentRecords) {
    this.#recent = recent;
  }

  async list({ filter, order, after, limit }: RecordPage): Promise<readonly RecordRow[]> {
    const sign = order === 'newest' ? -1 : 1;
    return this.#rows(filter)
      .toSorted((a, b) => sign * inTime(a, b))
      .filter((row) => after === undefined || sign * inTime(row, after) > 0)
      .slice(0, limit);
  }

  async one(account: string, requestId: string): Promise<UsageEvent | undefined> {
    const found = this.#recent.find(requestId);
    return account === EVERY_ACCOUNT || found?.accountId === account ? found : undefined;
  }

  async histogram({ filter, bucketMs }: HistogramQuestion): Promise<readonly HistogramBar[]> {
    const bars = new Map<number, HistogramBar>();
    for (const { receivedAtMs, outcome } of this.#rows(filter)) {
      const atMs = Math.floor(receivedAtMs / bucketMs) * bucketMs;
      const bar = bars.get(atMs) ?? { atMs, ok: 0, caller: 0, upstream: 0, gateway: 0 };
      const outcomeClass = classOf(outcome);
      bars.set(atMs, { ...bar, [outcomeClass]: bar[outcomeClass] + 1 });
    }
    return [...bars.values()].toSorted((a, b) => a.atMs - b.atMs);
  }

  /** Without a database, records reach the feed as requests end: there is nothing to poll. */
  async storedAfter(): Promise<readonly []> {
    return [];
  }

  #rows(filter: RecordFilter): readonly RecordRow[] {
    return this.#recent
      .all()
      .map(rowOf)
      .filter((row) => row.receivedAtMs >= filter.fromMs && row.receivedAtMs < filter.untilMs && fits(row, filter));
  }
}
