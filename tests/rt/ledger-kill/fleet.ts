/** Two gateways, their workers, PostgreSQL and Redis: each can be killed with SIGKILL at any moment, and is restarted. */
import type { GatewayProcess } from '../parts/gateway-process.ts';
import type { KillablePostgres } from '../parts/killable-postgres.ts';
import type { KillableRedis } from '../parts/killable-redis.ts';
import { childrenOf, killTree, parentOf, stateOf } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';

export type Victim = 'gateway' | 'worker' | 'PostgreSQL' | 'Redis';

/** Gateways of one process have no worker to kill. */
export const victimsOf = (workers: number): readonly Victim[] =>
  workers === 0 ? ['gateway', 'PostgreSQL', 'Redis'] : ['gateway', 'worker', 'PostgreSQL', 'Redis'];

export const isOfGateway = (victim: Victim): boolean => victim === 'gateway' || victim === 'worker';

const GONE_LIMIT_MS = 10_000;

export class Fleet {
  readonly nodes: GatewayProcess[] = [];
  readonly #stage: Stage;
  readonly #config: Record<string, unknown>;
  readonly #postgres: KillablePostgres;
  readonly #redis: KillableRedis;
  readonly #workers: number;
  #started = 0;

  constructor(
    stage: Stage,
    config: Record<string, unknown>,
    postgres: KillablePostgres,
    redis: KillableRedis,
    workers: number,
  ) {
    this.#stage = stage;
    this.#config = config;
    this.#postgres = postgres;
    this.#redis = redis;
    this.#workers = workers;
  }

  async startNode(at: number): Promise<void> {
    const args = this.#workers === 0 ? [] : ['--workers', String(this.#workers)];
    this.nodes[at] = await this.#stage.gateway(this.#config, { name: `node-${at}-${++this.#started}`, args });
  }

  /** Processes that serve callers. */
  #servingOf(at: number): readonly number[] {
    const { pid } = this.nodes[at]!.child;
    return this.#workers === 0 ? [pid] : childrenOf(pid);
  }

  /** Resolves when it is gone, with the processes whose holds have to be settled. */
  async kill(victim: Victim, at: number): Promise<readonly number[]> {
    if (victim === 'PostgreSQL' || victim === 'Redis') {
      await (victim === 'PostgreSQL' ? this.#postgres : this.#redis).kill();
      return [];
    }
    const serving = this.#servingOf(at);
    const dead = victim === 'worker' ? serving.slice(0, 1) : serving;
    if (victim === 'worker') for (const pid of dead) process.kill(pid, 'SIGKILL');
    else killTree(this.nodes[at]!.child.pid);
    await waitFor('the killed are gone', () => dead.every((pid) => !runs(pid)), GONE_LIMIT_MS);
    return dead;
  }

  /** The supervisor of a worker restarts it automatically. */
  async restart(victim: Victim, at: number): Promise<void> {
    if (victim === 'gateway') await this.startNode(at);
    else if (victim === 'PostgreSQL') this.#postgres.restart();
    else if (victim === 'Redis') await this.#redis.restart();
  }
}

/** Zombie processes do not count as running. */
const runs = (pid: number): boolean => !Number.isNaN(parentOf(pid)) && stateOf(pid) !== 'Z';
