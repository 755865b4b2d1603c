/**
 * Upstream processes are stopped (SIGSTOP) at the worst moments: callers get an error in their own protocol within the
 * configured time; and where another host serves the model, it answers as long as no content has been relayed.
 */
import { HOME } from '../../support/every-road.ts';
import type { Road } from '../../support/roads.ts';
import { ask, type Reply } from '../parts/ask.ts';
import { DIALECT_NAMES, type Host, modelAt, providerOf, questionOn, ROADS } from '../parts/dialect-hosts.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { rounded, succeeded } from '../parts/load.ts';
import { notATimeout } from '../parts/native-error.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, atMost, type Check, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly limitMs: number;
  /** Time in ms that a busy machine may add. */
  readonly slackMs: number;
};

/** Faults hold the simulator at the moment under test; then its process is stopped. */
const MOMENTS = {
  'before-headers': 'fault=stall-before-headers',
  'after-headers': 'fault=stall-after-headers',
  'before-content': 'scenario=text-long words=20 fault=stall-mid-event after=0',
  'mid-event': 'scenario=text-long words=20 fault=stall-mid-event after=2',
} as const;
type Moment = keyof typeof MOMENTS;
const MOMENT_NAMES = Object.keys(MOMENTS) as readonly Moment[];
const REACH_LIMIT_MS = 15_000;

type Call = { readonly road: Road; readonly model: string; readonly stream: boolean };
type Seen = { readonly call: Call; readonly reply: Reply; readonly afterStopMs: number };

/** Sends all requests at once, stops the upstream when all have reached the moment, and resumes it when all have ended. */
async function stopAt(
  moment: Moment,
  calls: readonly Call[],
  gateway: GatewayProcess,
  upstream: SimulatorProcess,
): Promise<readonly Seen[]> {
  await upstream.forget();
  await upstream.breakWith(MOMENTS[moment]);
  let stoppedAtMs = Number.POSITIVE_INFINITY;
  const replies = calls.map(async (call): Promise<Seen> => {
    const reply = await ask(questionOn(call.road, gateway.url, call.model, 'Hello', call.stream));
    return { call, reply, afterStopMs: performance.now() - stoppedAtMs };
  });
  await waitFor(
    `${calls.length} calls at the upstream, ${moment}`,
    async () => {
      const entries = await upstream.truth();
      const there = entries.filter(({ status }) => moment === 'before-headers' || status === 200);
      return there.length >= calls.length;
    },
    REACH_LIMIT_MS,
  );
  upstream.child.signal('SIGSTOP');
  stoppedAtMs = performance.now();
  const seen = await Promise.all(replies);
  upstream.child.signal('SIGCONT');
  await upstream.heal();
  return seen;
}

const describeCall = ({ road, model, stream }: Call): string =>
  `${road.name} to ${model}, ${stream ? 'streamed' : 'plain'}`;

/** One host only: no failover possible. */
async function alone({ limitMs, slackMs }: Parameters, stage: Stage): Promise<Outcome> {
  const upstream = await stage.simulator('alone');
  const hosts = DIALECT_NAMES.map((dialect): Host => ({ name: `alone-${dialect}`, dialect, upstream }));
  const gateway = await stage.gateway(
    {
      providers: Object.assign({}, ...hosts.map(providerOf)),
      models: hosts.map((host) => modelAt(`rt/${host.dialect}`, [host])),
      timeouts: { firstByteMs: limitMs, silenceMs: limitMs },
    },
    { name: 'gateway-alone' },
  );
  const calls = ROADS.flatMap((road) =>
    DIALECT_NAMES.flatMap((dialect) => [true, false].map((stream) => ({ road, model: `rt/${dialect}`, stream }))),
  );
  const checks: Check[] = [];
  const figures: Record<string, number> = {};
  for (const moment of MOMENT_NAMES) {
    const seen = await stopAt(moment, calls, gateway, upstream);
    const wrong = seen.flatMap(({ call, reply }) => {
      const why = notATimeout(call.road.name, reply);
      return why === undefined ? [] : [`${describeCall(call)}: ${why}`];
    });
    for (const line of wrong) stage.say(`${moment}: ${line}`);
    const slowestMs = rounded(Math.max(...seen.map(({ afterStopMs }) => afterStopMs)), 0);
    const soonestMs = rounded(Math.min(...seen.map(({ reply }) => reply.totalMs)), 0);
    figures[`${moment} slowest`] = slowestMs;
    checks.push(
      exactly(`${moment}: of ${calls.length} calls, without a timeout error in the protocol’s format`, wrong.length, 0),
      atMost(`${moment}: ms to the last error after the process was stopped`, slowestMs, limitMs * 1.25 + slackMs),
      atLeast(`${moment}: ms to the first error after it was asked`, soonestMs, limitMs),
    );
  }
  return { figures, checks };
}

/** Before the caller has received content: the second host answers, and the caller only waits longer. */
const HARMLESS: readonly Moment[] = ['before-headers', 'after-headers', 'before-content'];

/** A pair of hosts for each call, so that the failure of one call does not eject the host of another. */
async function together({ limitMs, slackMs }: Parameters, stage: Stage): Promise<Outcome> {
  const [stopped, healthy] = await Promise.all([stage.simulator('stopped'), stage.simulator('healthy')]);
  const pairs = HARMLESS.flatMap((moment) =>
    ROADS.flatMap((road) =>
      [true, false].map((stream) => {
        const id = `${moment}-${road.name}-${stream ? 'streamed' : 'plain'}`;
        const first: Host = { name: `first-${id}`, dialect: HOME[road.name], upstream: stopped };
        const second: Host = { name: `second-${id}`, dialect: 'openai-chat', upstream: healthy };
        return { moment, call: { road, model: `rt/${id}`, stream }, hosts: [first, second] };
      }),
    ),
  );
  const hosts = pairs.flatMap((pair) => pair.hosts);
  const gateway = await stage.gateway(
    {
      providers: Object.assign({}, ...hosts.map(providerOf)),
      models: pairs.map(({ call, hosts: of }) => modelAt(call.model, of)),
      timeouts: { firstByteMs: limitMs, silenceMs: limitMs },
    },
    { name: 'gateway-together' },
  );
  const checks: Check[] = [];
  const figures: Record<string, number> = {};
  for (const moment of HARMLESS) {
    const calls = pairs.filter((pair) => pair.moment === moment).map(({ call }) => call);
    const seen = await stopAt(moment, calls, gateway, stopped);
    const failed = seen.filter(({ reply }) => !succeeded(reply));
    for (const { call, reply } of failed)
      stage.say(`${describeCall(call)}: ${reply.status} ${reply.text.slice(0, 200)}`);
    const slowestMs = rounded(Math.max(...seen.map(({ afterStopMs }) => afterStopMs)), 0);
    figures[`${moment}, second host: slowest`] = slowestMs;
    checks.push(
      exactly(`${moment}, second host: of ${calls.length} calls, not answered`, failed.length, 0),
      atMost(`${moment}, second host: ms to the last answer`, slowestMs, limitMs * 1.25 + slackMs),
    );
  }
  return { figures, checks };
}

export const stalls = scenario<Parameters>({
  name: 'stalls',
  shows:
    'a stopped upstream process is reported in the caller’s protocol within the configured time, and another host answers before content has flowed',
  short: { limitMs: 1500, slackMs: 1500 },
  full: { limitMs: 3000, slackMs: 500 },
  run: async (parameters, stage) => {
    // In parallel: they share only the machine, and mostly wait.
    const outcomes = await Promise.all([alone(parameters, stage), together(parameters, stage)]);
    return {
      figures: Object.assign({}, ...outcomes.map(({ figures }) => figures)),
      checks: outcomes.flatMap(({ checks }) => checks),
    };
  },
});
