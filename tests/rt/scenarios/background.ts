/**
 * Responses in the background on two nodes, one of them with workers, and kill -9 of a node, of a worker or of PostgreSQL,
 * again and again, nodes that are asked to end, and a PostgreSQL that is away for longer than a claim lasts: each ends once, what was
 * made is charged once at its usage, nothing stays set aside, and no replay misses or doubles an event.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LEASE_MS } from '../../../packages/gateway/src/media/responses/background/runner.ts';
import { freshDatabase } from '../../support/database.ts';
import { ACCOUNT, order, type Told, WORDS } from '../background/callers.ts';
import { judge, unfinished } from '../background/judge.ts';
import type { Child } from '../parts/child.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { KillablePostgres } from '../parts/killable-postgres.ts';
import { moneyConfig, Purser, TOKEN_NANO } from '../parts/money.ts';
import { childrenOf, killTree } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor, within } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly responses: number;
  /** In turn; each comes while its share of the responses is made. */
  readonly victims: readonly Victim[];
};
type Victim = 'node' | 'worker' | 'PostgreSQL' | 'node, by SIGTERM' | 'PostgreSQL, for long';

const NODES = 2;
/** The last of them has workers. */
const WITH_WORKERS = NODES - 1;
const WORKERS = 2;
const AT_ONCE = 64;
const CREDIT = 1_000_000n * BigInt(WORDS) * TOKEN_NANO;
/** The kill comes within it. */
const KILL_WITHIN_MS = 2_500;
const DATABASE_AWAY_MS = 500;
/** Every claim has ended by then. */
const DATABASE_LONG_AWAY_MS = LEASE_MS + 3_000;
/** Of a node that is asked to end. */
const STOP_LIMIT_MS = 60_000;
const END_LIMIT_MS = 90_000;

async function setUp(stage: Stage) {
  const starting = stage.simulator();
  const postgres = await KillablePostgres.start(stage);
  const database = await freshDatabase(postgres.url);
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  await purser.open(ACCOUNT, CREDIT);
  const config = moneyConfig(await starting, [ACCOUNT], {
    database: { url: database.url, connectMs: 1000 },
    ledger: { journal: `${stage.folder}/journal` },
    secrets: { keys: ['a secrets key of more than thirty-two characters'] },
    state: { keepHours: 1, backgroundAtOnce: AT_ONCE, backgroundPerAccount: NODES * AT_ONCE },
  });
  let starts = 0;
  const start = (nth: number): Promise<GatewayProcess> =>
    stage.gateway(config, {
      name: `node-${nth}-${starts++}`,
      args: nth === WITH_WORKERS ? ['--workers', String(WORKERS)] : [],
    });
  const nodes = await Promise.all(Array.from({ length: NODES }, (_, nth) => start(nth)));
  return { postgres, database, purser, nodes, start };
}

async function ended({ name, process, signal }: Child): Promise<void> {
  const exit = once(process, 'exit');
  signal('SIGTERM');
  await within(`${name} ends when asked to`, exit, STOP_LIMIT_MS);
}

async function play({ responses, victims }: Parameters, stage: Stage): Promise<Outcome> {
  const { postgres, database, purser, nodes, start } = await setUp(stage);
  const orders: Promise<Told>[] = [];
  let nodeKills = 0;
  for (const [round, victim] of victims.entries()) {
    const until = Math.ceil(((round + 1) * responses) / victims.length);
    while (orders.length < until) {
      const nth = orders.length;
      orders.push(order(() => nodes[nth % NODES]!, nth % 4 < 2));
    }
    await sleep(KILL_WITHIN_MS * stage.random());
    if (victim === 'worker') {
      const workers = childrenOf(nodes[WITH_WORKERS]!.child.pid);
      // Its supervisor replaces it.
      process.kill(workers[Math.floor(stage.random() * workers.length)]!, 'SIGKILL');
    } else if (victim.startsWith('node')) {
      const nth = nodeKills++ % NODES;
      const { child } = nodes[nth]!;
      if (victim === 'node') killTree(child.pid);
      await (victim === 'node' ? child.kill() : ended(child));
      nodes[nth] = await start(nth);
    } else {
      await postgres.kill();
      await sleep(victim === 'PostgreSQL' ? DATABASE_AWAY_MS : DATABASE_LONG_AWAY_MS);
      postgres.restart();
    }
    stage.say(`ended: ${victim}, ${orders.length} asked for`);
  }
  const told = await Promise.all(orders);
  const db = new Client({ connectionString: database.url });
  await db.connect();
  stage.atEnd(() => db.end());
  await waitFor('every response ends', async () => (await unfinished(db)) === 0, END_LIMIT_MS, 250).catch(
    () => undefined,
  );
  const open = await unfinished(db);
  const found = await judge(db, nodes, told, stage.random, (text) => stage.say(text));
  const { pending } = await purser.account(ACCOUNT);
  const { responses: made, completed, failed, runAgain } = found;
  return {
    figures: { kills: victims.length, responses: made, completed, failed, runAgain },
    checks: [
      exactly('responses that have not ended', open, 0),
      exactly('ended neither as completed nor as failed', made - completed - failed - open, 0),
      exactly('responses that callers were told of and that are nowhere', found.forgotten, 0),
      exactly('failed though they could have run again', found.failedInVain, 0),
      exactly('charged wrongly, twice, not at their usage, or with their hold left open', found.chargedWrongly, 0),
      exactly('shown otherwise than they ended', found.shownWrongly, 0),
      exactly('replays with an event missing, doubled or changed', found.replayedWrongly, 0),
      exactly('callers whose stream began otherwise than its replay', found.toldOtherwise, 0),
      exactly('open holds', found.openHolds, 0),
      exactly('nano-USD still set aside', Number(pending), 0),
      exactly('violations of invariants in the ledger database', await purser.violations(ACCOUNT), 0),
      atLeast('responses', made, responses),
      atLeast('completed', completed, Math.ceil(responses / 2)),
      atLeast('completed by another run than their first', runAgain, 1),
    ],
  };
}

export const background = scenario<Parameters>({
  name: 'background',
  nodes: 2,
  shows:
    'kill -9 of a node, of a worker or of PostgreSQL, SIGTERM of a node and a PostgreSQL away for longer than a claim leave every response in the background with one end, one charge at its usage or none, and whole replays',
  short: { responses: 40, victims: ['node', 'PostgreSQL', 'worker'] },
  full: {
    responses: 200,
    victims: [
      'node',
      'PostgreSQL',
      'node, by SIGTERM',
      'node',
      'PostgreSQL, for long',
      'node',
      'node, by SIGTERM',
      'PostgreSQL',
      'node',
      'node',
      'PostgreSQL',
      'worker',
    ],
  },
  limitMs: { short: 240_000 },
  run: play,
});
