/** Usage waiting to be posted: memory holds as much as two journal segments, the disk the rest. */
import { readFileSync } from 'node:fs';
import { SEGMENT_BYTES } from '../journal/journal.ts';
import { readLines } from '../journal/lines.ts';
import { LostUsageError } from './apply-in-parts.ts';
import { type JournalRecord, recordFromJson } from './core/journal-records.ts';
import { type Posting, usageOf } from './core/posting-queue.ts';

const MOST_CHARACTERS = 2 * SEGMENT_BYTES;

export class UsageMemory {
  readonly #onTrouble: (error: unknown) => void;
  readonly #mostCharacters: number;
  #characters = 0;
  /** The file read back last; postings leave in the order they were written, so one file is enough. */
  #file: { readonly path: string; readonly usages: ReadonlyMap<string, string> } | undefined;

  constructor(onTrouble: (error: unknown) => void, mostCharacters = MOST_CHARACTERS) {
    this.#onTrouble = onTrouble;
    this.#mostCharacters = mostCharacters;
  }

  /** `path`: the file they are written to; absent if that failed: then whatever exceeds the memory limit is lost. */
  keep(records: readonly JournalRecord[], path: string | undefined): void {
    for (const record of records) {
      const usage = usageOf(record);
      if (usage?.json === undefined) continue;
      if (this.#characters < this.#mostCharacters) {
        this.#characters += usage.json.length;
        continue;
      }
      usage.json = undefined;
      if (path !== undefined) usage.path = path;
      else this.#onTrouble(new LostUsageError(`request ${usage.requestId}: neither disk nor database takes it`));
    }
  }

  /** Called before sending. Usage that cannot be read back is lost; the money is posted without it. */
  recall(batch: readonly Posting[]): void {
    let isRead = false;
    for (const posting of batch) {
      const usage = usageOf(posting);
      if (usage?.path === undefined || usage.json !== undefined) continue;
      isRead = true;
      usage.json = this.#usagesIn(usage.path).get(usage.requestId);
      if (usage.json === undefined)
        this.#onTrouble(new LostUsageError(`request ${usage.requestId}: not in the journal`));
    }
    if (!isRead) this.#file = undefined;
  }

  /** Called once the batch is stored. */
  forget(batch: readonly Posting[]): void {
    for (const posting of batch) {
      const usage = usageOf(posting);
      if (usage?.json !== undefined && usage.path === undefined) this.#characters -= usage.json.length;
    }
  }

  #usagesIn(path: string): ReadonlyMap<string, string> {
    if (this.#file?.path === path) return this.#file.usages;
    const usages = new Map<string, string>();
    try {
      for (const json of readLines(readFileSync(path, 'utf8'))) {
        const record = recordFromJson(json);
        const usage = usageOf(record);
        if (usage?.json !== undefined) usages.set(usage.requestId, usage.json);
      }
    } catch (error) {
      this.#onTrouble(error);
    }
    this.#file = { path, usages };
    return usages;
  }
}
