import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Journal } from '../journal/journal.ts';
import { LostUsageError } from './apply-in-parts.ts';
import { recordToJson } from './core/journal-records.ts';
import { Outbox } from './core/outbox.ts';
import { type Posting, usageOf } from './core/posting-queue.ts';
import { UsageMemory } from './usage-memory.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-usage-memory-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fail = (error: unknown): never => {
  throw error;
};
const jsonOf = (requestId: string): string => JSON.stringify({ requestId, receivedAtMs: 7, note: 'x'.repeat(60) });
const held = (batch: readonly Posting[]): (string | undefined)[] => batch.map((posting) => usageOf(posting)?.json);

function writtenTo(journal: Journal, memory: UsageMemory, outbox: Outbox, requests: readonly string[]): void {
  for (const requestId of requests) outbox.addUsage({ requestId, receivedAtMs: 7, json: jsonOf(requestId) });
  const records = outbox.takeRecords();
  const isWritten = journal.append(records.map(recordToJson));
  memory.keep(records, isWritten ? journal.path : undefined);
  outbox.queue.written();
}

test('usage beyond the memory limit is read back from the journal, in order', () => {
  const memory = new UsageMemory(fail, 2 * jsonOf('a').length);
  const journal = new Journal(folder, 'host.1.own', fail);
  const outbox = new Outbox();
  writtenTo(journal, memory, outbox, ['a', 'b', 'c']);
  journal.rotate();
  writtenTo(journal, memory, outbox, ['d', 'e']);
  const batch = outbox.queue.batch(10);
  expect(held(batch)).toEqual([jsonOf('a'), jsonOf('b'), undefined, undefined, undefined]);
  memory.recall(batch);
  expect(held(batch)).toEqual(['a', 'b', 'c', 'd', 'e'].map(jsonOf));
  memory.forget(batch);
  outbox.queue.remove(batch);
  // There is room again.
  writtenTo(journal, memory, outbox, ['f']);
  expect(held(outbox.queue.batch(10))).toEqual([jsonOf('f')]);
  journal.close();
});

test('unwritten usage stays in memory while there is room; usage that cannot be read back is lost and reported', () => {
  const troubles: unknown[] = [];
  const memory = new UsageMemory((error) => troubles.push(error), 1);
  const journal = new Journal(folder, 'host.1.own', fail);
  const outbox = new Outbox();
  for (const requestId of ['a', 'b']) outbox.addUsage({ requestId, receivedAtMs: 7, json: jsonOf(requestId) });
  memory.keep(outbox.takeRecords(), undefined);
  writtenTo(journal, memory, outbox, ['c']);
  rmSync(journal.path);
  const batch = outbox.queue.batch(10);
  memory.recall(batch);
  expect(held(batch)).toEqual([jsonOf('a'), undefined, undefined]);
  expect(troubles).toEqual([
    expect.any(LostUsageError),
    expect.objectContaining({ code: 'ENOENT' }),
    expect.any(LostUsageError),
  ]);
  journal.close();
});
