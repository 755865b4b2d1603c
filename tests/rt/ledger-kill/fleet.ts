/** Two gateways, PostgreSQL and Redis: each can be killed -9 in the middle of everything, and comes back. */
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { type KillablePostgres, lives } from '../parts/killable-postgres.ts';
import type { Stage } from '../parts/stage.ts';

export type Victim = 'gateway' | 'PostgreSQL' | 'Redis';
export const VICTIMS: readonly Victim[] = ['gateway', 'PostgreSQL', 'Redis'];

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

  async killAndRestart(victim: Victim, at: number): Promise<void> {
    if (victim === 'gateway') {
      await this.nodes[at]!.child.kill();
      await this.startNode(at);
    } else if (victim === 'Redis') {
      process.kill(this.#redisPid, 'SIGKILL');
      this.#redisPid = await this.#startRedis();
    } else {
      await this.#postgres.kill();
      this.#postgres.restart();
    }
  }
}
