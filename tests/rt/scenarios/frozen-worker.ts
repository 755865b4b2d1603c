/** A worker is stopped under load (SIGSTOP): it gets no new connections, is replaced, and no caller waits for ever. */
import { readdirSync, readFileSync } from 'node:fs';
import { ask, chatQuestion, keepingAgent, type Question } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { rounded, type Shot, startLoad, succeeded } from '../parts/load.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, atMost, type Check, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly workers: number;
  readonly rounds: number;
  readonly perSecond: number;
  /** Absent where only the order of events is judged: a machine with much else to do takes any time. */
  readonly within?: { readonly suspendedMs: number; readonly replacedMs: number };
};

/** Longer than any caller may have to wait: whoever gets neither an answer nor an error by then hangs. */
const CALLER_PATIENCE_MS = 60_000;
const EVENT_LIMIT_MS = 120_000;
const LOOK_MS = 50;
/** What callers are served meanwhile, so that those after the suspension are counted apart from those before it. */
const CALLS_MEANWHILE = 40;

const workersOf = ({ child: { pid } }: GatewayProcess): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const logOf = ({ child }: GatewayProcess): string => readFileSync(child.logPath, 'utf8');
const count = (gateway: GatewayProcess, event: string, pid: number): number =>
  logOf(gateway)
    .split('\n')
    .filter((line) => line.includes(event) && line.includes(`"worker":${pid}`)).length;

type Round = { readonly suspendedMs: number; readonly replacedMs: number; readonly failedAfter: number };

/** Each call of its own connection, one after another: every one is handed to a worker anew. */
async function callsFailed(question: () => Question): Promise<number> {
  let failed = 0;
  for (let call = 0; call < CALLS_MEANWHILE; call++) if (!succeeded(await ask(question()))) failed++;
  return failed;
}

async function freezeOne(gateway: GatewayProcess, question: () => Question, workers: number): Promise<Round> {
  const [victim = 0] = workersOf(gateway);
  const frozenAtMs = performance.now();
  process.kill(victim, 'SIGSTOP');
  await waitFor(
    'it gets no new connections',
    () => count(gateway, 'gets no new connections', victim) === 1,
    EVENT_LIMIT_MS,
    LOOK_MS,
  );
  const suspendedMs = performance.now() - frozenAtMs;
  const failedAfter = await callsFailed(question);
  await waitFor('it is gone', () => !isAlive(victim), EVENT_LIMIT_MS, LOOK_MS);
  const replacedMs = performance.now() - frozenAtMs;
  await waitFor('all seats are taken', () => workersOf(gateway).length === workers, EVENT_LIMIT_MS, LOOK_MS);
  return { suspendedMs, replacedMs, failedAfter };
}

const timesOf = (rounds: readonly Round[], within: Parameters['within']): readonly Check[] =>
  within === undefined
    ? []
    : [
        atMost(
          'ms until the last was out of rotation',
          Math.max(...rounds.map(({ suspendedMs }) => suspendedMs)),
          within.suspendedMs,
        ),
        atMost(
          'ms until the last was replaced',
          Math.max(...rounds.map(({ replacedMs }) => replacedMs)),
          within.replacedMs,
        ),
      ];

const hung = ({ failure }: Shot): boolean => failure?.startsWith('no end within') === true;

async function run({ workers, rounds, perSecond, within }: Parameters, stage: Stage): Promise<Outcome> {
  const simulator = await stage.simulator();
  const gateway = await stage.gateway(
    { ...chatHosts({ host: simulator }), overload: { lagMs: 0 }, log: { level: 'warn' } },
    { args: ['--workers', String(workers)] },
  );
  await waitFor('all workers serve', () => workersOf(gateway).length === workers, EVENT_LIMIT_MS);
  const agent = keepingAgent();
  const keeping = (): Question => ({ ...chatQuestion(gateway.url, MODEL), agent, limitMs: CALLER_PATIENCE_MS });
  const fresh = (): Question => ({ ...chatQuestion(gateway.url, MODEL), limitMs: CALLER_PATIENCE_MS });
  const calls = startLoad(perSecond, (index) => ask(index % 2 === 0 ? keeping() : fresh()));
  const done: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    done.push(await freezeOne(gateway, fresh, workers));
    stage.say(
      `round ${round + 1}: out of rotation after ${rounded((done.at(-1)?.suspendedMs ?? 0) / 1000, 1)} s, replaced after ${rounded((done.at(-1)?.replacedMs ?? 0) / 1000, 1)} s`,
    );
  }
  const shots = await calls.stop(CALLER_PATIENCE_MS * 2);
  agent.destroy();
  const failed = shots.filter((shot) => !succeeded(shot));
  return {
    figures: {
      rounds: done.map(({ suspendedMs, replacedMs }) => ({
        suspendedMs: rounded(suspendedMs, 0),
        replacedMs: rounded(replacedMs, 0),
      })),
      calls: shots.length,
      failed: failed.length,
      longestWaitMs: rounded(Math.max(...shots.map(({ latencyMs }) => latencyMs)), 0),
    },
    checks: [
      exactly('callers that hang', shots.filter(hung).length, 0),
      exactly(
        'calls that failed once it was out of rotation',
        done.reduce((sum, { failedAfter }) => sum + failedAfter, 0),
        0,
      ),
      exactly(
        'workers replaced for not turning',
        await gateway.metric('trivium_workers_ended_total{why="frozen"}'),
        rounds,
      ),
      exactly('workers that fell otherwise', await gateway.metric('trivium_workers_ended_total{why="fallen"}'), 0),
      atLeast('calls answered', shots.length - failed.length, perSecond * rounds),
      ...timesOf(done, within),
    ],
  };
}

export const frozenWorker = scenario<Parameters>({
  name: 'frozen-worker',
  shows: 'a worker that stands still gets no new connections and is replaced, and no caller waits for ever',
  short: { workers: 2, rounds: 1, perSecond: 20 },
  full: { workers: 2, rounds: 5, perSecond: 100, within: { suspendedMs: 5000, replacedMs: 15_000 } },
  run,
});
