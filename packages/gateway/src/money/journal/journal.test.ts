import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteJournal, Journal, journalsIn, SEGMENT_BYTES } from './journal.ts';
import { lineOf, readLines } from './lines.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fail = (error: unknown): never => {
  throw error;
};
const linesIn = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => [...readLines(readFileSync(path, 'utf8'))]);

test('lines read back as they were written, up to the first torn or changed one', () => {
  const jsons = ['{"a":1}', '{"b":"ä 漢\\n"}', '{"c":3}'];
  const text = jsons.map(lineOf).join('');
  expect([...readLines(text)]).toEqual(jsons);
  expect([...readLines(text.slice(0, -5))]).toEqual(jsons.slice(0, 2));
  expect([...readLines(text.replace('"ä', '"o'))]).toEqual(jsons.slice(0, 1));
});

test('journals of ended epochs are found, the others are left alone', () => {
  const mine = new Journal(folder, 'mine', fail);
  const other = new Journal(folder, 'other', fail);
  expect(mine.append(['1', '2'])).toBe(true);
  expect(other.append(['3'])).toBe(true);
  const found = journalsIn(folder, (epoch) => epoch === 'other');
  expect([...found.keys()]).toEqual(['other']);
  expect(linesIn(found.get('other') ?? [])).toEqual(['3']);
  deleteJournal(folder, 'other');
  expect(journalsIn(folder, () => true).size).toBe(1);
  mine.close();
  other.close();
});

test('a full segment is followed by another, and is removed on request', () => {
  const journal = new Journal(folder, 'long', fail);
  const json = JSON.stringify('x'.repeat(SEGMENT_BYTES));
  expect(journal.append([json])).toBe(true);
  expect(journal.isFull).toBe(true);
  const closed = journal.rotate();
  expect(closed.bytes).toBeGreaterThan(SEGMENT_BYTES);
  expect(journal.isFull).toBe(false);
  journal.append(['2']);
  expect(linesIn(journalsIn(folder, () => true).get('long') ?? [])).toEqual([json, '2']);
  closed.remove();
  expect(linesIn(journalsIn(folder, () => true).get('long') ?? [])).toEqual(['2']);
  journal.delete();
  expect(journalsIn(folder, () => true).size).toBe(0);
});

test('a journal that is deleted, with its folder, is noticed, and goes on in a new file', async () => {
  let noticed: (error: Error) => void = () => undefined;
  const trouble = new Promise<Error>((resolve) => {
    noticed = resolve;
  });
  const journal = new Journal(folder, 'deleted', (error) => noticed(error as Error));
  const { path } = journal;
  rmSync(folder, { recursive: true });
  expect(journal.append(['1'])).toBe(true);
  expect(await trouble).toMatchObject({ path, message: expect.stringContaining('was deleted while in use') });
  expect(journal.append(['2'])).toBe(true);
  expect(linesIn(journalsIn(folder, () => true).get('deleted') ?? [])).toEqual(['2']);
  journal.close();
});

test('lines that could not be written are written before the next ones', () => {
  const troubles: unknown[] = [];
  const journal = new Journal(folder, 'unlucky', (error) => troubles.push(error));
  const write = Buffer.from;
  Buffer.from = () => fail(new Error('no space left'));
  try {
    expect(journal.append(['1'])).toBe(false);
    expect(journal.append([])).toBe(false);
  } finally {
    Buffer.from = write;
  }
  expect(troubles).toHaveLength(2);
  expect(journal.unwrittenCharacters).toBeGreaterThan(0);
  expect(journal.append(['2'])).toBe(true);
  expect(linesIn(journalsIn(folder, () => true).get('unlucky') ?? [])).toEqual(['1', '2']);
  journal.delete();
});
