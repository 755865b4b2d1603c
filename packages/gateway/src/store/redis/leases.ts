/**
 * Shared limits with Redis as the lease server: one script call handles any number of them. None of it is money, and
 * all of it may be lost.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Drawn, Grant, LeaseRequest, LeaseSource } from '../../money/limits/leases.ts';
import { ACQUIRE_LEASES } from './acquire-leases.ts';
import { redisClient } from './client.ts';

/** Longest wait of a request for a lease; after that this process enforces its share for a while. */
const ANSWER_LIMIT_MS = 150;
/** Timeout of a Redis command, after which it fails even if no request waits for it. */
const COMMAND_LIMIT_MS = 2000;
/** Longer scripts would block Redis for other clients. */
const MAX_ASKS = 200;
/**
 * The hash tag in braces keeps all keys in one slot of a cluster: a script needs them on one node. The number is that of the
 * pools' form: scripts of another form must not read them.
 */
const PREFIX = 'trivium:{limits}:2:';

export class RedisLeases implements LeaseSource {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #script: string;
  readonly #digest: string;

  /** `prefix` separates gateways that share only this Redis. */
  constructor(url: string, prefix = PREFIX, script = ACQUIRE_LEASES) {
    this.#prefix = prefix;
    this.#script = script;
    this.#digest = createHash('sha1').update(script).digest('hex');
    this.#redis = redisClient(url, COMMAND_LIMIT_MS);
    // Failing calls report it.
    this.#redis.on('error', () => undefined);
  }

  /** Resolves when it is connected, or could not connect and will go on trying. */
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

  /** With the time of the call, by Redis's clock. */
  async drawAt(process: string, asks: readonly LeaseRequest[]): Promise<Drawn & { readonly atMs: number }> {
    const keys = [
      `${this.#prefix}processes`,
      ...asks.flatMap(({ name }) => [`${this.#prefix}${name}`, `${this.#prefix}${name}:expiry`]),
    ];
    const numbers = asks.flatMap((ask) => [
      ask.capacity,
      ask.msPerUnit,
      ask.used,
      ask.usedAgoMs,
      ask.keep,
      ask.need,
      ask.spare,
    ]);
    const args = [keys.length, ...keys, process, ...numbers];
    // Called by digest; a restarted Redis is sent the script again.
    const answer = await this.#redis.call('EVALSHA', this.#digest, ...args).catch((error: unknown) => {
      if (!String(error).includes('NOSCRIPT')) throw error;
      return this.#redis.call('EVAL', this.#script, ...args);
    });
    const [processes = 1, atMs = 0, ...figures] = (answer as readonly unknown[]).map(Number);
    const grants = asks.map((_, index) => ({ granted: figures[2 * index]!, free: figures[2 * index + 1]! }));
    return { processes, atMs, grants };
  }

  close(): void {
    this.#redis.disconnect();
  }
}

/** An answer already in the socket of a busy process is not late: checks once more before giving up. */
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
