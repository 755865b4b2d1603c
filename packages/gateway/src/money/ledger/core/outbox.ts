/** What a node has decided: records for its journal, and postings that are sent once those records are written. */
import type { Release, Settle } from './commands.ts';
import type { EndRecord, JournalRecord } from './journal-records.ts';
import { PostingQueue } from './posting-queue.ts';
import type { UsageLine } from './usage-line.ts';

type End = { readonly request: string; readonly record: EndRecord; readonly posting: Settle | Release | undefined };

export class Outbox {
  readonly queue = new PostingQueue();
  #records: JournalRecord[] = [];
  /** The last end whose record is not taken yet: usage of the same request can join it. */
  #lastEnd: End | undefined;

  record(record: JournalRecord): void {
    this.#records.push(record);
  }

  end(end: End): void {
    this.#records.push(end.record);
    if (end.posting !== undefined) this.queue.push(end.posting);
    this.#lastEnd = end;
  }

  /** Adds the usage to its request's end if that was decided last and is not written yet; otherwise returns false. */
  joinEnd(usage: UsageLine): boolean {
    const end = this.#lastEnd;
    if (end === undefined || end.request !== usage.requestId) return false;
    this.#lastEnd = undefined;
    end.record.usage = usage;
    if (end.posting === undefined) this.queue.push({ do: 'usage', usage });
    else end.posting.usage = usage;
    return true;
  }

  /** Usage of a request that has no end here. */
  addUsage(usage: UsageLine): void {
    this.#records.push({ at: 'usage', request: usage.requestId, usage });
    this.queue.push({ do: 'usage', usage });
  }

  takeRecords(): readonly JournalRecord[] {
    const records = this.#records;
    this.#lastEnd = undefined;
    if (records.length > 0) this.#records = [];
    return records;
  }
}
