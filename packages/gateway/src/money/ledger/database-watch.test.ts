import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DatabaseWatch, setBackSince } from './database-watch.ts';

let folder: string;
/** Heartbeats that the database has. */
let beats: number;
let watch: DatabaseWatch;
const database = { standing: async () => ({ timeline: '1', beats }), forgotUntilMs: async () => 0 };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watch-'));
  beats = 0;
  watch = new DatabaseWatch(database, folder);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const beat = (postings: number): void => {
  beats = watch.next('epoch');
  watch.confirmed('epoch', beats, postings);
};
const kept = (): number => JSON.parse(readFileSync(join(folder, 'last-position.json'), 'utf8')).beats;

test('keeps the heartbeat after every posting, and a late one now and then while nothing is posted', () => {
  beat(0);
  expect(kept()).toBe(1);
  beat(0);
  expect(kept()).toBe(1);
  beat(3);
  expect(kept()).toBe(3);
  for (let nth = 0; nth < 14; nth++) beat(3);
  expect(kept()).toBe(3);
  beat(3);
  expect(kept()).toBe(18);
});

test('a copy that lacks a posting is found, whatever heartbeats came after it', async () => {
  beat(0);
  beat(1);
  for (let nth = 0; nth < 5; nth++) beat(1);
  expect(await setBackSince(database, folder)).toBeUndefined();
  beats = 1;
  expect(await setBackSince(database, folder)).toContain('heartbeat 2 of epoch was confirmed');
});
