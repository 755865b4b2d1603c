/**
 * Videos on two nodes, and at every kill point SIGKILL for the node that reaches it, or for PostgreSQL:
 * every operation has one outcome, nothing is submitted twice, and every charged video was made, once.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freshDatabase } from '../../support/database.ts';
import { hasEnded } from '../parts/child.ts';
import { DEATH_POINTS, type DeathPoint, WARRANTS, WHO_COMES_BY } from '../parts/death-points.ts';
import { FILM_ACCOUNT, FILM_NANO, Films, filmConfig, MUTE } from '../parts/films.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { KillablePostgres } from '../parts/killable-postgres.ts';
import { Purser } from '../parts/money.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';
import { judge, misled, openOperations } from '../video-kill/judge.ts';

type Victim = 'gateway' | 'PostgreSQL';
type Parameters = {
  readonly points: Readonly<Record<Victim, readonly DeathPoint[]>>;
  /** Videos submitted at each node for a point. */
  readonly perNode: number;
  /** Minimum of operations at the end: a node killed early leaves none behind. */
  readonly operations: number;
};

const PROBE = fileURLToPath(new URL('../parts/die-at.ts', import.meta.url));
const NODES = 2;
const NEVER = 1_000_000;
const DEATH_LIMIT_MS = 45_000;
const END_LIMIT_MS = 120_000;
/** Delays in ms before videos are submitted again: after a refusal by a just restarted service, and while others still run. */
const REFUSED_AGAIN_MS = 300;
const ORDER_AGAIN_MS = 10_000;
const DATABASE_AWAY_MS = 500;

/** Two nodes, their database, and the kill orders. */
class Battlefield {
  readonly nodes: GatewayProcess[] = [];
  readonly films: Films;
  readonly #stage: Stage;
  readonly #postgres: KillablePostgres;
  readonly #config: Record<string, unknown>;
  readonly #perNode: number;
  readonly #warrants: string;
  #starts = 0;

  constructor(stage: Stage, postgres: KillablePostgres, config: Record<string, unknown>, perNode: number) {
    this.#stage = stage;
    this.#postgres = postgres;
    this.#config = config;
    this.#perNode = perNode;
    this.#warrants = join(stage.folder, 'warrants');
    mkdirSync(this.#warrants);
    this.films = new Films(stage);
  }

  async startNode(nth: number): Promise<void> {
    this.nodes[nth] = await this.#stage.gateway(this.#config, {
      name: `node-${nth}-${this.#starts++}`,
      imports: [PROBE],
      env: { [WARRANTS]: this.#warrants },
    });
  }

  /** Submits videos at both nodes until one of them reaches the point. False when none does. */
  async dieAt(point: DeathPoint, victim: Victim): Promise<boolean> {
    const warrant = join(this.#warrants, point);
    writeFileSync(warrant, victim === 'gateway' ? WHO_COMES_BY : String(this.#postgres.pid));
    const isTaken = (): boolean => !existsSync(warrant);
    const ordering = this.#orderUntil(isTaken, point);
    const died = await waitFor(`${victim} dies`, isTaken, DEATH_LIMIT_MS).then(
      () => true,
      () => false,
    );
    rmSync(warrant, { force: true });
    if (died) await (victim === 'gateway' ? this.#replaceDeadNode() : this.#restartDatabase());
    await ordering;
    this.#stage.say(`${victim}, ${point}: ${died ? 'died' : 'was never reached'}`);
    return died;
  }

  async #orderUntil(isTaken: () => boolean, point: DeathPoint): Promise<void> {
    while (!isTaken()) {
      const named = await this.films.order(this.nodes, this.#perNode, DEATH_POINTS[point]);
      const patienceMs = named === 0 ? REFUSED_AGAIN_MS : ORDER_AGAIN_MS;
      await waitFor('it is reached', isTaken, patienceMs).catch(() => undefined);
    }
  }

  async #replaceDeadNode(): Promise<void> {
    const dead = (): number => this.nodes.findIndex(({ child }) => hasEnded(child.process));
    await waitFor('a node has ended', () => dead() !== -1, DEATH_LIMIT_MS);
    await this.startNode(dead());
  }

  async #restartDatabase(): Promise<void> {
    await this.#postgres.kill();
    await sleep(DATABASE_AWAY_MS);
    this.#postgres.restart();
  }
}

async function play({ points, perNode, operations }: Parameters, stage: Stage): Promise<Outcome> {
  const starting = stage.simulator();
  const postgres = await KillablePostgres.start(stage);
  const database = await freshDatabase(postgres.url);
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  await purser.open(FILM_ACCOUNT, 1_000n * FILM_NANO);
  const simulator = await starting;
  await simulator.breakWith('fault=reset-before-headers', MUTE);
  // Hosts that never answer must be polled repeatedly.
  const config = { ...filmConfig(simulator, database.url, stage.folder), health: { failures: NEVER, stalls: NEVER } };
  const field = new Battlefield(stage, postgres, config, perNode);
  await Promise.all(Array.from({ length: NODES }, (_, nth) => field.startNode(nth)));
  const deaths: Record<Victim, number> = { gateway: 0, PostgreSQL: 0 };
  for (const victim of ['gateway', 'PostgreSQL'] as const)
    for (const point of points[victim]) if (await field.dieAt(point, victim)) deaths[victim]++;
  const db = new Client({ connectionString: database.url });
  await db.connect();
  stage.atEnd(() => db.end());
  const isOver = async (): Promise<boolean> => (await openOperations(db)) === 0;
  await waitFor('every operation ends', isOver, END_LIMIT_MS, 250).catch(() => undefined);
  const { figures, ...found } = await judge(db, simulator);
  const { pending } = await purser.account(FILM_ACCOUNT);
  return {
    figures: { deaths, ordered: field.films.ordered, named: field.films.named.size, ...figures },
    checks: [
      exactly('points at which the gateway died', deaths.gateway, points.gateway.length),
      exactly('points at which PostgreSQL died', deaths.PostgreSQL, points.PostgreSQL.length),
      atLeast('operations', figures.operations, operations),
      exactly('operations without an end and its record', await openOperations(db), 0),
      exactly('videos submitted twice', found.submittedTwice, 0),
      exactly('operations charged wrongly, twice, or with their hold left open', found.chargedWrongly, 0),
      exactly('operations without exactly one record of usage', found.recordedWrongly, 0),
      exactly('callers who find another end than their film’s', await misled(field.films, field.nodes[0]!), 0),
      exactly('nano-USD still set aside', Number(pending), 0),
      exactly('violations of invariants in the ledger database', await purser.violations(FILM_ACCOUNT), 0),
      atLeast('videos that were made all the same', figures.done, 1),
    ],
  };
}

const EVERY_POINT = Object.keys(DEATH_POINTS) as DeathPoint[];

export const videoKill = scenario<Parameters>({
  name: 'video-kill',
  nodes: 2,
  shows:
    'kill -9 of a gateway or of PostgreSQL at every point of a video’s way leaves one end, at most one submission and at most one charge',
  // Jobs of a killed node are requeued after a while; the first victim has the longest time for it.
  short: {
    points: { gateway: ['after-put', 'after-send'], PostgreSQL: ['after-finished'] },
    perNode: 1,
    operations: 4,
  },
  full: { points: { gateway: EVERY_POINT, PostgreSQL: EVERY_POINT }, perNode: 2, operations: 100 },
  run: play,
});
