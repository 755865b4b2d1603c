/** What every store of blobs owes, in steps that run against whichever store is given: a stand-in here, a real one by `npm run test:s3`. */
import { strict as assert } from 'node:assert';
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type BlobStore, BlobTooLarge } from '../../packages/gateway/src/media/blobs/blob-store.ts';

export type ContractStep = { readonly name: string; run(store: BlobStore): Promise<void> };

/** What the stores under test must be opened with. */
export const CONTRACT_MAX_BYTES = 4 * 1024 * 1024;
const HOUR_MS = 3_600_000;
const PIECE_BYTES = 65_536;

const about = (expiresAtMs = Date.now() + HOUR_MS) => ({ accountId: 'acme', contentType: 'video/mp4', expiresAtMs });
async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

export const STORE_CONTRACT: readonly ContractStep[] = [
  {
    name: 'what was put is found with its facts, and read back byte for byte',
    run: async (store) => {
      const content = randomBytes(3 * 1024 * 1024 + 17);
      const facts = await store.put(inPieces(content), about());
      assert.equal(facts.bytes, content.length);
      assert.equal(facts.sha256, createHash('sha256').update(content).digest('hex'));
      const { expiresAtMs, ...found } = (await store.find(facts.id)) ?? assert.fail('not found');
      assert.deepEqual(found, { id: facts.id, contentType: 'video/mp4', bytes: facts.bytes, sha256: facts.sha256 });
      assert.ok(Math.abs(expiresAtMs - facts.expiresAtMs) < 1000);
      assert.ok(content.equals(await buffer(await store.open(facts.id))));
    },
  },
  {
    name: 'a range is read with both its ends',
    run: async (store) => {
      const { id } = await store.put(inPieces(Buffer.from('0123456789')), about());
      assert.equal((await buffer(await store.open(id, { first: 3, last: 5 }))).toString(), '345');
      assert.equal((await buffer(await store.open(id, { first: 9, last: 9 }))).toString(), '9');
    },
  },
  {
    name: 'an empty result is one',
    run: async (store) => {
      const { id } = await store.put(inPieces(Buffer.alloc(0)), about());
      assert.equal((await store.find(id))?.bytes, 0);
    },
  },
  {
    name: 'what is too long is refused',
    run: async (store) => {
      await assert.rejects(store.put(inPieces(Buffer.alloc(CONTRACT_MAX_BYTES + 1)), about()), BlobTooLarge);
    },
  },
  {
    name: 'what is deleted is gone, and deleting it again is nothing',
    run: async (store) => {
      const { id } = await store.put(inPieces(Buffer.from('x')), about());
      await store.delete(id);
      await store.delete(id);
      assert.equal(await store.find(id), undefined);
      await assert.rejects(store.open(id));
    },
  },
  {
    name: 'the sweep removes what has expired and nothing else',
    run: async (store) => {
      const kept = await store.put(inPieces(Buffer.from('kept')), about(Date.now() + 2 * HOUR_MS));
      const gone = await store.put(inPieces(Buffer.from('gone')), about(Date.now() + HOUR_MS / 60));
      await store.sweep(Date.now() + HOUR_MS / 30);
      await assert.rejects(store.open(gone.id));
      assert.equal((await buffer(await store.open(kept.id))).toString(), 'kept');
    },
  },
];
