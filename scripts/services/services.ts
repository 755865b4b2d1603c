/**
 * The checkout's own PostgreSQL and Redis, for tests and experiments: private folders, free ports, and idempotent start and
 * stop. Reliability tests that kill servers start their own with `startPostgres`.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { runningPostgres, startPostgres, stopPostgres } from './postgres.ts';
import { runningRedis, startRedis, stopRedis } from './redis.ts';
import { canReach, runAs } from './unprivileged.ts';

export type Services = { readonly databaseUrl: string | undefined; readonly redisUrl: string | undefined };

const ROOT = new URL('../../', import.meta.url).pathname;
const FOLDER = join(ROOT, '.trivium/services');
const LOCK = join(ROOT, '.trivium/services.lock');
/** A start takes two seconds; a lock older than this belongs to a dead process. */
const STALE_LOCK_MS = 90_000;
const LOOK_EVERY_MS = 50;
const PORT_TRIES = 5;
/** No test needs these databases after the machine has lost power. A killed server loses nothing by it. */
const FAST = ['fsync=off', 'full_page_writes=off'];

/** In the checkout, unless the users the servers run as cannot get there, as below a home folder. */
function folderOf(service: 'postgres' | 'redis'): string {
  mkdirSync(FOLDER, { recursive: true });
  if (canReach(FOLDER, runAs(service))) return join(FOLDER, service);
  const mark = createHash('sha256').update(ROOT).digest('hex').slice(0, 16);
  return join(tmpdir(), `trivium-services-${mark}-${service}`);
}

async function locked<T>(work: () => Promise<T>): Promise<T> {
  mkdirSync(join(ROOT, '.trivium'), { recursive: true });
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch {
      const heldSince = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs;
      if (heldSince !== undefined && Date.now() - heldSince > STALE_LOCK_MS)
        rmSync(LOCK, { recursive: true, force: true });
      await sleep(LOOK_EVERY_MS);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

/** Another process may take a free port between finding it and binding it. */
async function onFreePort<T>(start: (port: number) => T | Promise<T>): Promise<T> {
  for (let left = PORT_TRIES; ; left--) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

export const runningServices = (): Services => ({
  databaseUrl: runningPostgres(folderOf('postgres'))?.url,
  redisUrl: runningRedis(folderOf('redis'))?.url,
});

export const startServices = (): Promise<{ readonly databaseUrl: string; readonly redisUrl: string }> =>
  locked(async () => {
    const postgres = await onFreePort((port) => startPostgres(folderOf('postgres'), port, FAST));
    const redis = await onFreePort((port) => startRedis(folderOf('redis'), port));
    return { databaseUrl: postgres.url, redisUrl: redis.url };
  });

export const stopServices = (): Promise<void> =>
  locked(async () => {
    stopPostgres(folderOf('postgres'));
    await stopRedis(folderOf('redis'));
  });
