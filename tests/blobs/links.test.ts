// Links to kept results, asked of a running gateway: what they give, and what they do not.
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobFacts } from '../../packages/gateway/src/media/blobs/blob-store.ts';
import { FolderStore } from '../../packages/gateway/src/media/blobs/folder-store.ts';
import { KeptBlobs } from '../../packages/gateway/src/media/blobs/kept-blobs.ts';
import { openStand, type Stand } from '../support/stand.ts';

const SEAL_KEY = 'a-key-for-links-0123456789';
const HOUR_MS = 3_600_000;
let folder = '';
let stand: Stand;
let blobs: KeptBlobs;
let video: BlobFacts;

const put = (text: string, contentType = 'video/mp4', expiresAtMs = Date.now() + HOUR_MS): Promise<BlobFacts> => {
  const content = async function* () {
    yield Buffer.from(text);
  };
  return blobs.store.put(content(), { accountId: 'acme', contentType, expiresAtMs });
};
const linkTo = (blob: BlobFacts): string => blobs.linkTo(blob, stand.url);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blob-links-'));
  stand = await openStand({ config: () => ({ blobs: { folder }, seals: { keys: [SEAL_KEY] } }) });
  blobs = new KeptBlobs({
    store: new FolderStore({ folder, maxBytes: 1_000_000 }, Date.now),
    links: () => ({ mount: '/api/blobs', linkMs: HOUR_MS, keys: [SEAL_KEY] }),
    nowMs: Date.now,
    onTrouble: () => undefined,
  });
  video = await put('0123456789');
});
afterAll(async () => {
  await stand.close();
  await rm(folder, { recursive: true });
});

describe('a good link', () => {
  test('a valid link returns the bytes without a key, with headers that prevent execution in a browser', async () => {
    const response = await fetch(linkTo(video));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('0123456789');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': '10',
      'accept-ranges': 'bytes',
      etag: `"${video.sha256}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(response.headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
  });

  test('a valid link answers HEAD with headers only', async () => {
    const response = await fetch(linkTo(video), { method: 'HEAD' });
    expect({
      status: response.status,
      length: response.headers.get('content-length'),
      body: await response.text(),
    }).toEqual({
      status: 200,
      length: '10',
      body: '',
    });
  });

  test.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=20-', 416, '', 'bytes */10'],
    ['bytes=0-1,4-5', 200, '0123456789', null],
  ])('a valid link answers the range %s', async (range, status, body, contentRange) => {
    const response = await fetch(linkTo(video), { headers: { range } });
    expect({ status: response.status, body: await response.text(), at: response.headers.get('content-range') }).toEqual(
      {
        status,
        body,
        at: contentRange,
      },
    );
  });

  test('a download is resumed only if the content is still the same', async () => {
    const resumed = (etag: string) => fetch(linkTo(video), { headers: { range: 'bytes=5-', 'if-range': etag } });
    expect((await resumed(`"${video.sha256}"`)).status).toBe(206);
    expect((await resumed('"another"')).status).toBe(200);
    expect((await fetch(linkTo(video), { headers: { 'if-none-match': `"${video.sha256}"` } })).status).toBe(304);
  });

  test('content that a browser could render as a page is returned as bytes', async () => {
    for (const type of ['text/html', 'image/svg+xml', 'application/javascript']) {
      const response = await fetch(linkTo(await put('<script>1</script>', type)));
      expect(response.headers.get('content-type')).toBe('application/octet-stream');
    }
  });
});

const errorAt = async (url: string, method = 'GET') => {
  const response = await fetch(url, { method });
  return { status: response.status, error: ((await response.json()) as { error: Record<string, unknown> }).error };
};

describe('any other link', () => {
  test('a forged link is 403, whether or not the result exists', async () => {
    const link = linkTo(video);
    for (const forged of [
      link.replace(/signature=.{4}/, 'signature=AAAA'),
      link.replace(/expires=\d+/, 'expires=99999999999'),
      link.split('?')[0] ?? '',
      `${stand.url}/api/blobs/nothing`,
      `${stand.url}/api/blobs/%2e%2e%2fetc`,
    ]) {
      const { status, error } = await errorAt(forged);
      expect({ forged, status, code: error['code'] }).toMatchObject({ status: forged.includes('%2e') ? 400 : 403 });
    }
  });

  test('an expired link, or one of a deleted result, is 404', async () => {
    const gone = await put('gone');
    const link = linkTo(gone);
    await blobs.store.delete(gone.id);
    const short = await put('short', 'video/mp4', Date.now() - 5000);
    expect((await errorAt(link)).status).toBe(404);
    expect((await errorAt(linkTo(short))).status).toBe(404);
  });

  test('a link accepts only GET and HEAD, else 405', async () => {
    expect((await errorAt(linkTo(video), 'POST')).status).toBe(405);
    expect((await errorAt(linkTo(video), 'DELETE')).status).toBe(405);
  });
});

test('a reader that disconnects in the middle leaves nothing open', async () => {
  const large = await put('x'.repeat(900_000));
  const files = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('FSReq')).length;
  await new Promise<void>((resolve, reject) => {
    const asked = request(linkTo(large), (response) => {
      response.once('data', () => {
        response.destroy();
        resolve();
      });
    });
    asked.on('error', reject).end();
  });
  await expect.poll(files).toBe(0);
  expect((await fetch(linkTo(large))).status).toBe(200);
});
