/**
 * Load on two nodes with leases on, and kill -9 of a gateway, a worker, PostgreSQL or Redis at a random moment, again and again:
 * afterwards the ledger database agrees with the upstream's records, and no hold of a killed process stays open.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase } from '../../support/database.ts';
import { Comparison, type Findings } from '../ledger-kill/compare.ts';
import { Fleet, isOfGateway, victimsOf } from '../ledger-kill/fleet.ts';
import { settledInJournals } from '../ledger-kill/left-journal.ts';
import { KillablePostgres } from '../parts/killable-postgres.ts';
import { KillableRedis } from '../parts/killable-redis.ts';
import { moneyConfig, Purser, REQUEST_NANO, TOKENS } from '../parts/money.ts';
import { AT_ONCE, burstOf, isWhole, shoot } from '../parts/shots.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly rounds: number;
  readonly loadMs: number;
  /** Of each gateway; 0: it is one process. */
  readonly workers: number;
  /** Calls that are sent at once before each kill, which comes when some of them are answered. */
  readonly burst: number;
  /** Whole answers that a run must have compared. */
  readonly wholeAtLeast: number;
};

const ACCOUNTS = ['rich', 'poor'];
const PATIENCE_MS = 30_000;
const CLOSED_WITHIN_MS = 30_000;

/** The killable services; accounts, gateways and load come later. */
async function setUp(stage: Stage, workers: number) {
  const journal = `${stage.folder}/journal`;
  const postgres = await KillablePostgres.start(stage);
  const redis = await KillableRedis.start(stage);
  const database = await freshDatabase(postgres.url);
  const simulator = await stage.simulator();
  const config = moneyConfig(simulator, ACCOUNTS, {
    database: { url: database.url, connectMs: 1000 },
    redis: { url: redis.url },
    ledger: { journal },
  });
  const fleet = new Fleet(stage, config, postgres, redis, workers);
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  await purser.open('rich', 1_000_000n * REQUEST_NANO);
  await purser.open('poor', 20n * REQUEST_NANO);
  for (const at of [0, 1]) await fleet.startNode(at);
  return { fleet, purser, journal, comparison: new Comparison(simulator, purser, ACCOUNTS) };
}

type Row = Findings & {
  victim: string;
  requests: number;
  served: number;
  violations: number;
  left: number;
  closedMs: number;
};

const COLUMNS = [
  'victim',
  'requests',
  'served',
  'estimated',
  'unpaidTokens',
  'overcharged',
  'wrong',
  'unnoted',
  'lost',
  'violations',
  'left',
  'closedMs',
] as const;
const tableLine = (cells: readonly (string | number)[]): string =>
  cells.map((cell, at) => String(cell).padStart(COLUMNS[at]!.length + 2)).join('');

/** Far above those of the load, which counts on from round to round. */
const FIRST_OF_BURSTS = 1_000_000;

async function play({ rounds, loadMs, workers, burst, wholeAtLeast }: Parameters, stage: Stage): Promise<Outcome> {
  const { fleet, purser, journal, comparison } = await setUp(stage, workers);
  const victims = victimsOf(workers);
  const rows: Row[] = [];
  let first = 0;
  let leaseAdmissions = 0;
  stage.say(tableLine(COLUMNS));
  for (let round = 0; round < rounds; round++) {
    const victim = victims[round % victims.length]!;
    const at = Math.floor(round / victims.length) % 2;
    const running = shoot(fleet.nodes, ACCOUNTS, stage.random, first);
    await sleep(loadMs * (0.3 + 0.7 * stage.random()));
    leaseAdmissions += await fleet.nodes[0]!.metric('trivium_lease_admissions');
    const { url } = fleet.nodes[at]!;
    // At the node that is killed, so that the kill meets many of them as they end.
    const rush = burstOf(burst, [fleet.nodes[at]!], 'rich', stage.random, FIRST_OF_BURSTS + round * burst);
    const answered = Math.ceil(burst * stage.random());
    await waitFor('a part of the burst is answered', () => rush.shots.length >= answered, PATIENCE_MS, 1);
    const killedAtMs = performance.now();
    const pids = await fleet.kill(victim, at);
    const dead = isOfGateway(victim) ? { node: url, settled: settledInJournals(journal, new Set(pids)) } : undefined;
    const openHolds = async (): Promise<number> => {
      const open = await Promise.all(pids.map((pid) => purser.openHoldsOf(pid)));
      return open.reduce((sum, count) => sum + count, 0);
    };
    const left = await (dead === undefined ? 0 : openHolds());
    const closing =
      dead === undefined
        ? undefined
        : waitFor('what the dead had open is closed', async () => (await openHolds()) === 0, 2 * CLOSED_WITHIN_MS).then(
            () => Math.round(performance.now() - killedAtMs),
          );
    await fleet.restart(victim, at);
    await sleep(loadMs * 0.3);
    first = await running.stop();
    await rush.over;
    const shots = [...running.shots, ...rush.shots];
    const closedMs = (await closing) ?? 0;
    // Also what the dead left, and what a worker beside a dead one has still to post.
    const isPosted = async (): Promise<boolean> => {
      const { wrong, unnoted, lost } = await comparison.ofRound(shots, dead);
      return wrong + unnoted + lost === 0;
    };
    await waitFor('all is posted', isPosted, PATIENCE_MS, 250).catch(() => undefined);
    const served = shots.filter(isWhole).length;
    const row: Row = {
      victim,
      requests: shots.length,
      served,
      ...(await comparison.ofRound(shots, dead, (text) => stage.say(text))),
      violations: 0,
      left,
      closedMs,
    };
    for (const account of ACCOUNTS) row.violations += await purser.violations(account);
    rows.push(row);
    stage.say(tableLine(COLUMNS.map((column) => row[column])));
    await comparison.nextRound();
  }
  const sum = (column: Exclude<(typeof COLUMNS)[number], 'victim'>): number =>
    rows.reduce((total, row) => total + row[column], 0);
  const slowestClosedMs = Math.max(...rows.map(({ closedMs }) => closedMs));
  const gatewayKills = rows.filter(({ victim }) => victim === 'gateway' || victim === 'worker').length;
  const { posted, credit } = await purser.account('poor');
  return {
    figures: {
      rounds,
      requests: sum('requests'),
      served: sum('served'),
      kills: rounds,
      leaseAdmissions,
      estimated: sum('estimated'),
      slowestClosedMs,
      unpaidTokens: sum('unpaidTokens'),
    },
    checks: [
      exactly('violations of invariants in the ledger database', sum('violations'), 0),
      exactly('charges above what the upstream produced', sum('overcharged'), 0),
      exactly('whole answers not charged exactly', sum('wrong'), 0),
      exactly('whole answers of the dead whose end stood in a journal, and not charged', sum('lost'), 0),
      exactly('whole answers of the dead that were not written down, and not charged', sum('unnoted'), 0),
      // A request ends before its first checkpoint is due, so each one on a killed node may be uncharged.
      atMost('uncharged tokens', sum('unpaidTokens'), gatewayKills * (AT_ONCE + burst) * TOKENS),
      atLeast('uncharged tokens', sum('unpaidTokens'), 0),
      atMost('spent beyond the poor account', Number(posted - credit), 0),
      atMost('milliseconds until the holds of the dead were closed', slowestClosedMs, CLOSED_WITHIN_MS),
      atLeast('holds that dead gateways had left open', sum('left'), 1),
      atLeast('whole answers', sum('served'), wholeAtLeast),
      atLeast('admissions from leases', leaseAdmissions, 1),
    ],
  };
}

export const ledgerKill = scenario<Parameters>({
  name: 'ledger-kill',
  nodes: 2,
  shows:
    'kill -9 of a gateway, a worker, PostgreSQL or Redis leaves no charge too many, none too high and nothing set aside',
  short: { rounds: 3, loadMs: 800, workers: 0, burst: 24, wholeAtLeast: 30 },
  // 14 kills each of a gateway, a worker, PostgreSQL and Redis.
  full: { rounds: 56, loadMs: 1_500, workers: 2, burst: 72, wholeAtLeast: 3_000 },
  limitMs: { full: 1_200_000 },
  run: play,
});
