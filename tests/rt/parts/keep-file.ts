/**
 * A process that handles a result URL like a gateway: fetches it through the guarded fetch and stores it.
 * Arguments: the URL, the folder, the maximum of bytes. Waits for a line on stdin first, and prints the blob's facts.
 */
import { once } from 'node:events';
import { FolderStore } from '../../../packages/gateway/src/media/blobs/folder-store.ts';
import { GuardedFetcher } from '../../../packages/gateway/src/upstream/media-fetcher.ts';

const [url = '', folder = '', limit = ''] = process.argv.slice(2);
const maxBytes = Number(limit);
const TIMEOUT_MS = 60_000;
const KEPT_MS = 600_000;

console.log('ready');
await once(process.stdin, 'data');
const fetcher = new GuardedFetcher({
  schemes: ['http'],
  ports: [Number(new URL(url).port)],
  alsoAddresses: ['127.0.0.1'],
  maxRedirects: 0,
  maxAtOnce: 1,
  maxBytes,
  timeoutMs: TIMEOUT_MS,
});
const store = new FolderStore({ folder, maxBytes }, Date.now);
const { content } = await fetcher.open(url, { maxBytes, timeoutMs: TIMEOUT_MS });
const facts = await store.put(content, {
  accountId: 'rt',
  contentType: 'video/mp4',
  expiresAtMs: Date.now() + KEPT_MS,
});
console.log(JSON.stringify(facts));
process.exit();
