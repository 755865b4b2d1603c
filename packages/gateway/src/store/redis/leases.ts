/** Shared limits whose owner is Redis: one script moves any number of them. Nothing here is money, and all of it may be lost. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Drawn, Grant, LeaseRequest, LeaseSource } from '../../limits/leases.ts';
import { ACQUIRE_LEASES } from './acquire-leases.ts';
import { redisClient } from './client.ts';

/** A request that has to wait for a slice waits no longer; after that this process is on its own for a while. */
const ANSWER_LIMIT_MS = 150;
/** When the connection is given up as well. */
const COMMAND_LIMIT_MS = 2000;
/** Longer scripts would keep Redis from everybody else. */
const MAX_ASKS = 200;
/** In braces what decides where a cluster keeps them: a script needs all of them in one place. */
const PREFIX = 'trivium:{limits}:';
const SHA = createHash('sha1').update(ACQUIRE_LEASES).digest('hex');

export class RedisLeases implements LeaseSource {
  readonly #redis: Redis;
  readonly #prefix: string;

  /** `prefix` sets apart gateways that have nothing in common but this Redis. */
  constructor(url: string, prefix = PREFIX) {
    this.#prefix = prefix;
    this.#redis = redisClient(url, COMMAND_LIMIT_MS);
    // Told by the questions that fail.
    this.#redis.on('error', () => undefined);
  }

  /** Resolves when it is connected, or could not be and will go on trying. */
  async start(): Promise<void> {
    await this.#redis.connect().catch(() => undefined);
  }

  async draw(process: string, asks: readonly LeaseRequest[]): Promise<Drawn> {
    const grants: Grant[] = [];
    let processes = 1;
    for (let from = 0; from === 0 || from < asks.length; from += MAX_ASKS) {
      const drawn = await inTime(this.drawAt(process, asks.slice(from, from + MAX_ASKS)));
      grants.push(...drawn.grants);
      processes = drawn.processes;
    }
    return { processes, grants };
  }

  /** With the time it happened at, by Redis's clock. */
  async drawAt(process: string, asks: readonly LeaseRequest[]): Promise<Drawn & { readonly atMs: number }> {
    const keys = [`${this.#prefix}processes`, ...asks.map(({ name }) => `${this.#prefix}${name}`)];
    const numbers = asks.flatMap((ask) => [
      ask.capacity,
      ask.msPerUnit,
      ask.used,
      ask.usedAgoMs,
      ask.keep,
      ask.need,
      ask.spare,
    ]);
    const told = [keys.length, ...keys, process, ...numbers];
    // Known scripts are called by their digest; a Redis that was started anew is shown the script again.
    const answer = await this.#redis.call('EVALSHA', SHA, ...told).catch((error: unknown) => {
      if (!String(error).includes('NOSCRIPT')) throw error;
      return this.#redis.call('EVAL', ACQUIRE_LEASES, ...told);
    });
    const [processes = 1, atMs = 0, ...figures] = (answer as readonly unknown[]).map(Number);
    const grants = asks.map((_, index) => ({ granted: figures[2 * index]!, free: figures[2 * index + 1]! }));
    return { processes, atMs, grants };
  }

  close(): void {
    this.#redis.disconnect();
  }
}

/** An answer that waits in the socket of a busy process is not late: it is looked for once more before giving up. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new Error('Redis is late'))), ANSWER_LIMIT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => undefined);
  }
}
