/** Every upstream answers 500 for a while: retries may add a tenth to the calls, and no more. */
import { ask, chatQuestion, keepingAgent } from '../parts/ask.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { loadFor, rounded, startLoad, succeeded } from '../parts/load.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly hosts: readonly number[];
  readonly perSecond: number;
  readonly outageMs: number;
  readonly warmMs: number;
  readonly recoveryMs: number;
};

/** What the retry budget gives each upstream beyond its tenth: a few retries a second, so that a quiet one has any. */
const FLOOR_PER_SECOND = 3;
const SHARE = 1.1;

async function outage(hosts: number, parameters: Parameters, stage: Stage): Promise<Outcome> {
  const { perSecond, outageMs, warmMs, recoveryMs } = parameters;
  const names = ['east', 'west', 'north'].slice(0, hosts);
  const simulators = await stage.simulators(names);
  const all = Object.values(simulators);
  const gateway = await stage.gateway(chatHosts(simulators), { name: `gateway-of-${hosts}` });
  const agent = keepingAgent();
  const fire = () => ask({ ...chatQuestion(gateway.url, MODEL), agent });

  const before = await loadFor(warmMs, perSecond, fire);
  for (const simulator of all) {
    await simulator.breakWith('status=500');
    await simulator.forget();
  }
  const during = await loadFor(outageMs, perSecond, fire);
  const calls = (await Promise.all(all.map((simulator) => simulator.truth()))).reduce((sum, t) => sum + t.length, 0);
  for (const simulator of all) await simulator.heal();
  const after = startLoad(perSecond, fire);
  const recoveredMs = await waitFor(
    'answers again',
    () => after.shots.slice(-perSecond).filter(succeeded).length >= perSecond,
    recoveryMs * 3,
  );
  await after.stop();
  agent.destroy();

  const floor = FLOOR_PER_SECOND * hosts * (outageMs / 1000);
  const name = hosts === 1 ? 'one host' : `${hosts} hosts`;
  return {
    figures: {
      [`${hosts}`]: {
        requests: during.length,
        calls,
        amplification: rounded(calls / during.length, 3),
        floorCalls: floor,
        recoveredMs: rounded(recoveredMs, 0),
      },
    },
    checks: [
      exactly(`${name}: failures before the outage`, before.filter((shot) => !succeeded(shot)).length, 0),
      exactly(`${name}: successes during the outage`, during.filter(succeeded).length, 0),
      atMost(`${name}: upstream calls`, calls, Math.ceil(SHARE * during.length + floor)),
      atMost(`${name}: ms until a whole second of load succeeds again`, rounded(recoveredMs, 0), recoveryMs),
    ],
  };
}

export const amplification = scenario<Parameters>({
  name: 'amplification',
  shows: 'an outage of every upstream is answered with at most a tenth more calls, and is over when they heal',
  short: { hosts: [1], perSecond: 100, outageMs: 6000, warmMs: 1000, recoveryMs: 8000 },
  full: { hosts: [1], perSecond: 200, outageMs: 30_000, warmMs: 2000, recoveryMs: 8000 },
  run: async (parameters, stage) => {
    const outcomes: Outcome[] = [];
    for (const hosts of parameters.hosts) outcomes.push(await outage(hosts, parameters, stage));
    return {
      figures: Object.assign({}, ...outcomes.map(({ figures }) => figures)),
      checks: outcomes.flatMap(({ checks }) => checks),
    };
  },
});
