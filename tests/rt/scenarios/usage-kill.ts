/**
 * Load on an unmetered account while PostgreSQL is down and the gateway is killed, repeatedly: afterwards every
 * request that was answered has one row of usage, the sums by the hour are the sums of the rows, and both are what the
 * ledger has charged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Store } from '../../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, storeSettings } from '../../support/database.ts';
import { KillablePostgres } from '../parts/killable-postgres.ts';
import { moneyConfig, REQUEST_NANO, TOKENS } from '../parts/money.ts';
import { isWhole, requestIdOf, type Shot, shoot, tokensByShot } from '../parts/shots.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly rounds: number; readonly loadMs: number };
type Row = {
  readonly request_id: string;
  readonly outcome: string;
  readonly cost_nano: bigint;
  readonly attempts: number | null;
};

const ACCOUNTS = ['here', 'there'];
const PATIENCE_MS = 15_000;
/** Journals of killed processes are taken over within 5 s, and rows are matched within 10 s after that. */
const MATCHED_MS = 20_000;
/** In ms: requests that run when the gateway is killed have run long enough to be partly in the journal. */
const TOKENS_PER_SECOND = 3;
const TOKEN_NANO = REQUEST_NANO / BigInt(TOKENS);

async function rowsById(store: Store): Promise<ReadonlyMap<string, readonly Row[]>> {
  const { rows } = await sql<Row>`select request_id, outcome, cost_nano, attempts from usage_events`.execute(
    store.writer,
  );
  const byId = new Map<string, Row[]>();
  for (const row of rows) byId.set(row.request_id, [...(byId.get(row.request_id) ?? []), row]);
  return byId;
}

/** Groups of the hourly sums that differ from the sums of the rows. */
async function wrongSums(store: Store): Promise<number> {
  const { rows } = await sql<{ wrong: bigint }>`
    with added as (
      select account_id, date_trunc('hour', received_at, 'UTC') as hour, model_id, key_id, coalesce(provider, '') as provider,
        count(*) as requests, count(*) filter (where outcome <> 'ok') as failed, sum(input_tokens) as input_tokens,
        sum(output_tokens) as output_tokens, sum(cost_nano) as cost_nano
      from usage_events where not refused group by 1, 2, 3, 4, 5)
    select count(*) as wrong from added full join (select * from usage_hourly where requests > 0) s using (account_id, hour, model_id, key_id, provider)
    where (added.requests, added.failed, added.input_tokens, added.output_tokens, added.cost_nano)
      is distinct from (s.requests, s.failed, s.input_tokens, s.output_tokens, s.cost_nano)`.execute(store.writer);
  return Number(rows[0]?.wrong);
}

/** Requests with a cost in their usage row that differs from the ledger's charge. */
async function unlikeTheLedger(store: Store): Promise<number> {
  const { rows } = await sql<{ unlike: bigint }>`
    with charged as (
      select account_id, regexp_replace(id, '^correction:', '') as request_id,
        sum(case debit when account_id then amount else -amount end) as amount
      from ledger_entries where kind = 'charge' group by 1, 2)
    select count(*) as unlike from usage_events u full join charged e using (account_id, request_id)
    where coalesce(u.cost_nano, 0) <> coalesce(e.amount, 0)`.execute(store.writer);
  return Number(rows[0]?.unlike);
}

const answered = ({ reply }: Shot): boolean => reply.status === 200;

async function missing(store: Store, shots: readonly Shot[]): Promise<number> {
  const rows = await rowsById(store);
  return shots.filter((shot) => answered(shot) && !rows.has(requestIdOf(shot) ?? '')).length;
}

async function judge(store: Store, simulator: SimulatorProcess, shots: readonly Shot[]) {
  const rows = await rowsById(store);
  const tokens = await tokensByShot(simulator);
  const whole = shots.filter(isWhole);
  const rowOf = (shot: Shot): Row | undefined => rows.get(requestIdOf(shot) ?? '')?.[0];
  const lateKills = whole.filter((shot) => rowOf(shot)?.outcome === 'interrupted').length;
  const wrongCost = whole.filter((shot) => {
    const row = rowOf(shot);
    return row?.outcome === 'ok' && row.cost_nano !== BigInt(tokens.get(shot.number) ?? 0) * TOKEN_NANO;
  }).length;
  const withoutAttempts = whole.filter((shot) => {
    const row = rowOf(shot);
    return row?.outcome === 'ok' && (row.attempts ?? 0) < 1;
  }).length;
  const all = [...rows.values()];
  return {
    rows: all.length,
    doubled: all.filter((same) => same.length > 1).length,
    interrupted: all.filter(([row]) => row?.outcome === 'interrupted').length,
    interruptedAndCharged: all.filter(([row]) => row?.outcome === 'interrupted' && row.cost_nano > 0n).length,
    lateKills,
    wrongCost,
    withoutAttempts,
  };
}

async function play({ rounds, loadMs }: Parameters, stage: Stage): Promise<Outcome> {
  const postgres = await KillablePostgres.start(stage);
  const database = await freshDatabase(postgres.url);
  const store = new Store(storeSettings(database.url));
  stage.atEnd(() => store.close());
  const simulator = await stage.simulator();
  const config = moneyConfig(simulator, ACCOUNTS, {
    database: { url: database.url, connectMs: 1000 },
    ledger: { journal: `${stage.folder}/journal` },
  });
  const shots: Shot[] = [];
  let first = 0;
  let withoutDatabase = 0;
  for (let round = 0; round < rounds; round++) {
    const gateway = await stage.gateway(config, { name: `node-${round}` });
    const before = shoot([gateway], ACCOUNTS, stage.random, first);
    await sleep(loadMs * (0.3 + 0.7 * stage.random()));
    first = await before.stop();
    await postgres.kill();
    const during = shoot([gateway], ACCOUNTS, stage.random, first, TOKENS_PER_SECOND);
    await sleep(loadMs * (0.8 + 0.4 * stage.random()));
    await gateway.child.kill();
    first = await during.stop();
    withoutDatabase += during.shots.filter(isWhole).length;
    postgres.restart();
    shots.push(...before.shots, ...during.shots);
    stage.say(
      `${before.shots.length} requests, then ${during.shots.filter(answered).length} without the database, then kill -9`,
    );
  }
  await stage.gateway(config, { name: 'last' });
  await waitFor('all usage is stored', async () => (await missing(store, shots)) === 0, PATIENCE_MS, 200).catch(
    () => undefined,
  );
  const unstored = await missing(store, shots);
  await waitFor('usage is what was charged', async () => (await unlikeTheLedger(store)) === 0, MATCHED_MS, 200).catch(
    () => undefined,
  );
  const { doubled, lateKills, wrongCost, withoutAttempts, ...figures } = await judge(store, simulator, shots);
  return {
    figures: {
      rounds,
      requests: shots.length,
      whole: shots.filter(isWhole).length,
      withoutDatabase,
      lateKills,
      ...figures,
    },
    checks: [
      exactly('answered requests without a row', unstored, 0),
      exactly('requests with more than one row', doubled, 0),
      exactly('whole answers at another cost than the upstream knows', wrongCost, 0),
      exactly('whole answers whose record lacks its attempts', withoutAttempts, 0),
      exactly('sums by the hour that are not the sums of the rows', await wrongSums(store), 0),
      exactly('rows that cost something else than the ledger has charged', await unlikeTheLedger(store), 0),
      atLeast('interrupted requests that were charged', figures.interruptedAndCharged, rounds),
      atLeast('whole answers while the database was away', withoutDatabase, rounds),
    ],
  };
}

export const usageKill = scenario<Parameters>({
  name: 'usage-kill',
  shows:
    'with PostgreSQL away and the gateway killed, every answered request has one row of usage, and sums are what was charged',
  short: { rounds: 1, loadMs: 2000 },
  full: { rounds: 20, loadMs: 4000 },
  run: play,
});
