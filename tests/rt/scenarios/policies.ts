/**
 * Routing policies on two nodes: a policy saved at one applies at the other, a provider that is killed under load costs
 * no call that a fallback could save, and shares of hosts are kept.
 */
import { freshDatabase } from '../../support/database.ts';
import { ask, chatQuestion, keepingAgent, type Reply } from '../parts/ask.ts';
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
const SHARES = { first: 70, second: 20, third: 10 } as const;
type Host = keyof typeof SHARES;
const HOSTS = Object.keys(SHARES) as Host[];
const LOOK_MS = 5;
const APPLIED_LIMIT_MS = 30_000;
const CALL_LIMIT_MS = 60_000;
const AT_ONCE = 16;
/** Percentage points; of fewer plans, chance moves shares further. */
const shareBound = (plans: number): number => (plans >= 100_000 ? 1 : 6);

type Planned = { readonly plan: readonly { readonly provider: string }[] };

const agent = keepingAgent();

async function planAt({ url }: GatewayProcess, model: string): Promise<Planned> {
  const { path, ...question } = chatQuestion(url, model);
  const headers = { 'x-trivium-path': path };
  const { status, text } = await ask({ ...question, path: '/api/v1/route', headers, agent, limitMs: CALL_LIMIT_MS });
  if (status !== 200) throw new Error(`dry run: ${status} ${text}`);
  return JSON.parse(text) as Planned;
}

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

async function sharesOf(nodes: readonly GatewayProcess[], plans: number): Promise<Readonly<Record<Host, number>>> {
  const counts = { first: 0, second: 0, third: 0 };
  let next = 0;
  const planOn = async (): Promise<void> => {
    for (let index = next++; index < plans; index = next++) {
      const [target] = (await planAt(nodes[index % nodes.length]!, SPLIT)).plan;
      counts[target?.provider as Host]++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, planOn));
  return { first: counts.first / plans, second: counts.second / plans, third: counts.third / plans };
}

async function play(parameters: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const { mortal, ...hosts } = await stage.simulators(['mortal', ...HOSTS]);
  const [asked, spare, split] = [
    chatHosts({ mortal }, ASKED),
    chatHosts({ first: hosts.first }, SPARE),
    chatHosts(hosts, SPLIT),
  ];
  const config = {
    providers: { ...asked.providers, ...spare.providers, ...split.providers },
    models: [...asked.models, ...spare.models, ...split.models],
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
  await operate(one, 'POST', '/policies', { name: 'shares', match: { models: [SPLIT] }, weights: SHARES });
  for (const node of [one, other])
    await waitFor(
      'both policies apply',
      async () => {
        const plans = [await planAt(node, ASKED), await planAt(node, SPLIT)];
        return JSON.stringify(plans[0]).includes('"falls-back"') && JSON.stringify(plans[1]).includes('"shares"');
      },
      APPLIED_LIMIT_MS,
      LOOK_MS,
    );
  const replies = await killUnderLoad([one, other], mortal, parameters);
  const failed = replies.filter((reply) => !succeeded(reply));
  const shares = await sharesOf([one, other], parameters.plans);
  const off = Math.max(...HOSTS.map((host) => Math.abs(shares[host] * 100 - SHARES[host])));
  const appliedMs = rounded(Math.max(...applied), 0);
  const { within } = parameters;
  return {
    figures: { appliedMs, calls: replies.length, cut: failed.length, ...shares },
    checks: [
      exactly('calls that failed and that the policy could have saved', failed.filter(couldBeSaved).length, 0),
      atMost('percentage points by which shares are off', rounded(off, 2), shareBound(parameters.plans)),
      ...(within === undefined
        ? []
        : [atMost('ms until a policy applies at the other node', appliedMs, within.appliedMs)]),
    ],
  };
}

export const policies = scenario<Parameters>({
  name: 'policies',
  shows:
    'a policy saved at one node applies at the other; a provider killed under load costs no call that a fallback saves; shares of hosts are kept',
  limitMs: { full: 900_000 },
  short: { saves: 2, perSecond: 60, calls: 240, plans: 2_000 },
  full: { saves: 10, perSecond: 150, calls: 6_000, plans: 100_000, within: { appliedMs: 1000 } },
  run: play,
});
