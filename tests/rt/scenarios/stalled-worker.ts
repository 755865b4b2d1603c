/**
 * A gateway is stopped in the middle of its streams until the ledger has fenced it, and then resumes: what it then finishes is
 * charged exactly and once, and it serves again under a new epoch (S1).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase } from '../../support/database.ts';
import { Comparison, type Findings } from '../ledger-kill/compare.ts';
import { ask, chatQuestion } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { keyFor, moneyConfig, Purser, REQUEST_NANO } from '../parts/money.ts';
import { isWhole, shoot } from '../parts/shots.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly rounds: number;
  readonly stopMs: number;
  /** Or by the ledger database's own clock, after 15 s without a heartbeat. */
  readonly buriedByHand: boolean;
};

/** `team` is an unknown account, and so unmetered. */
const ACCOUNTS = ['rich', 'other', 'team'];
const LOAD_MS = 1_500;
/** Slow enough that the ledger has checkpoints of some streams when their gateway stops. */
const TOKENS_PER_SECOND = 4;
const BURIED_WITHIN_MS = 30_000;
const SERVES_WITHIN_MS = 30_000;
const POSTED_WITHIN_MS = 30_000;

async function setUp(stage: Stage) {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const simulator = await stage.simulator();
  const config = moneyConfig(simulator, ACCOUNTS, {
    database: { url: database.url },
    ledger: { journal: `${stage.folder}/journal` },
    // The watchdog would kill a process that is stopped for this long; here the process has to resume.
    watchdog: { enabled: false },
  });
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  for (const account of ['rich', 'other']) await purser.open(account, 1_000_000n * REQUEST_NANO);
  const nodes = [await stage.gateway(config, { name: 'node-0' }), await stage.gateway(config, { name: 'node-1' })];
  return { nodes, purser, comparison: new Comparison(simulator, purser, ACCOUNTS) };
}

const serves = async ({ url }: GatewayProcess): Promise<boolean> => {
  const text = '#-1# @simulate scenario=text-long words=1';
  const headers = { authorization: `Bearer ${keyFor('rich')}` };
  const reply = await ask({ ...chatQuestion(url, MODEL, text, { max_tokens: 1 }), headers, limitMs: SERVES_WITHIN_MS });
  return reply.status === 200;
};

/** Resolves when the gateway runs again and its open holds are closed. */
async function stop(node: GatewayProcess, purser: Purser, { stopMs, buriedByHand }: Parameters): Promise<void> {
  const { child } = node;
  const [epoch = ''] = await purser.epochsOf(child.pid);
  const going = sleep(stopMs);
  child.signal('SIGSTOP');
  try {
    if (buriedByHand) await purser.bury(epoch);
    await waitFor(
      'what the stopped one had open is closed',
      async () => (await purser.openHoldsOf(child.pid)) === 0,
      BURIED_WITHIN_MS,
    );
    await going;
  } finally {
    child.signal('SIGCONT');
  }
}

type Row = Findings & { readonly whole: number; readonly late: number; readonly corrections: number };

async function play(parameters: Parameters, stage: Stage): Promise<Outcome> {
  const { nodes, purser, comparison } = await setUp(stage);
  const rows: Row[] = [];
  let first = 0;
  let again = 0;
  let violations = 0;
  const corrections = async (): Promise<number> =>
    (await Promise.all(ACCOUNTS.map((account) => purser.corrections(account)))).reduce((sum, count) => sum + count, 0);
  for (let round = 0; round < parameters.rounds; round++) {
    const node = nodes[round % 2]!;
    const [epochsBefore, correctedBefore] = [await purser.epochsOf(node.child.pid), await corrections()];
    const load = shoot(nodes, ACCOUNTS, stage.random, first, TOKENS_PER_SECOND);
    await sleep(LOAD_MS);
    const answeredBefore = load.shots.length;
    await stop(node, purser, parameters);
    await waitFor('the one that was stopped serves again', () => serves(node), SERVES_WITHIN_MS, 200);
    await sleep(LOAD_MS);
    first = await load.stop();
    const { shots } = load;
    const isPosted = async (): Promise<boolean> => (await comparison.ofRound(shots, undefined)).wrong === 0;
    await waitFor('all is posted', isPosted, POSTED_WITHIN_MS, 250).catch(() => undefined);
    const late = shots.slice(answeredBefore).filter((shot) => shot.node === node.url && isWhole(shot)).length;
    const row = {
      ...(await comparison.ofRound(shots, undefined)),
      whole: shots.filter(isWhole).length,
      late,
      corrections: (await corrections()) - correctedBefore,
    };
    rows.push(row);
    stage.say(
      Object.entries(row)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    );
    again += (await purser.epochsOf(node.child.pid)).length - epochsBefore.length;
    for (const account of ACCOUNTS) violations += await purser.violations(account);
    await comparison.nextRound();
  }
  const sum = (column: keyof Row): number => rows.reduce((total, row) => total + row[column], 0);
  return {
    figures: {
      rounds: parameters.rounds,
      wholeAnswers: sum('whole'),
      ofTheStopped: sum('late'),
      corrections: sum('corrections'),
      estimated: sum('estimated'),
    },
    checks: [
      exactly('whole answers not charged exactly', sum('wrong'), 0),
      exactly('charges above what the upstream produced', sum('overcharged'), 0),
      exactly('violations of invariants in the ledger database', violations, 0),
      exactly('new epochs of those that were taken for dead', again, parameters.rounds),
      atLeast('whole answers of the stopped ones, given after they woke up', sum('late'), parameters.rounds),
      atLeast('corrections', sum('corrections'), 1),
    ],
  };
}

export const stalledWorker = scenario<Parameters>({
  name: 'stalled-worker',
  shows:
    'a gateway that is stopped until the ledger takes it for dead, and goes on, has every whole answer charged exactly and once',
  short: { rounds: 2, stopMs: 2_000, buriedByHand: true },
  full: { rounds: 3, stopMs: 25_000, buriedByHand: false },
  run: play,
});
