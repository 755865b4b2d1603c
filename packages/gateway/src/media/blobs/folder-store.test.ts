import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newBlobId } from './blob-id.ts';
import { BlobTooLarge, type NewBlob } from './blob-store.ts';
import { FolderStore } from './folder-store.ts';

const NOW_MS = 1_763_200_000_000;
const HOUR_MS = 3_600_000;
const about = (own: Partial<NewBlob> = {}): NewBlob => ({
  accountId: 'acme',
  contentType: 'video/mp4',
  expiresAtMs: NOW_MS + HOUR_MS,
  ...own,
});
async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

let folder = '';
let nowMs = NOW_MS;
let store: FolderStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blobs-'));
  nowMs = NOW_MS;
  store = new FolderStore({ folder, maxBytes: 1000 }, () => nowMs);
});
afterEach(() => rm(folder, { recursive: true }));

test('a stored blob is found with its metadata and read back, whole and in part', async () => {
  const facts = await store.put(pieces('hello ', 'world'), about());
  expect(facts).toMatchObject({
    contentType: 'video/mp4',
    bytes: 11,
    sha256: createHash('sha256').update('hello world').digest('hex'),
    expiresAtMs: NOW_MS + HOUR_MS,
  });
  expect(await store.find(facts.id)).toEqual(facts);
  expect((await buffer(await store.open(facts.id))).toString()).toBe('hello world');
  expect((await buffer(await store.open(facts.id, { first: 4, last: 6 }))).toString()).toBe('o w');
});

test('a stream that is too long or breaks off leaves nothing behind', async () => {
  await expect(store.put(pieces('x'.repeat(600), 'x'.repeat(600)), about())).rejects.toThrow(BlobTooLarge);
  const broken = async function* () {
    yield Buffer.from('half');
    throw new Error('cut');
  };
  await expect(store.put(broken(), about())).rejects.toThrow('cut');
  expect(await readdir(folder)).toEqual(['.incoming']);
  expect(await readdir(join(folder, '.incoming'))).toEqual([]);
});

test('the sweep passes over names that are not those of blobs', async () => {
  await writeFile(join(folder, 'lost+found'), '');
  await store.put(pieces('a'), about());
  expect(await store.sweep(NOW_MS + HOUR_MS)).toBe(1);
  expect(await readdir(folder)).toContain('lost+found');
});

test('an expired blob is not found, and the sweep removes it and nothing else', async () => {
  const early = await store.put(pieces('a'), about());
  const late = await store.put(pieces('b'), about({ expiresAtMs: NOW_MS + 2 * HOUR_MS }));
  nowMs += HOUR_MS;
  expect(await store.find(early.id)).toBeUndefined();
  expect(await store.sweep(nowMs)).toBe(1);
  await expect(store.open(early.id)).rejects.toThrow('ENOENT');
  expect(await store.find(late.id)).toEqual(late);
});

test('uploads of processes that died are swept after a day', async () => {
  const dies = async function* () {
    yield Buffer.from('half');
    await store.sweep(NOW_MS);
    expect(await readdir(join(folder, '.incoming'))).toHaveLength(1);
    const [name = ''] = await readdir(join(folder, '.incoming'));
    await utimes(join(folder, '.incoming', name), 0, 0);
    await store.sweep(NOW_MS);
    expect(await readdir(join(folder, '.incoming'))).toEqual([]);
  };
  await expect(store.put(dies(), about())).rejects.toThrow('ENOENT');
});

test('a deleted blob is gone, and deleting it again has no effect', async () => {
  const { id } = await store.put(pieces('a'), about());
  await store.delete(id);
  await store.delete(id);
  expect(await store.find(id)).toBeUndefined();
});

test('no id from outside becomes a path', async () => {
  for (const id of [
    '',
    '..',
    '../../etc/passwd',
    `${'a'.repeat(16)}-../../x`,
    `${newBlobId('acme', NOW_MS)}/x`,
    '.incoming',
  ]) {
    expect(await store.find(id)).toBeUndefined();
    await expect(store.open(id)).rejects.toThrow('not the id of a blob');
    await expect(store.delete(id)).rejects.toThrow('not the id of a blob');
  }
});
