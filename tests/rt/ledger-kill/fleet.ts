/** Two gateways, PostgreSQL and Redis: each can be killed -9 in the middle of everything, and comes back. */
import type { GatewayProcess } from '../parts/gateway-process.ts';
import type { KillablePostgres } from '../parts/killable-postgres.ts';
import type { KillableRedis } from '../parts/killable-redis.ts';
import type { Stage } from '../parts/stage.ts';

export type Victim = 'gateway' | 'PostgreSQL' | 'Redis';
export const VICTIMS: readonly Victim[] = ['gateway', 'PostgreSQL', 'Redis'];

export class Fleet {
  readonly nodes: GatewayProcess[] = [];
  readonly #stage: Stage;
  readonly #config: Record<string, unknown>;
  readonly #postgres: KillablePostgres;
  readonly #redis: KillableRedis;
  #started = 0;

  constructor(stage: Stage, config: Record<string, unknown>, postgres: KillablePostgres, redis: KillableRedis) {
    this.#stage = stage;
    this.#config = config;
    this.#postgres = postgres;
    this.#redis = redis;
  }

  async startNode(at: number): Promise<void> {
    this.nodes[at] = await this.#stage.gateway(this.#config, { name: `node-${at}-${++this.#started}` });
  }

  /** Resolves when it is gone. */
  async kill(victim: Victim, at: number): Promise<void> {
    if (victim === 'gateway') await this.nodes[at]!.child.kill();
    else await (victim === 'PostgreSQL' ? this.#postgres : this.#redis).kill();
  }

  async restart(victim: Victim, at: number): Promise<void> {
    if (victim === 'gateway') await this.startNode(at);
    else if (victim === 'PostgreSQL') this.#postgres.restart();
    else await this.#redis.restart();
  }
}
