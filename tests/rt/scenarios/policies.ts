/**
 * Routing policies on two nodes: a policy saved at one applies at the other, a provider that is killed under load costs
 * no call that a fallback could save, and shares of hosts are kept.
 */
import { freshDatabase } from '../../support/database.ts';
import { ask, chatQuestion, keepingAgent, type Reply } from '../parts/ask.ts';
import { firstHosts, planAt, untilSteppedBack } from '../parts/canary-trial.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { chatHosts } from '../parts/hosts.ts';
import { rounded, startLoad, succeeded } from '../parts/load.ts';
import { operate } from '../parts/operator.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly saves: number;
  readonly perSecond: number;
  /** Calls before the provider is killed, and after it. */
  readonly calls: number;
  /** Plans whose first host is counted, by dry runs. */
  readonly plans: number;
  /** Absent where only the outcome is checked: a busy machine may take any time. */
  readonly within?: { readonly appliedMs: number };
};

const ASKED = 'rt/asked';
const SPARE = 'rt/spare';
const SPLIT = 'rt/split';
const STEADY = 'rt/steady';
const TRIAL = 'rt/trial';
const CANARY_PERCENT = 30;
const FAILING_SHARE = 0.3;
/** At both nodes together. */
const MOST_CALLS = 200;
/** Conversations that are planned again at other nodes. */
const STICKY = 200;
const SHARES = { first: 70, second: 20, third: 10 } as const;
const HOSTS = Object.keys(SHARES) as (keyof typeof SHARES)[];
const LOOK_MS = 5;
const APPLIED_LIMIT_MS = 30_000;
const CALL_LIMIT_MS = 60_000;
/** Percentage points; of fewer plans, chance moves shares further. */
const shareBound = (plans: number): number => (plans >= 100_000 ? 1 : 6);

const agent = keepingAgent();

/** The time until the other node plans by a policy that was saved at one. */
async function appliedAfter(one: GatewayProcess, other: GatewayProcess, name: string): Promise<number> {
  await operate(one, 'POST', '/policies', { name, match: { models: [SPLIT] }, order: ['third'] });
  const isApplied = async (): Promise<boolean> => JSON.stringify(await planAt(other, SPLIT)).includes(`"${name}"`);
  const ms = await waitFor('the other node plans by the policy', isApplied, APPLIED_LIMIT_MS, LOOK_MS);
  await operate(one, 'DELETE', `/policies/${name}`);
  await waitFor('… and without it', async () => !(await isApplied()), APPLIED_LIMIT_MS, LOOK_MS);
  return ms;
}

/** Calls at both nodes; in the middle of them the only provider of the model is killed. */
async function killUnderLoad(
  nodes: readonly GatewayProcess[],
  provider: SimulatorProcess,
  { perSecond, calls }: Parameters,
): Promise<readonly Reply[]> {
  const load = startLoad(perSecond, (index) =>
    ask({
      ...chatQuestion(nodes[index % nodes.length]!.url, ASKED, 'Hello', { stream: index % 3 === 0 }),
      agent,
      limitMs: CALL_LIMIT_MS,
    }),
  );
  await waitFor('half of the calls', () => load.fired >= calls / 2, CALL_LIMIT_MS);
  await provider.child.kill();
  await waitFor('the other half', () => load.fired >= calls, CALL_LIMIT_MS);
  return load.stop();
}

/** What had begun to flow when its provider died is cut: no policy can save it. */
const couldBeSaved = ({ status }: Reply): boolean => status !== 200;

const shareOf = (hosts: readonly string[], host: string): number =>
  hosts.filter((one) => one === host).length / hosts.length;

async function play(parameters: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const { mortal, trial, ...hosts } = await stage.simulators(['mortal', 'trial', ...HOSTS]);
  const served = [
    chatHosts({ mortal }, ASKED),
    chatHosts({ first: hosts.first }, SPARE),
    chatHosts(hosts, SPLIT),
    chatHosts({ second: hosts.second }, STEADY),
    chatHosts({ trial }, TRIAL),
  ];
  const config = {
    providers: Object.assign({}, ...served.map(({ providers }) => providers)),
    models: served.flatMap(({ models }) => models),
    database: { url: database.url },
    overload: { lagMs: 0 },
  };
  const [one, other] = [await stage.gateway(config, { name: 'one' }), await stage.gateway(config, { name: 'other' })];
  const applied: number[] = [];
  for (let save = 0; save < parameters.saves; save++) applied.push(await appliedAfter(one, other, `save-${save}`));
  await operate(one, 'POST', '/policies', {
    name: 'falls-back',
    match: { models: [ASKED] },
    fallbacks: [{ model: SPARE }],
  });
  await operate(one, 'POST', '/policies', {
    name: 'shares',
    match: { models: [SPLIT] },
    weights: SHARES,
    sticky: true,
  });
  await operate(one, 'POST', '/policies', {
    name: 'trial',
    match: { models: [STEADY] },
    canary: { model: TRIAL, percent: CANARY_PERCENT, stepBack: { errorPercent: 10, leastCalls: 15 } },
  });
  for (const node of [one, other])
    await waitFor(
      'the policies apply',
      async () => {
        const plans = await Promise.all([ASKED, SPLIT, STEADY].map((model) => planAt(node, model)));
        return ['falls-back', 'shares', 'trial'].every((name, at) => JSON.stringify(plans[at]).includes(`"${name}"`));
      },
      APPLIED_LIMIT_MS,
      LOOK_MS,
    );
  const replies = await killUnderLoad([one, other], mortal, parameters);
  const failed = replies.filter((reply) => !succeeded(reply));
  const firsts = await firstHosts([one, other], SPLIT, parameters.plans);
  const shares = Object.fromEntries(HOSTS.map((host) => [host, shareOf(firsts, host)]));
  const off = Math.max(...HOSTS.map((host) => Math.abs(shareOf(firsts, host) * 100 - SHARES[host])));
  const moved = await firstHosts([one, other], STEADY, parameters.plans);
  const canaryOff = Math.abs(shareOf(moved, 'trial') * 100 - CANARY_PERCENT);
  await other.child.kill();
  const again = await stage.gateway(config, { name: 'again' });
  const later = await Promise.all([SPLIT, STEADY].map((model) => firstHosts([again, one], model, STICKY)));
  const strayed = [firsts, moved].flatMap((hosts, at) =>
    hosts.slice(0, STICKY).filter((host, index) => host !== later[at]![index]),
  );
  const back = await untilSteppedBack([one, again], 'trial', STEADY, trial, {
    share: FAILING_SHARE,
    most: MOST_CALLS,
    random: stage.random,
  });
  const appliedMs = rounded(Math.max(...applied), 0);
  const { within } = parameters;
  return {
    figures: {
      appliedMs,
      calls: replies.length,
      cut: failed.length,
      ...shares,
      canary: shareOf(moved, 'trial'),
      callsUntilSteppedBack: back.calls,
    },
    checks: [
      exactly('calls that failed and that the policy could have saved', failed.filter(couldBeSaved).length, 0),
      atMost('percentage points by which shares are off', rounded(off, 2), shareBound(parameters.plans)),
      atMost(
        "percentage points by which the canary's share is off",
        rounded(canaryOff, 2),
        shareBound(parameters.plans),
      ),
      exactly('conversations that moved after a restart, at another node', strayed.length, 0),
      atMost('calls until the canary has stepped back', back.calls, MOST_CALLS),
      exactly('calls that the canary lost', back.failed.length, 0),
      exactly('entries in the audit log', back.audited, 1),
      exactly('alerts', back.alerts, 1),
      ...(within === undefined
        ? []
        : [atMost('ms until a policy applies at the other node', appliedMs, within.appliedMs)]),
    ],
  };
}

export const policies = scenario<Parameters>({
  name: 'policies',
  nodes: 2,
  shows:
    'a policy saved at one node applies at the other; a provider killed under load costs no call that a fallback saves; shares of hosts and of a canary are kept, and conversations stay after a restart; a canary whose calls fail steps back on both nodes, announced once, and loses no call',
  limitMs: { short: 300_000, full: 1_800_000 },
  short: { saves: 2, perSecond: 60, calls: 240, plans: 1_000 },
  full: { saves: 10, perSecond: 150, calls: 6_000, plans: 100_000, within: { appliedMs: 1000 } },
  run: play,
});
