/** Large results are stored and served in bounded memory: neither side holds more than a few pieces of one. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BlobFacts } from '../../../packages/gateway/src/media/blobs/blob-store.ts';
import { BlobLinks } from '../../../packages/gateway/src/media/blobs/links.ts';
import { rounded } from '../parts/load.ts';
import { residentBytes } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import { atMost, exactly, scenario } from '../scenario.ts';

type Parameters = { readonly megabytes: number; readonly readers: number };

const MB = 1024 * 1024;
/** The maximum body size of one request, and so what the gateway may hold of it. */
const BUFFER_LIMIT_MB = 32;
const TIMES_THE_BUFFER = 3;
const LOOK_EVERY_MS = 5;
const SEAL_KEY = 'a-key-for-links-0123456789';
const KEEP_FILE = fileURLToPath(new URL('../parts/keep-file.ts', import.meta.url));
/** Pause in ms of one reader after its first piece. */
const SLOW_READER_MS = 1000;

async function grownWhile<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ readonly grownMb: number; readonly of: T }> {
  const before = residentBytes(pid);
  let peak = before;
  const looking = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid));
  }, LOOK_EVERY_MS);
  try {
    return { of: await work(), grownMb: rounded((peak - before) / MB, 1) };
  } finally {
    clearInterval(looking);
  }
}

/** The same megabyte again and again, so that this process holds none of it either. */
async function serveVideo(stage: Stage, megabytes: number): Promise<{ readonly url: string; readonly sha256: string }> {
  const piece = randomBytes(MB);
  const hash = createHash('sha256');
  for (let count = 0; count < megabytes; count++) hash.update(piece);
  const server = createServer((_, response) => {
    Readable.from(
      (function* () {
        for (let count = 0; count < megabytes; count++) yield piece;
      })(),
    ).pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/video.mp4`, sha256: hash.digest('hex') };
}

async function keep(url: string, folder: string, maxBytes: number) {
  const args = ['--conditions=trivium-source', KEEP_FILE, url, folder, String(maxBytes)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  return grownWhile(child.pid ?? -1, async () => {
    const printed = once(lines, 'line') as Promise<[string]>;
    child.stdin.write('go\n');
    return JSON.parse((await printed)[0]) as BlobFacts;
  });
}

async function read(link: string, isSlow: boolean): Promise<string> {
  const response = await fetch(link);
  const hash = createHash('sha256');
  let isFirst = true;
  for await (const piece of response.body ?? []) {
    hash.update(piece);
    if (isFirst && isSlow) await sleep(SLOW_READER_MS);
    isFirst = false;
  }
  return hash.digest('hex');
}

export const blobMemory = scenario<Parameters>({
  name: 'blob-memory',
  shows: 'a 200 MB result is fetched, kept and given out within three times the buffer limit, whole',
  short: { megabytes: 200, readers: 2 },
  full: { megabytes: 200, readers: 20 },
  run: async ({ megabytes, readers }, stage) => {
    const folder = join(stage.folder, 'blobs');
    const video = await serveVideo(stage, megabytes);
    const kept = await keep(video.url, folder, megabytes * MB);
    const gateway = await stage.gateway({ blobs: { folder }, seals: { keys: [SEAL_KEY] } });
    const path = new BlobLinks([SEAL_KEY]).sign(kept.of.id, kept.of.expiresAtMs);
    const link = `${gateway.url}/api/blobs/${path}`;
    await (await fetch(link, { headers: { range: 'bytes=0-99' } })).arrayBuffer();
    const served = await grownWhile(gateway.child.pid, () =>
      Promise.all(Array.from({ length: readers }, (_, at) => read(link, at === 0))),
    );
    const bound = TIMES_THE_BUFFER * BUFFER_LIMIT_MB;
    return {
      figures: { megabytes, readers, keepingGrownMb: kept.grownMb, servingGrownMb: served.grownMb },
      checks: [
        exactly('bytes kept', kept.of.bytes, megabytes * MB),
        exactly('kept as it was sent', Number(kept.of.sha256 === video.sha256), 1),
        exactly('readers who got it whole', served.of.filter((sha256) => sha256 === video.sha256).length, readers),
        atMost('MB of resident memory more while it is kept', kept.grownMb, bound),
        atMost('MB of resident memory more while it is read', served.grownMb, bound),
      ],
    };
  },
});
