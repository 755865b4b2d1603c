/** One of three hosts is sometimes slow: hedged streams begin in time, at the cost of a few more calls, which the record lists. */
import { readFileSync } from 'node:fs';
import type { TruthEntry } from '@trivium/simulator';
import { ask, chatQuestion, keepingAgent } from '../parts/ask.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { loadFor, percentile, rounded, type Shot, succeeded } from '../parts/load.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly perSecond: number; readonly forMs: number };

const FIRST_TOKEN_MS = 60;
const SLOW_FACTOR = 20;
/** One in five calls of the slow host is slow. */
const CYCLE = 5;
const HEDGE = { 'x-trivium-hedge': 'true' };
const IN_TURN = { 'x-trivium-strategy': 'round_robin' };

const answer = (firstTokenMs: number): string => `scenario=text-long words=6 ttft=${firstTokenMs}`;

async function makeSlowNowAndThen(simulator: SimulatorProcess, calls: number): Promise<void> {
  for (let call = 0; call < calls; call += CYCLE) {
    await simulator.arm(answer(FIRST_TOKEN_MS), CYCLE - 1);
    await simulator.arm(answer(FIRST_TOKEN_MS * SLOW_FACTOR), 1);
  }
}

type LoggedAttempt = { readonly hedge?: string; readonly operatorUsage?: { readonly completion?: number } };

/** The attempts that lost, from the operator's log. */
const lostIn = (log: string): LoggedAttempt[] =>
  log
    .split('\n')
    .filter((line) => line.includes('"hedge":"lost"'))
    .flatMap((line) => (JSON.parse(line) as { attempts: LoggedAttempt[] }).attempts)
    .filter(({ hedge }) => hedge === 'lost');

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const p99 = (shots: readonly Shot[]): number =>
  percentile(
    shots.map(({ headMs }) => headMs),
    0.99,
  );

async function run({ perSecond, forMs }: Parameters, stage: Stage): Promise<Outcome> {
  const simulators = await stage.simulators(['east', 'west', 'north']);
  const all = Object.values(simulators);
  const gateway = await stage.gateway({ ...chatHosts(simulators), log: { level: 'info' } });
  // Two loads, a third of each, and the hedged calls.
  await makeSlowNowAndThen(simulators.east, ((perSecond * forMs) / 1000) * 0.8);
  const agent = keepingAgent();
  const words = `Hello @simulate ${answer(FIRST_TOKEN_MS)}`;
  const fire = (more: Record<string, string>) => () =>
    ask({ ...chatQuestion(gateway.url, MODEL, words, { stream: true }), headers: { ...IN_TURN, ...more }, agent });
  const truth = async (): Promise<TruthEntry[]> => (await Promise.all(all.map((one) => one.truth()))).flat();

  const plain = await loadFor(forMs, perSecond, fire({}));
  for (const simulator of all) await simulator.forget();
  const hedged = await loadFor(forMs, perSecond, fire(HEDGE));
  await waitFor('every call is over', async () => (await truth()).every(({ outcome }) => outcome !== 'open'), 10_000);
  const calls = await truth();
  const aborted = calls.filter(({ outcome }) => outcome === 'aborted');
  let lost: LoggedAttempt[] = [];
  await waitFor(
    'every lost call is in the log',
    () => {
      lost = lostIn(readFileSync(gateway.child.logPath, 'utf8'));
      return lost.length >= aborted.length;
    },
    5000,
  );
  agent.destroy();
  const produced = sum(aborted.map(({ tokensProduced }) => tokensProduced));
  const booked = sum(lost.map(({ operatorUsage }) => operatorUsage?.completion ?? 0));
  const extra = calls.length / hedged.length - 1;
  return {
    figures: {
      requests: hedged.length,
      calls: calls.length,
      extraCalls: rounded(extra, 3),
      p99PlainMs: rounded(p99(plain), 0),
      p99HedgedMs: rounded(p99(hedged), 0),
      losers: lost.length,
      losersTokens: booked,
      upstreamTokens: produced,
    },
    checks: [
      exactly('failed requests', [...plain, ...hedged].filter((shot) => !succeeded(shot)).length, 0),
      atMost('p99 to the first token, as a share of the unhedged', rounded(p99(hedged) / p99(plain), 3), 0.5),
      atMost('extra calls for each request', rounded(extra, 3), 0.1),
      exactly('calls without an operator’s line', aborted.length - lost.length, 0),
      exactly('tokens of losers, booked beside what upstreams produced', booked, produced),
    ],
  };
}

export const hedging = scenario<Parameters>({
  name: 'hedging',
  shows:
    'with one host slow now and then, hedging halves the wait for the first token at its worst for a tenth more calls',
  short: { perSecond: 40, forMs: 9000 },
  full: { perSecond: 60, forMs: 30_000 },
  run,
});
