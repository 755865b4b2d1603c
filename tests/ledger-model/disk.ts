/** A node's disk: written data survives a process crash, synced data survives a machine crash, nothing survives the loss of the disk. */
import type { JournalRecord } from '../../packages/gateway/src/money/ledger/core/journal-records.ts';
import type { Random } from './random.ts';

export type Failure = 'kill' | 'power' | 'disk';

export class Disk {
  readonly journals = new Map<string, { records: JournalRecord[]; synced: number }>();

  append(epoch: string, records: readonly JournalRecord[]): void {
    let journal = this.journals.get(epoch);
    if (journal === undefined) {
      journal = { records: [], synced: 0 };
      this.journals.set(epoch, journal);
    }
    for (const record of records) journal.records.push(record);
  }

  sync(): void {
    for (const journal of this.journals.values()) journal.synced = journal.records.length;
  }

  fail(how: Failure, random: Random): void {
    if (how === 'disk') this.journals.clear();
    else if (how === 'power')
      for (const journal of this.journals.values())
        journal.records.length = random.between(journal.synced, journal.records.length);
  }

  holds(epoch: string, request: string): boolean {
    const records = this.journals.get(epoch)?.records ?? [];
    return records.some((record) => record.at === 'admit' && record.request === request);
  }
}
