/**
 * Videos on two nodes while one of them is killed at every named point of a video's way, and PostgreSQL as well: every
 * operation comes to one end, nothing is submitted twice, and what is charged was made, once.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freshDatabase } from '../../support/database.ts';
import { ask } from '../parts/ask.ts';
import { hasEnded } from '../parts/child.ts';
import { DEATH_POINTS, type DeathPoint, DIE_AT } from '../parts/death-points.ts';
import { FILM_ACCOUNT, FILM_NANO, FILM_PATH, filmConfig } from '../parts/films.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { KillablePostgres } from '../parts/killable-postgres.ts';
import { keyFor, Purser } from '../parts/money.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly points: readonly DeathPoint[]; readonly perPoint: number; readonly databaseKills: number };

const PROBE = fileURLToPath(new URL('../parts/die-at.ts', import.meta.url));
const DEATH_LIMIT_MS = 30_000;
const END_LIMIT_MS = 120_000;
const ORDER_LIMIT_MS = 15_000;
/** Nodes that are to die at the same time. */
const AT_ONCE = 2;
const MOST_ORDERS_MORE = 12;
const MORE_EVERY_MS = 1500;

class Films {
  readonly #stage: Stage;
  ordered = 0;
  named = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** In turn at each of the nodes; whoever dies over one answers nothing. */
  async order(nodes: readonly GatewayProcess[], count: number): Promise<void> {
    const orders = Array.from({ length: count }, async (_, nth) => {
      const number = this.ordered++;
      await sleep(this.#stage.random() * 300);
      const reply = await ask({
        url: nodes[nth % nodes.length]!.url,
        path: FILM_PATH,
        body: { instances: [{ prompt: `film ${number}. @simulate polls=2` }] },
        headers: { authorization: `Bearer ${keyFor(FILM_ACCOUNT)}` },
        limitMs: ORDER_LIMIT_MS,
      });
      if (reply.status === 200) this.named++;
    });
    await Promise.all(orders);
  }
}

type Row = { readonly state: string; readonly charges: string; readonly nano: string; readonly hold: string };

async function judge(db: Client, simulator: SimulatorProcess) {
  const { rows } = await db.query<Row>(`
    select o.state, count(e.id)::text as charges, coalesce(sum(e.amount), 0)::text as nano, h.state as hold
    from operations o join ledger_holds h on h.account_id = o.account_id and h.id = o.request_id
    left join ledger_entries e on e.account_id = o.account_id and e.id = o.request_id group by o.id, o.state, h.state`);
  const submissions = new Map<string, number>();
  for (const { method, bodyText } of await simulator.truth()) {
    const film = /film \d+\./.exec(bodyText)?.[0];
    if (method === 'POST' && film !== undefined) submissions.set(film, (submissions.get(film) ?? 0) + 1);
  }
  const done = rows.filter(({ state }) => state === 'done');
  const isWrong = ({ state, charges, nano, hold }: Row): boolean =>
    state === 'done'
      ? charges !== '1' || BigInt(nano) !== FILM_NANO || hold !== 'settled'
      : charges !== '0' || hold !== 'released';
  return {
    operations: rows.length,
    done: done.length,
    failed: rows.filter(({ state }) => state === 'failed').length,
    submitted: submissions.size,
    twice: [...submissions.values()].filter((times) => times > 1).length,
    wrong: rows.filter(isWrong).length,
    // Made upstream, and nobody can ask for it: the operator's loss.
    orphans: submissions.size - done.length,
  };
}

async function play({ points, perPoint, databaseKills }: Parameters, stage: Stage): Promise<Outcome> {
  const postgres = await KillablePostgres.start(stage);
  const database = await freshDatabase(postgres.url);
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  await purser.open(FILM_ACCOUNT, 1_000n * FILM_NANO);
  const simulator = await stage.simulator();
  const config = filmConfig(simulator, database.url, stage.folder);
  const steady = await stage.gateway(config, { name: 'steady' });
  const films = new Films(stage);
  let deaths = 0;
  const dieAt = async (point: DeathPoint): Promise<void> => {
    const doomed = await stage.gateway(config, { name: point, imports: [PROBE], env: { [DIE_AT]: point } });
    const died = waitFor(`dies ${point}`, () => hasEnded(doomed.child.process), DEATH_LIMIT_MS).then(
      () => true,
      () => false,
    );
    await films.order([doomed, steady], perPoint);
    // Which node is woken is not ours to say: videos are ordered until one has brought it to its point.
    const isGone = (): boolean => hasEnded(doomed.child.process);
    for (let more = 0; more < MOST_ORDERS_MORE && !isGone(); more++) {
      await Promise.race([died, sleep(MORE_EVERY_MS)]);
      if (!isGone()) await films.order([steady, doomed], 2);
    }
    if (await died) deaths++;
    await doomed.child.kill();
    stage.say(`${point}: ${(await died) ? 'died' : 'was never reached'}`);
  };
  for (let first = 0; first < points.length; first += AT_ONCE)
    await Promise.all(points.slice(first, first + AT_ONCE).map(dieAt));
  for (let kill = 0; kill < databaseKills; kill++) {
    const ordering = films.order([steady], perPoint);
    await sleep(300 + stage.random() * 600);
    await postgres.kill();
    await sleep(500);
    postgres.restart();
    await ordering;
    stage.say('PostgreSQL: died');
  }
  const db = new Client({ connectionString: database.url });
  await db.connect();
  stage.atEnd(() => db.end());
  const open = async (): Promise<number> =>
    Number((await db.query(`select count(*) as n from operations where finished_at is null`)).rows[0].n);
  await waitFor('every operation ends', async () => (await open()) === 0, END_LIMIT_MS, 250).catch(() => undefined);
  const { twice, wrong, ...figures } = await judge(db, simulator);
  const { pending } = await purser.account(FILM_ACCOUNT);
  return {
    figures: { points: points.length, databaseKills, ordered: films.ordered, named: films.named, ...figures },
    checks: [
      exactly('points at which the gateway died', deaths, points.length),
      exactly('operations without an end', await open(), 0),
      exactly('videos submitted twice', twice, 0),
      exactly('operations charged wrongly, twice, or with their hold left open', wrong, 0),
      exactly('nano-USD still set aside', Number(pending), 0),
      exactly('violations of invariants in the book', await purser.violations(FILM_ACCOUNT), 0),
      atLeast('videos that were made all the same', figures.done, points.length),
    ],
  };
}

export const videoKill = scenario<Parameters>({
  name: 'video-kill',
  shows: 'kill -9 at every point of a video’s way leaves one end, at most one submission and at most one charge',
  short: { points: ['after-send', 'after-put'], perPoint: 4, databaseKills: 1 },
  full: { points: DEATH_POINTS, perPoint: 5, databaseKills: 3 },
  run: play,
});
