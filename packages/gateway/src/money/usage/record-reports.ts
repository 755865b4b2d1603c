/** Request records, wherever they are: in the database, on their way there, or in the memory of this process. */
import type { UsageEvent } from './event.ts';
import {
  EVERY_ACCOUNT,
  type HistogramBar,
  type HistogramQuestion,
  type RecordPage,
  type RecordReader,
  type RecordRow,
} from './record-query.ts';
import { DAY_MS, daysAround, plainIdOf, stampOf } from './request-stamp.ts';

export type RecordPorts = {
  readonly nowMs: () => number;
  readonly reader: RecordReader;
  /** Finished requests that are not stored yet. */
  readonly unstored: (requestId: string) => UsageEvent | undefined;
};

export class RecordReports {
  readonly #ports: RecordPorts;

  constructor(ports: RecordPorts) {
    this.#ports = ports;
  }

  list(page: RecordPage): Promise<readonly RecordRow[]> {
    return this.#ports.reader.list(page);
  }

  histogram(question: HistogramQuestion): Promise<readonly HistogramBar[]> {
    return this.#ports.reader.histogram(question);
  }

  /** Available as soon as it is over, by its id or by the id of its answer. */
  async one(account: string, given: string): Promise<UsageEvent | undefined> {
    const id = plainIdOf(given);
    const made = id === undefined ? undefined : stampOf(id);
    if (id === undefined || made === undefined || made > this.#ports.nowMs() + DAY_MS) return undefined;
    const event = this.#ports.unstored(id);
    if (event !== undefined) return account === EVERY_ACCOUNT || event.accountId === account ? event : undefined;
    const [first, , last] = daysAround(made);
    return this.#ports.reader.one(account, id, [first, last]);
  }
}
