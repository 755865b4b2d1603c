/**
 * The node's journal on disk: files per epoch, in a folder that the processes of one machine share. What was written
 * survives the process; what was synced, at most 50 ms later, survives the machine.
 */
import { closeSync, fdatasync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type JournalRecord, readLines, writeLine } from './core/journal-records.ts';

export const SYNC_MS = 50;
export const SEGMENT_BYTES = 8 * 1024 * 1024;

const FILE = /^(.+)\.(\d{6})\.journal$/;

type Segment = { readonly path: string; readonly fd: number };

export class Journal {
  readonly epoch: string;
  readonly #folder: string;
  readonly #onTrouble: (error: unknown) => void;
  #segment: Segment;
  #number = 1;
  #bytes = 0;
  #syncing: NodeJS.Timeout | undefined;
  /** Lines that could not be written, tried again before the next ones. */
  #unwritten = '';

  constructor(folder: string, epoch: string, onTrouble: (error: unknown) => void) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.epoch = epoch;
    this.#onTrouble = onTrouble;
    this.#segment = this.#open();
  }

  get isFull(): boolean {
    return this.#bytes >= SEGMENT_BYTES;
  }

  /** One write for all of them. False when they are not on disk: then nothing may be sent upstream on their strength. */
  append(records: readonly JournalRecord[]): boolean {
    if (records.length === 0 && this.#unwritten === '') return true;
    let text = this.#unwritten;
    for (const record of records) text += writeLine(record);
    try {
      const bytes = Buffer.from(text);
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#segment.fd, bytes, written);
      this.#bytes += bytes.length;
      this.#unwritten = '';
    } catch (error) {
      // A torn line would hide all that follow it: the next try goes to a segment of its own.
      this.#unwritten = text.slice(-SEGMENT_BYTES);
      this.#onTrouble(error);
      this.#tryAnew();
      return false;
    }
    this.#syncing ??= setTimeout(() => this.#sync(), SYNC_MS);
    return true;
  }

  /** Goes on in a new segment; gives back how to delete the old one once nothing in it is needed. */
  rotate(): () => void {
    const old = this.#segment;
    this.#number++;
    this.#segment = this.#open();
    this.#bytes = 0;
    closeSync(old.fd);
    return () => rmSync(old.path, { force: true });
  }

  close(): void {
    clearTimeout(this.#syncing);
    closeSync(this.#segment.fd);
  }

  /** After everything in it has reached the book. */
  delete(): void {
    this.close();
    deleteJournal(this.#folder, this.epoch);
  }

  #open(): Segment {
    const path = join(this.#folder, `${this.epoch}.${String(this.#number).padStart(6, '0')}.journal`);
    return { path, fd: openSync(path, 'a', 0o600) };
  }

  #tryAnew(): void {
    try {
      this.rotate();
    } catch (error) {
      this.#onTrouble(error);
    }
  }

  #sync(): void {
    this.#syncing = undefined;
    fdatasync(this.#segment.fd, (error) => {
      // A segment that was closed meanwhile is one that the next has taken over from.
      if (error !== null && error.code !== 'EBADF') this.#onTrouble(error);
    });
  }
}

/** The journals in a folder that `isOver` says nobody writes any more: each epoch with its records. */
export function readJournals(folder: string, isOver: (epoch: string) => boolean): Map<string, JournalRecord[]> {
  const journals = new Map<string, JournalRecord[]>();
  for (const name of filesIn(folder)) {
    const epoch = FILE.exec(name)?.[1];
    if (epoch === undefined || !isOver(epoch)) continue;
    const records = journals.get(epoch) ?? [];
    for (const record of readLines(readFileSync(join(folder, name), 'utf8'))) records.push(record);
    journals.set(epoch, records);
  }
  return journals;
}

export function deleteJournal(folder: string, epoch: string): void {
  for (const name of filesIn(folder)) if (FILE.exec(name)?.[1] === epoch) rmSync(join(folder, name), { force: true });
}

function filesIn(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder).sort();
}
