/**
 * The S3 adapter against a third-party server that checks its signatures: moto, with access keys that moto issued. Prints a line for each step of the contract; exits 1 when one failed. `scripts/s3/install.sh` first.
 */
import { strict as assert } from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '@trivium/gateway';
import { openBlobStore } from '../../packages/gateway/src/app/open-blobs.ts';
import type { BlobStore } from '../../packages/gateway/src/media/blobs/blob-store.ts';
import { CONTRACT_MAX_BYTES, type ContractStep, STORE_CONTRACT } from '../../tests/blobs/store-contract.ts';
import { freePort } from '../services/free-port.ts';

const BUCKET = 'results';
const VENV = new URL('.venv/bin/', import.meta.url).pathname;
/** Calls the server takes unsigned: those that make the bucket, the user, its rights and its key. */
const UNSIGNED_CALLS = 4;
const START_MS = 30_000;
const LOOK_EVERY_MS = 100;

async function untilUp(url: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const up = await fetch(`${url}/moto-api/`).catch(() => undefined);
    if (up?.ok === true) return;
    if (Date.now() > deadline) throw new Error('the server did not start');
    await sleep(LOOK_EVERY_MS);
  }
}

function storeAt(endpoint: string, folder: string, access: object): BlobStore {
  const s3 = { endpoint, bucket: BUCKET, ...access };
  const text = JSON.stringify({ keys: [], blobs: { folder, maxBytes: CONTRACT_MAX_BYTES, s3 } });
  const loaded = loadConfig({ text, env: {} });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return openBlobStore(loaded.config);
}

const wrongSecret = (endpoint: string, folder: string, access: object): ContractStep => ({
  name: 'a wrong secret is refused by the server',
  run: async () => {
    const store = storeAt(endpoint, folder, { ...access, secretAccessKey: 'wrong' });
    const content = async function* () {
      yield Buffer.from('x');
    };
    const about = { accountId: 'acme', contentType: 'text/plain', expiresAtMs: Date.now() + 60_000 };
    await assert.rejects(store.put(content(), about), /status 403/);
    await store.close();
  },
});

const folder = mkdtempSync(join(tmpdir(), 'test-s3-'));
const url = `http://127.0.0.1:${await freePort()}`;
const server = spawn(join(VENV, 'moto_server'), ['-H', '127.0.0.1', '-p', new URL(url).port], {
  env: { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: String(UNSIGNED_CALLS) },
  stdio: 'ignore',
});
try {
  await untilUp(url);
  const helper = new URL('make_access.py', import.meta.url).pathname;
  const access = JSON.parse(execFileSync(join(VENV, 'python'), [helper, url, BUCKET], { encoding: 'utf8' })) as object;
  const store = storeAt(url, folder, access);
  for (const { name, run } of [...STORE_CONTRACT, wrongSecret(url, folder, access)]) {
    const failure = await run(store).then(
      () => undefined,
      (error: unknown) => error,
    );
    console.log(`${failure === undefined ? 'ok  ' : 'FAIL'}  ${name}`);
    if (failure !== undefined) {
      console.error(failure);
      process.exitCode = 1;
    }
  }
  await store.close();
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
