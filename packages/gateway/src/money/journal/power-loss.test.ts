// S12: what a power failure leaves of a journal, on a disk that keeps only synced data and loses new files whose folder
// was not synced.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Journal, type JournalDisk } from './journal.ts';
import { readLines } from './lines.ts';

const SYNC_TAKES_MS = 20;
/** As docs/understand/money.md states: written at most 50 ms before, plus the duration of one sync. */
const LOST_MS = 50 + SYNC_TAKES_MS;

class LossyDisk implements JournalDisk {
  readonly written = new Map<string, string>();
  readonly durable = new Map<string, string>();
  readonly #named = new Set<string>();
  readonly #paths = new Map<number, string>();
  #nextFd = 100;

  open(path: string, flags: string): number {
    const fd = this.#nextFd++;
    this.#paths.set(fd, path);
    if (flags === 'a') this.written.set(path, this.written.get(path) ?? '');
    return fd;
  }

  write(fd: number, bytes: Buffer, offset: number): number {
    const path = this.#paths.get(fd) ?? '';
    this.written.set(path, this.written.get(path) + bytes.toString('utf8', offset));
    return bytes.length - offset;
  }

  /** Saves what was written before the sync started. */
  sync(fd: number, done: (error: null) => void): void {
    const path = this.#paths.get(fd) ?? '';
    const text = this.written.get(path) ?? '';
    setTimeout(() => {
      this.durable.set(path, text);
      done(null);
    }, SYNC_TAKES_MS);
  }

  syncNames(_fd: number, done: (error: null) => void): void {
    const names = [...this.written.keys()];
    setTimeout(() => {
      for (const name of names) this.#named.add(name);
      done(null);
    }, SYNC_TAKES_MS);
  }

  close(): void {}

  isNamed(): boolean {
    return true;
  }

  /** The files that exist after the restart. */
  afterPowerLoss(): string[] {
    return [...this.durable].filter(([path]) => this.#named.has(path)).map(([, text]) => text);
  }
}

let folder: string;
beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'trivium-journal-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

/** A deterministic sequence. */
function* numbers(): Generator<number> {
  for (let state = 1; ; state = (state * 48_271) % 2_147_483_647) yield state;
}

test('a power failure at any moment leaves whole lines, and all that are older than 50 ms and one sync', () => {
  const disk = new LossyDisk();
  const fail = (error: unknown): never => {
    throw error;
  };
  const journal = new Journal(folder, 'epoch', fail, disk);
  const random = numbers();
  const between = (most: number): number => (random.next().value ?? 0) % most;
  const appendedAtMs: number[] = [];
  let mostLost = 0;
  for (let step = 0; step < 500; step++) {
    vi.advanceTimersByTime(between(25));
    if (between(3) > 0) {
      journal.append([JSON.stringify({ line: appendedAtMs.length, text: 'ä'.repeat(between(9)) })]);
      appendedAtMs.push(Date.now());
    }
    if (between(50) === 0) journal.rotate();
    const left = disk
      .afterPowerLoss()
      .flatMap((text) => [...readLines(text)].map((json) => (JSON.parse(json) as { line: number }).line));
    const old = appendedAtMs.findLastIndex((atMs) => Date.now() - atMs > LOST_MS) + 1;
    expect(new Set(left).size).toBe(left.length);
    expect(left.filter((line) => line < old)).toHaveLength(old);
    mostLost = Math.max(mostLost, appendedAtMs.length - left.length);
  }
  // Otherwise nothing was ever lost, and the test shows nothing.
  expect(mostLost).toBeGreaterThan(1);
});
