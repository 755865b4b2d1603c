/**
 * A write-ahead journal on disk: files per epoch, in a folder shared by the processes of one machine. Written lines
 * survive the process; synced lines survive the machine. A sync starts at most 50 ms after a write.
 */
import {
  close,
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { lineOf } from './lines.ts';
import { syncNames } from './sync-names.ts';

/** The file operations of a journal; a test replaces them with a disk that loses unsynced data. */
export type JournalDisk = {
  open(path: string, flags: 'a' | 'r'): number;
  write(fd: number, bytes: Buffer, from: number): number;
  /** Syncs a file's data. */
  sync(fd: number, done: (error: NodeJS.ErrnoException | null) => void): void;
  /** Syncs the file names in a folder. */
  syncNames(fd: number, done: (error: NodeJS.ErrnoException | null) => void): void;
  close(fd: number): void;
  /** Whether an open file still has a name in a folder. */
  isNamed(fd: number): boolean;
};

const localDisk: JournalDisk = {
  open: (path, flags) => openSync(path, flags, 0o600),
  write: writeSync,
  sync: fdatasync,
  syncNames,
  close: (fd) => close(fd),
  isNamed: (fd) => fstatSync(fd).nlink > 0,
};

const SYNC_MS = 50;
export const SEGMENT_BYTES = 8 * 1024 * 1024;

const FILE = /^(.+)\.(\d{6})\.journal$/;

type Segment = { readonly path: string; readonly fd: number };

/** A segment that is no longer written to: several files if a full disk tore one. */
export type ClosedSegment = { readonly bytes: number; remove(): void };

export class Journal {
  readonly epoch: string;
  readonly #folder: string;
  readonly #onTrouble: (error: unknown) => void;
  readonly #disk: JournalDisk;
  #segment: Segment;
  #number = 1;
  #bytes = 0;
  #syncing: NodeJS.Timeout | undefined;
  /** Lines that could not be written; retried before the next ones. */
  #unwritten = '';
  /** A torn line would hide all that follow it: the next attempt goes to a new file. */
  #isTorn = false;
  #torn: string[] = [];

  constructor(folder: string, epoch: string, onTrouble: (error: unknown) => void, disk = localDisk) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.epoch = epoch;
    this.#onTrouble = onTrouble;
    this.#disk = disk;
    this.#segment = this.#open();
  }

  /** The file written to last. */
  get path(): string {
    return this.#segment.path;
  }

  /** Size of the current segment. */
  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= SEGMENT_BYTES;
  }

  get unwrittenCharacters(): number {
    return this.#unwritten.length;
  }

  /**
   * Appends all of them in one write, each one line of JSON. False if they are not on disk: then nothing may rely on
   * them.
   */
  append(jsons: readonly string[]): boolean {
    if (jsons.length === 0 && this.#unwritten === '') return true;
    let text = this.#unwritten;
    for (const json of jsons) text += lineOf(json);
    let written = 0;
    try {
      if (this.#isTorn) this.#leaveTorn();
      const bytes = Buffer.from(text);
      while (written < bytes.length) written += this.#disk.write(this.#segment.fd, bytes, written);
      this.#bytes += bytes.length;
      this.#unwritten = '';
    } catch (error) {
      this.#isTorn ||= written > 0;
      this.#unwritten = latestLines(text);
      this.#onTrouble(error);
      return false;
    }
    this.#syncing ??= setTimeout(() => this.#sync(), SYNC_MS);
    return true;
  }

  /** Continues in a new segment. The old one may be removed once nothing in it is needed. */
  rotate(): ClosedSegment {
    const paths = [...this.#torn, this.#segment.path];
    const bytes = this.#bytes;
    this.#turnOver();
    this.#torn = [];
    this.#bytes = 0;
    return { bytes, remove: () => removeAll(paths) };
  }

  close(): void {
    clearTimeout(this.#syncing);
    try {
      fdatasyncSync(this.#segment.fd);
    } catch (error) {
      this.#onTrouble(error);
    }
    closeSync(this.#segment.fd);
  }

  /** Call once everything in it is stored elsewhere. */
  delete(): void {
    this.close();
    deleteJournal(this.#folder, this.epoch);
  }

  #open(): Segment {
    const path = join(this.#folder, `${this.epoch}.${String(this.#number).padStart(6, '0')}.journal`);
    const fd = this.#disk.open(path, 'a');
    this.#syncFolder();
    return { path, fd };
  }

  /** Until its name in the folder is synced, a new file can be lost with everything synced to it. */
  #syncFolder(): void {
    const folder = this.#disk.open(this.#folder, 'r');
    this.#disk.syncNames(folder, (error) => {
      if (error !== null) this.#onTrouble(error);
      this.#disk.close(folder);
    });
  }

  #turnOver(): void {
    const { fd } = this.#segment;
    this.#number++;
    this.#segment = this.#open();
    this.#disk.sync(fd, (error) => {
      if (error !== null) this.#onTrouble(error);
      this.#disk.close(fd);
    });
  }

  #leaveTorn(): void {
    const { path } = this.#segment;
    this.#turnOver();
    this.#torn.push(path);
    this.#isTorn = false;
  }

  #sync(): void {
    this.#syncing = undefined;
    this.#disk.sync(this.#segment.fd, (error) => {
      // A segment closed meanwhile was synced before.
      if (error !== null && error.code !== 'EBADF') this.#onTrouble(error);
    });
    this.#requireName();
  }

  /**
   * Writing to a file that was deleted goes on without an error, and ends with the process. What it held is lost to a
   * crash until it is posted; what follows goes to a new file.
   */
  #requireName(): void {
    const { path, fd } = this.#segment;
    try {
      if (this.#disk.isNamed(fd)) return;
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#turnOver();
      this.#onTrouble(Object.assign(new Error(`${path} was deleted while in use; going on in a new file`), { path }));
    } catch (error) {
      this.#onTrouble(error);
    }
  }
}

/** The end of the text, as much as may wait for the disk, in whole lines. */
function latestLines(text: string): string {
  return text.length <= SEGMENT_BYTES ? text : text.slice(text.indexOf('\n', text.length - SEGMENT_BYTES) + 1);
}

/** The journals in a folder of the epochs that are over: the files of each epoch, oldest first. */
export function journalsIn(folder: string, isOver: (epoch: string) => boolean): Map<string, string[]> {
  const journals = new Map<string, string[]>();
  for (const name of filesIn(folder)) {
    const epoch = FILE.exec(name)?.[1];
    if (epoch === undefined || !isOver(epoch)) continue;
    const paths = journals.get(epoch) ?? [];
    paths.push(join(folder, name));
    journals.set(epoch, paths);
  }
  return journals;
}

export function deleteJournal(folder: string, epoch: string): void {
  for (const name of filesIn(folder)) if (FILE.exec(name)?.[1] === epoch) rmSync(join(folder, name), { force: true });
}

function removeAll(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

function filesIn(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder).sort();
}
