/** A Redis for this scenario, which can be killed and restarted. Removed at the end, with its data. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../../scripts/services/redis.ts';
import { isRunning } from '../../../scripts/services/unprivileged.ts';
import { lastingPort } from './lasting-port.ts';
import type { Stage } from './stage.ts';
import { waitFor } from './wait.ts';

const GONE_LIMIT_MS = 10_000;

export class KillableRedis {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  #pid: number;

  private constructor(folder: string, port: number, { url, pid }: { readonly url: string; readonly pid: number }) {
    this.#folder = folder;
    this.#port = port;
    this.url = url;
    this.#pid = pid;
  }

  static async start(stage: Stage): Promise<KillableRedis> {
    const folder = mkdtempSync(join(tmpdir(), 'trivium-rt-redis-'));
    stage.atEnd(() => rmSync(folder, { recursive: true, force: true }));
    const port = await lastingPort();
    const redis = new KillableRedis(folder, port, await startRedis(folder, port));
    stage.atEnd(() => redis.kill());
    return redis;
  }

  async kill(): Promise<void> {
    if (!isRunning(this.#pid, 'redis-server')) return;
    process.kill(this.#pid, 'SIGKILL');
    await waitFor('Redis is gone', () => !isRunning(this.#pid, 'redis-server'), GONE_LIMIT_MS);
  }

  /** Does nothing while it runs. */
  async restart(): Promise<void> {
    if (!isRunning(this.#pid, 'redis-server')) this.#pid = (await startRedis(this.#folder, this.#port)).pid;
  }
}
