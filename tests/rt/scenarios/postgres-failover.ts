/**
 * The PostgreSQL primary is killed with SIGKILL under load and its standby promoted: nothing is charged twice, and what a lagging
 * standby had not received is replayed from the nodes' journals.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase } from '../../support/database.ts';
import { Comparison } from '../ledger-kill/compare.ts';
import { moneyConfig, Purser, REQUEST_NANO } from '../parts/money.ts';
import { type Commit, databaseAt, query, ReplicatedPostgres } from '../parts/replicated-postgres.ts';
import { isWhole, shoot } from '../parts/shots.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, type Check, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly loadMs: number; readonly lagMs: number; readonly after: number };

const ACCOUNTS = ['rich', 'poor'];
const PATIENCE_MS = 30_000;
const TOKENS_PER_SECOND = 80;

const entriesOf = async (url: string): Promise<ReadonlySet<string>> => {
  const rows = await query<{ id: string }>(url, `select account_id || ' ' || id as id from ledger_entries`);
  return new Set(rows.map(({ id }) => id));
};
const without = (from: ReadonlySet<string>, those: ReadonlySet<string>): number =>
  [...from].filter((id) => !those.has(id)).length;

async function failOver(
  commit: Commit,
  { loadMs, lagMs, after }: Parameters,
  simulator: SimulatorProcess,
  stage: Stage,
) {
  const postgres = await ReplicatedPostgres.start(stage, commit);
  const { url } = await freshDatabase(postgres.url);
  const database = new URL(url).pathname.slice(1);
  await simulator.forget();
  const config = moneyConfig(simulator, ACCOUNTS, {
    database: { url, connectMs: 1000 },
    ledger: { journal: `${stage.folder}/journal-${commit}` },
  });
  const purser = new Purser(url);
  stage.atEnd(() => purser.close());
  await purser.open('rich', 1_000_000n * REQUEST_NANO);
  await purser.open('poor', 400n * REQUEST_NANO);
  const nodes = await Promise.all([0, 1].map((at) => stage.gateway(config, { name: `${commit}-node-${at}` })));
  const comparison = new Comparison(simulator, purser, ACCOUNTS);

  const running = shoot(nodes, ACCOUNTS, stage.random, 0, TOKENS_PER_SECOND);
  await sleep(loadMs);
  if (commit === 'asynchronous') {
    postgres.loseTheLine();
    await sleep(lagMs);
  }
  await postgres.failOver();
  const reached = await entriesOf(databaseAt(postgres.standbyUrl, database));
  const wholeBefore = running.shots.filter(isWhole).length;
  postgres.leadClientsToStandby();
  const served = (): boolean => running.shots.filter(isWhole).length >= wholeBefore + after;
  await waitFor('answers after the fail-over', served, PATIENCE_MS);
  await running.stop();
  const { shots } = running;
  // The last settlements and all replays.
  const isPosted = async (): Promise<boolean> => (await comparison.ofRound(shots, undefined)).wrong === 0;
  await waitFor('all is posted', isPosted, PATIENCE_MS, 250).catch(() => undefined);
  const findings = await comparison.ofRound(shots, undefined);
  let violations = 0;
  for (const account of ACCOUNTS) violations += await purser.violations(account);
  for (const { child } of nodes) await child.kill();
  const now = await entriesOf(databaseAt(postgres.standbyUrl, database));
  const promised = await entriesOf(databaseAt(postgres.recoverPrimary(), database));
  const { posted, credit } = await purser.account('poor');
  return {
    requests: shots.length,
    whole: shots.filter(isWhole).length,
    lostCommits: without(promised, reached),
    lostForGood: without(promised, now),
    beyondCredit: Number(posted > credit ? posted - credit : 0n),
    violations,
    ...findings,
  };
}

type Findings = Awaited<ReturnType<typeof failOver>>;

const common = (commit: Commit, found: Findings): readonly Check[] => [
  exactly(`${commit}: charges above what the upstream produced`, found.overcharged, 0),
  exactly(`${commit}: whole answers not charged exactly`, found.wrong, 0),
  exactly(`${commit}: entries of the old primary that are lost for good`, found.lostForGood, 0),
  exactly(`${commit}: violations of invariants in the ledger database`, found.violations, 0),
  atLeast(`${commit}: whole answers`, found.whole, 1),
];

async function play(parameters: Parameters, stage: Stage): Promise<Outcome> {
  const simulator = await stage.simulator();
  const asynchronous = await failOver('asynchronous', parameters, simulator, stage);
  const synchronous = await failOver('synchronous', parameters, simulator, stage);
  return {
    figures: { ...parameters, asynchronous, synchronous },
    checks: [
      // Otherwise the scenario proved nothing.
      atLeast('asynchronous: entries that had not reached the standby', asynchronous.lostCommits, 1),
      ...common('asynchronous', asynchronous),
      exactly('synchronous: entries that had not reached the standby', synchronous.lostCommits, 0),
      ...common('synchronous', synchronous),
      exactly('synchronous: spent beyond the poor account', synchronous.beyondCredit, 0),
    ],
  };
}

export const postgresFailover = scenario<Parameters>({
  name: 'postgres-failover',
  shows: 'a standby promoted under load charges nothing twice, and what had not reached it is replayed',
  short: { loadMs: 1_500, lagMs: 700, after: 20 },
  full: { loadMs: 10_000, lagMs: 5_000, after: 300 },
  run: play,
});
