/**
 * A worker is stopped in the middle of its calls (SIGSTOP): it gets no new connections and is replaced, no caller waits
 * forever, and what it had answered is charged from its journal (S8).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase } from '../../support/database.ts';
import { Comparison, type Findings } from '../ledger-kill/compare.ts';
import { ask, chatQuestion, type Reply } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { rounded, succeeded } from '../parts/load.ts';
import { keyFor, moneyConfig, Purser, REQUEST_NANO } from '../parts/money.ts';
import { isWhole, type Shot, shoot } from '../parts/shots.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, atMost, type Check, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly rounds: number;
  /** Absent where only the order of events is checked: a busy machine may take any time. */
  readonly within?: { readonly suspendedMs: number; readonly goneMs: number };
};

const WORKERS = 2;
/** `team` is an unknown account, and so unmetered. */
const ACCOUNTS = ['rich', 'other', 'team'];
const LOAD_MS = 1_500;
const EVENT_LIMIT_MS = 60_000;
const POSTED_WITHIN_MS = 30_000;
const LOOK_MS = 50;
/** Each over its own connection, so that each is assigned to a worker anew. */
const CALLS_MEANWHILE = 40;

const workersOf = ({ child: { pid } }: GatewayProcess): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );

const isSuspended = ({ child }: GatewayProcess, pid: number): boolean =>
  readFileSync(child.logPath, 'utf8')
    .split('\n')
    .some((line) => line.includes(`"worker":${pid},`) && line.includes('worker unresponsive; no new connections'));

async function setUp(stage: Stage) {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const simulator = await stage.simulator();
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  for (const account of ['rich', 'other']) await purser.open(account, 1_000_000n * REQUEST_NANO);
  const gateway = await stage.gateway(
    moneyConfig(simulator, ACCOUNTS, {
      database: { url: database.url },
      ledger: { journal: `${stage.folder}/journal` },
      // A worker without enough CPU time refuses requests; another scenario checks which.
      overload: { lagMs: 0 },
      log: { level: 'warn' },
    }),
    { args: ['--workers', String(WORKERS)] },
  );
  return { gateway, purser, comparison: new Comparison(simulator, purser, ACCOUNTS) };
}

const call = ({ url }: GatewayProcess): Promise<Reply> =>
  ask({
    ...chatQuestion(url, MODEL, '@simulate scenario=text-long words=1', { max_tokens: 1 }),
    headers: { authorization: `Bearer ${keyFor('team')}` },
    limitMs: EVENT_LIMIT_MS,
  });

type Frozen = { readonly suspendedMs: number; readonly goneMs: number; readonly failedMeanwhile: number };

/** Resolves when the stopped worker is gone, all workers run again and none of its holds is open in the ledger database. */
async function freezeOne(gateway: GatewayProcess, purser: Purser): Promise<Frozen> {
  const [victim = 0] = workersOf(gateway);
  const startedMs = performance.now();
  const wait = (what: string, holds: () => boolean | Promise<boolean>): Promise<number> =>
    waitFor(what, holds, EVENT_LIMIT_MS, LOOK_MS);
  process.kill(victim, 'SIGSTOP');
  await wait('it gets no new connections', () => isSuspended(gateway, victim));
  const suspendedMs = performance.now() - startedMs;
  let failedMeanwhile = 0;
  for (let made = 0; made < CALLS_MEANWHILE; made++) if (!succeeded(await call(gateway))) failedMeanwhile++;
  await wait('it is gone', () => !workersOf(gateway).includes(victim));
  const goneMs = performance.now() - startedMs;
  await wait('all seats are taken', () => workersOf(gateway).length === WORKERS);
  await wait('what it had open is closed', async () => (await purser.openHoldsOf(victim)) === 0);
  return { suspendedMs, goneMs, failedMeanwhile };
}

type Row = Frozen & Findings & { readonly whole: number; readonly cut: number; readonly hanging: number };

const hangs = ({ reply }: Shot): boolean => reply.failure?.startsWith('no end within') === true;

async function run({ rounds, within }: Parameters, stage: Stage): Promise<Outcome> {
  const { gateway, purser, comparison } = await setUp(stage);
  await waitFor('all workers ready', () => workersOf(gateway).length === WORKERS, EVENT_LIMIT_MS);
  const rows: Row[] = [];
  let first = 0;
  let violations = 0;
  for (let round = 0; round < rounds; round++) {
    const load = shoot([gateway], ACCOUNTS, stage.random, first);
    await sleep(LOAD_MS);
    const frozen = await freezeOne(gateway, purser);
    first = await load.stop();
    const { shots } = load;
    const isPosted = async (): Promise<boolean> => (await comparison.ofRound(shots, undefined)).wrong === 0;
    await waitFor('all is posted', isPosted, POSTED_WITHIN_MS, 250).catch(() => undefined);
    const row = {
      ...frozen,
      ...(await comparison.ofRound(shots, undefined)),
      whole: shots.filter(isWhole).length,
      cut: shots.filter((shot) => !isWhole(shot)).length,
      hanging: shots.filter(hangs).length,
    };
    rows.push(row);
    stage.say(
      Object.entries(row)
        .map(([name, value]) => `${name} ${rounded(value, 0)}`)
        .join(', '),
    );
    for (const account of ACCOUNTS) violations += await purser.violations(account);
    await comparison.nextRound();
  }
  return judge(rows, violations, await gateway.metric('trivium_workers_ended_total{why="fallen"}'), within);
}

function judge(rows: readonly Row[], violations: number, fallen: number, within: Parameters['within']): Outcome {
  const sum = (column: keyof Row): number => rows.reduce((total, row) => total + row[column], 0);
  const most = (column: keyof Row): number => Math.round(Math.max(...rows.map((row) => row[column])));
  const times: readonly Check[] =
    within === undefined
      ? []
      : [
          atMost('ms until one is out of rotation', most('suspendedMs'), within.suspendedMs),
          atMost('ms until one is killed', most('goneMs'), within.goneMs),
        ];
  return {
    figures: {
      rounds: rows.length,
      suspendedMs: most('suspendedMs'),
      goneMs: most('goneMs'),
      wholeAnswers: sum('whole'),
      cut: sum('cut'),
      estimated: sum('estimated'),
      unpaidTokens: sum('unpaidTokens'),
    },
    checks: [
      exactly('callers that hang', sum('hanging'), 0),
      exactly('calls that failed once it was out of rotation', sum('failedMeanwhile'), 0),
      exactly('charges above what the upstream produced', sum('overcharged'), 0),
      // An answer sent at the very moment its worker stopped was not recorded.
      atMost('whole answers not charged exactly', sum('wrong'), rows.length),
      exactly('violations of invariants in the ledger database', violations, 0),
      exactly('workers that fell by themselves', fallen, 0),
      atLeast('whole answers', sum('whole'), rows.length),
      ...times,
    ],
  };
}

export const frozenWorker = scenario<Parameters>({
  name: 'frozen-worker',
  shows:
    'a worker that stands still gets no new connections and is replaced, no caller waits for ever, and what it answered is charged',
  short: { rounds: 1 },
  full: { rounds: 5, within: { suspendedMs: 5000, goneMs: 15_000 } },
  run,
});
