/**
 * Every upstream answers 500 for a while: retries may add at most a tenth to the calls. Once with defaults, where hosts are
 * soon ejected; and once with hosts that are never ejected, so that only the retry budget limits retries.
 */
import { ask, chatQuestion, isBusy, keepingAgent } from '../parts/ask.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { loadFor, rounded, startLoad, succeeded } from '../parts/load.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atMost, type Check, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly perSecond: number;
  readonly outageMs: number;
  readonly warmMs: number;
  readonly recoveryMs: number;
};

type Case = { readonly name: string; readonly hosts: readonly string[]; readonly leavesOut: boolean };
const CASES: readonly Case[] = [
  { name: 'one host', hosts: ['only'], leavesOut: true },
  { name: 'three hosts', hosts: ['east', 'west', 'north'], leavesOut: true },
  { name: 'three hosts, never left out', hosts: ['up', 'down', 'across'], leavesOut: false },
];

const MOST = 1.1;
/** Retries that the budget gives a host beyond its tenth: an initial number, and a number per second. */
const FLOOR = 3;
const FLOOR_PER_SECOND = 1;
/** The default of `retries.failoverReserve`: failovers that may fail at a provider, once. */
const RESERVE = 20;
const NEVER = 1_000_000;

async function outage(of: Case, parameters: Parameters, stage: Stage): Promise<Outcome> {
  const { perSecond, outageMs, warmMs, recoveryMs } = parameters;
  const upstream = await stage.simulator(`upstream-${of.hosts[0]}`);
  const hosts = Object.fromEntries(of.hosts.map((host) => [host, upstream]));
  const gateway = await stage.gateway(
    { ...chatHosts(hosts), ...(!of.leavesOut && { health: { failures: NEVER, stalls: NEVER } }) },
    { name: `gateway-of-${of.hosts[0]}` },
  );
  const agent = keepingAgent();
  const fire = () => ask({ ...chatQuestion(gateway.url, MODEL), agent });

  const before = await loadFor(warmMs, perSecond, fire);
  await upstream.breakWith('status=500');
  await upstream.forget();
  const during = await loadFor(outageMs, perSecond, fire);
  const calls = (await upstream.truth()).length;
  await upstream.heal();
  const after = startLoad(perSecond, fire);
  const recoveredMs = await waitFor(
    'answers again',
    () => after.shots.slice(-perSecond).filter(succeeded).length >= perSecond,
    recoveryMs * 3,
  );
  await after.stop();
  agent.destroy();

  // Overload refusals of the gateway make no upstream call.
  const taken = during.filter((shot) => !isBusy(shot)).length;
  const amplification = rounded(calls / taken, 3);
  // A tenth of the calls before the outage may have been saved up for it.
  const budget =
    (MOST - 1) * (before.length + taken) + of.hosts.length * (FLOOR + RESERVE + (FLOOR_PER_SECOND * outageMs) / 1000);
  const bound: Check = of.leavesOut
    ? atMost(`${of.name}: upstream calls for each request`, amplification, MOST)
    : atMost(`${of.name}: retries`, calls - taken, Math.ceil(budget));
  return {
    figures: {
      [of.name]: { requests: during.length, taken, calls, amplification, recoveredMs: rounded(recoveredMs, 0) },
    },
    checks: [
      exactly(`${of.name}: failures before the outage`, before.filter((shot) => !succeeded(shot)).length, 0),
      exactly(`${of.name}: successes during the outage`, during.filter(succeeded).length, 0),
      bound,
      atMost(`${of.name}: ms until a whole second of load succeeds again`, rounded(recoveredMs, 0), recoveryMs),
    ],
  };
}

export const amplification = scenario<Parameters>({
  name: 'amplification',
  shows: 'an outage of every upstream is answered with at most a tenth more calls, and is over when they heal',
  short: { perSecond: 60, outageMs: 6000, warmMs: 1000, recoveryMs: 8000 },
  full: { perSecond: 100, outageMs: 30_000, warmMs: 3000, recoveryMs: 8000 },
  run: async (parameters, stage) => {
    // Side by side: each has its own gateway and hosts.
    const outcomes = await Promise.all(CASES.map((one) => outage(one, parameters, stage)));
    return {
      figures: Object.assign({}, ...outcomes.map(({ figures }) => figures)),
      checks: outcomes.flatMap(({ checks }) => checks),
    };
  },
});
