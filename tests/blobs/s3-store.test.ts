// Blobs in an object store: the contract every store keeps, and what becomes of an upload that fails.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBlobStore } from '../../packages/gateway/src/app/open-blobs.ts';
import type { BlobStore } from '../../packages/gateway/src/media/blobs/blob-store.ts';
import { openS3Stand, S3_BUCKET, S3_CREDENTIAL, type S3Stand } from '../support/s3-stand.ts';
import { standConfig } from '../support/stand.ts';
import { CONTRACT_MAX_BYTES, STORE_CONTRACT } from './store-contract.ts';

let stand: S3Stand;
let folder = '';
let store: BlobStore;
const storeWith = (own: Record<string, unknown> = {}): BlobStore =>
  openBlobStore(
    standConfig('http://127.0.0.1:1', {
      config: () => ({
        blobs: {
          folder,
          maxBytes: CONTRACT_MAX_BYTES,
          s3: { endpoint: stand.url, bucket: S3_BUCKET, ...S3_CREDENTIAL, ...own },
        },
      }),
    }),
  );
const about = () => ({ accountId: 'acme', contentType: 'image/png', expiresAtMs: Date.now() + 3_600_000 });
async function* content(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('content');
}

beforeAll(async () => {
  stand = await openS3Stand();
  folder = await mkdtemp(join(tmpdir(), 'blobs-s3-'));
  store = storeWith();
});
afterAll(async () => {
  await store.close();
  stand.close();
  await rm(folder, { recursive: true });
});

test.each(STORE_CONTRACT)('$name', ({ run }) => run(store));

test('an upload is retried, and abandoned in the end; the temporary file is removed either way', async () => {
  stand.failNext = 2;
  const { id } = await store.put(content(), about());
  expect(stand.objects.get(`trivium/${id}`)?.body.toString()).toBe('content');
  stand.failNext = 3;
  await expect(store.put(content(), about())).rejects.toThrow('status 503');
  expect(await readdir(join(folder, '.spool'))).toEqual([]);
});

test('the sweep reads every page, and touches no foreign objects', async () => {
  stand.pageSize = 2;
  const strangers = ['trivium/somebody-elses', 'elsewhere/x'];
  for (const key of strangers) stand.objects.set(key, { body: Buffer.alloc(1), headers: {} });
  for (let count = 0; count < 5; count++) await store.put(content(), about());
  const removed = await store.sweep(Date.now() + 86_400_000);
  expect(removed).toBeGreaterThanOrEqual(5);
  expect([...stand.objects.keys()].sort()).toEqual(strangers.sort());
});

test('a wrong secret is refused, and no message contains it', async () => {
  const wrong = storeWith({ secretAccessKey: 'another-secret-canary' });
  await expect(wrong.put(content(), about())).rejects.toThrow('status 403');
  await expect(wrong.put(content(), about())).rejects.not.toThrow('canary');
  await wrong.close();
});
