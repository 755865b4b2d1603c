/**
 * Notices a ledger database that may lack what it has confirmed: a promoted standby has another timeline, and a
 * database set back to an earlier copy lacks this node's last heartbeats.
 */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerDatabase } from './ledger-database.ts';

/** Another server answers as the ledger database: a promoted standby. */
export class ServerChangedError extends Error {}

/** The ledger database lacks heartbeats that it had confirmed. */
export class DatabaseSetBackError extends Error {}

type Watched = Pick<LedgerDatabase, 'standing'>;
type Forgetting = Watched & { forgotUntilMs(): Promise<number> };

/** What one process last had confirmed, kept beside the journals so that the audit finds it after the process ended. */
type Position = { readonly epoch: string; readonly beats: number };
const POSITION_FILE = 'last-position.json';
/** Heartbeats between two writes of it while this node posts nothing: replacing a file makes the disk work, and the loop wait. */
const BEATS_AT_REST = 15;
/** By how much the clocks of a node and of the database may differ; far less than the day after which epochs are deleted. */
const CLOCKS_DIFFER_MS = 3_600_000;

const isBehind = (beats: number | undefined, confirmed: number): boolean => beats === undefined || beats < confirmed;

const problemOf = (epoch: string, confirmed: number, beats: number | undefined): string =>
  `heartbeat ${confirmed} of ${epoch} was confirmed, and the database has ${beats ?? 'none'}`;

export class DatabaseWatch {
  readonly #database: Watched;
  readonly #journalFolder: string;
  /** WAL timeline of the database server that has everything this node has posted. */
  #timeline: string | undefined;
  #epoch = '';
  #sent = 0;
  #confirmed = 0;
  /** At the last write of the position. */
  #kept = { beats: 0, postings: 0 };

  constructor(database: Watched, journalFolder: string) {
    this.#database = database;
    this.#journalFolder = journalFolder;
  }

  async start(): Promise<void> {
    this.#timeline ??= (await this.#database.standing('')).timeline;
  }

  /** The number of the next heartbeat. */
  next(epoch: string): number {
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#sent = 0;
      this.#confirmed = 0;
      this.#kept = { beats: 0, postings: 0 };
    }
    return ++this.#sent;
  }

  /** `postings`: how many this node had made when it sent the heartbeat. */
  confirmed(epoch: string, count: number, postings: number): void {
    if (epoch !== this.#epoch || count <= this.#confirmed) return;
    this.#confirmed = count;
    const { beats, postings: kept } = this.#kept;
    // A copy of the database that lacks only heartbeats lacks nothing of this node's.
    if (beats > 0 && postings === kept && count < beats + BEATS_AT_REST) return;
    this.#kept = { beats: count, postings };
    keepPosition(this.#journalFolder, { epoch, beats: count });
  }

  /** Why the database may lack what this node has posted; undefined if it has everything. */
  async change(): Promise<ServerChangedError | DatabaseSetBackError | undefined> {
    const [epoch, confirmed] = [this.#epoch, this.#confirmed];
    const { timeline, beats } = await this.#database.standing(epoch);
    if (timeline !== this.#timeline)
      return new ServerChangedError(`timeline ${this.#timeline} became ${timeline}`, { cause: timeline });
    return confirmed > 0 && isBehind(beats, confirmed)
      ? new DatabaseSetBackError(problemOf(epoch, confirmed, beats))
      : undefined;
  }

  /** Everything was posted again after this change. */
  followed(change: ServerChangedError | DatabaseSetBackError): void {
    if (change instanceof ServerChangedError) this.#timeline = String(change.cause);
  }
}

function keepPosition(folder: string, position: Position): void {
  const path = join(folder, POSITION_FILE);
  // Several processes share the folder; a reader never sees half a file.
  const own = `${path}.${process.pid}`;
  try {
    writeFileSync(own, JSON.stringify(position), { mode: 0o600 });
    renameSync(own, path);
  } catch {
    // The journal in the same folder reports a disk that cannot be written to.
  }
}

/** What the database lacks of what it had confirmed to the last process that used this folder; undefined if nothing. */
export async function setBackSince(database: Forgetting, journalFolder: string): Promise<string | undefined> {
  const path = join(journalFolder, POSITION_FILE);
  let position: Position;
  let confirmedAtMs: number;
  try {
    position = JSON.parse(readFileSync(path, 'utf8')) as Position;
    confirmedAtMs = statSync(path).mtimeMs;
  } catch {
    return undefined;
  }
  const { beats } = await database.standing(position.epoch);
  if (!isBehind(beats, position.beats)) return undefined;
  // Deleted, because it had been dead for a day: a database that was set back would not have come that far.
  const isForgotten = beats === undefined && (await database.forgotUntilMs()) >= confirmedAtMs - CLOCKS_DIFFER_MS;
  return isForgotten ? undefined : problemOf(position.epoch, position.beats, beats);
}
