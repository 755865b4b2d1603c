/** Two gateways, PostgreSQL and Redis: each can be killed -9 in the middle of everything, and comes back. */
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { type KillablePostgres, lives } from '../parts/killable-postgres.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';

export type Victim = 'gateway' | 'PostgreSQL' | 'Redis';
export const VICTIMS: readonly Victim[] = ['gateway', 'PostgreSQL', 'Redis'];

const GONE_LIMIT_MS = 10_000;

export class Fleet {
  readonly nodes: GatewayProcess[] = [];
  readonly #stage: Stage;
  readonly #config: Record<string, unknown>;
  readonly #postgres: KillablePostgres;
  readonly #startRedis: () => Promise<number>;
  #redisPid: number;
  #started = 0;

  constructor(
    stage: Stage,
    config: Record<string, unknown>,
    postgres: KillablePostgres,
    redisPid: number,
    startRedis: () => Promise<number>,
  ) {
    this.#stage = stage;
    this.#config = config;
    this.#postgres = postgres;
    this.#redisPid = redisPid;
    this.#startRedis = startRedis;
    stage.atEnd(() => {
      if (lives(this.#redisPid)) process.kill(this.#redisPid, 'SIGKILL');
    });
  }

  async startNode(at: number): Promise<void> {
    this.nodes[at] = await this.#stage.gateway(this.#config, { name: `node-${at}-${++this.#started}` });
  }

  pidOf(victim: Victim, at: number): number {
    if (victim === 'gateway') return this.nodes[at]!.child.pid;
    return victim === 'Redis' ? this.#redisPid : this.#postgres.pid;
  }

  /** Resolves when it is gone. */
  async kill(victim: Victim, at: number): Promise<void> {
    if (victim === 'gateway') await this.nodes[at]!.child.kill();
    else if (victim === 'PostgreSQL') await this.#postgres.kill();
    else {
      process.kill(this.#redisPid, 'SIGKILL');
      await waitFor('Redis is gone', () => !lives(this.#redisPid), GONE_LIMIT_MS);
    }
  }

  async restart(victim: Victim, at: number): Promise<void> {
    if (victim === 'gateway') await this.startNode(at);
    else if (victim === 'PostgreSQL') this.#postgres.restart();
    else this.#redisPid = await this.#startRedis();
  }
}
