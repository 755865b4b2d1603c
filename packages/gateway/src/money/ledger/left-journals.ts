/** Journals that dead processes of this machine left, posted to their last line. Posting one twice changes nothing. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deleteJournal, journalsIn } from '../journal/journal.ts';
import { readLines } from '../journal/lines.ts';
import { postInParts } from './apply-in-parts.ts';
import { type Interrupted, type JournalRecord, type Owed, recordFromJson, replay } from './core/journal-records.ts';
import type { StoreUsage, UsageLine } from './core/usage-line.ts';
import type { LedgerDatabase } from './ledger-database.ts';

/** How usage events are written; the ledger itself only carries them. */
export type UsageFormat = {
  readonly interrupted: Interrupted;
  /** Reads usage events from a journal of the previous release, which kept usage in separate journals. */
  readonly inFormerJournal: (lines: Iterable<string>) => Iterable<UsageLine>;
};

export type LeftJournalsPorts = {
  readonly database: LedgerDatabase;
  readonly journalFolder: string;
  readonly usage?: UsageFormat;
  readonly onTrouble: (error: unknown) => void;
};

const REPLAY_BATCH = 256;

export class LeftJournals {
  readonly #ports: LeftJournalsPorts;

  constructor(ports: LeftJournalsPorts) {
    this.#ports = ports;
  }

  /** Calls `end` for each epoch once the ledger database has all of it. */
  async post(isOver: (epoch: string) => boolean, end: (epoch: string) => Promise<void>): Promise<void> {
    const { journalFolder, usage } = this.#ports;
    const formerFolder = join(journalFolder, 'usage');
    // Listed first and posted last: by then it is known what the ledger charges for them.
    const former = usage === undefined ? new Map<string, string[]>() : journalsIn(formerFolder, isOver);
    for (const [epoch, paths] of journalsIn(journalFolder, isOver)) {
      await this.postAll(replay(recordsIn(paths), usage?.interrupted));
      await end(epoch);
      deleteJournal(journalFolder, epoch);
    }
    for (const [epoch, paths] of former) {
      await this.postAll(usagesIn(usage!, paths));
      deleteJournal(formerFolder, epoch);
    }
  }

  async postAll(commands: Iterable<Owed>): Promise<void> {
    const { database, onTrouble } = this.#ports;
    let batch: Owed[] = [];
    for (const command of commands) {
      batch.push(command);
      if (batch.length < REPLAY_BATCH) continue;
      await postInParts(database, batch, onTrouble);
      batch = [];
    }
    await postInParts(database, batch, onTrouble);
  }
}

/** Journals wait for a database of another name: they are posted to none until it has that name again. */
export class OtherNameError extends Error {}

/** Beside the journals' folder of this database: those of the same ledger under another name, as after a restore elsewhere. */
export function journalsOfOtherNames(
  root: string,
  identity: string,
  isOver: (epoch: string) => boolean,
): OtherNameError | undefined {
  if (!existsSync(root)) return undefined;
  const ledger = identity.slice(identity.lastIndexOf('.'));
  const found = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== identity && entry.name.endsWith(ledger))
    .filter(({ name }) => journalsIn(join(root, name), isOver).size > 0)
    .map(({ name }) => name.slice(0, -ledger.length));
  return found.length === 0
    ? undefined
    : new OtherNameError(
        `${root} has journals of the database ${found.join(', ')}; this copy of it is named ${identity.slice(0, -ledger.length)}`,
      );
}

export function* recordsIn(paths: readonly string[]): Generator<JournalRecord> {
  for (const json of linesIn(paths)) yield recordFromJson(json);
}

function* usagesIn({ inFormerJournal }: UsageFormat, paths: readonly string[]): Generator<StoreUsage> {
  for (const usage of inFormerJournal(linesIn(paths))) yield { do: 'usage', usage };
}

function* linesIn(paths: readonly string[]): Generator<string> {
  for (const path of paths) yield* readLines(readFileSync(path, 'utf8'));
}
