/** Overload: accepted requests are served as fast as ever, and the rest is refused at once. */
import { ask, chatQuestion, type Reply } from '../parts/ask.ts';
import { hasEnded } from '../parts/child.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { rounded, succeeded } from '../parts/load.ts';
import {
  type LoadPlan,
  type LoadResult,
  type NativeUpstream,
  openLoad,
  startNativeUpstream,
} from '../parts/native-load.ts';
import { residentBytes } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import { atLeast, atMost, type Check, exactly, type Figure, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly warmMs: number;
  readonly loadMs: number;
  readonly streams: number;
  /** Longer than all loads together. */
  readonly streamMs: number;
  /** Share of the capacity that must be served at ten times the load, when slots are the limit. */
  readonly goodput: number;
  readonly refusalP99Ms: number;
  readonly recoveryMs: number;
};

const PLAIN = 'rt/plain';
const PACED = 'rt/paced';
const ANSWER_MS = 500;
const PLACES = 200;
/** Capacity of two hundred slots with half a second each, per second. */
const BY_PLACES = PLACES / (ANSWER_MS / 1000);
const GOODPUT_BY_CPU = 0.6;
/** Connections opened before the load, like those of a proxy. A request without a free one is not sent, and counted. */
const CONNECTIONS = 2000;
/** Few enough that none waits long: the highest possible throughput. */
const CLOSE_CONNECTIONS = 64;
const MORE_THAN_ENOUGH = 20_000;
const MIB = 1_048_576;
const CHUNK_MS = 200;
const STREAM_LIMIT_MS = 90_000;

const config = ({ plainUrl, pacedUrl }: NativeUpstream, limits: object = {}): Record<string, unknown> => ({
  providers: {
    plain: { dialect: 'openai-chat', baseUrl: `${plainUrl}/v1`, credential: 'sk-upstream' },
    paced: { dialect: 'openai-chat', baseUrl: `${pacedUrl}/v1`, credential: 'sk-upstream' },
  },
  models: [
    { id: PLAIN, endpoints: [{ provider: 'plain', upstreamModel: 'any' }] },
    { id: PACED, endpoints: [{ provider: 'paced', upstreamModel: 'any' }] },
  ],
  limits,
});

const perSecond = ({ answered }: LoadResult, ms: number): number => rounded((answered * 1000) / ms, 0);

const figuresOf = (load: LoadResult, ms: number): Record<string, Figure> => ({
  ...load,
  answeredPerSecond: perSecond(load, ms),
  refusedP99Ms: rounded(load.refusedP99Us / 1000),
});

/** A broken connection is neither an answer nor a refusal. */
const broken = ({ failed, unexpected }: LoadResult): number => failed + unexpected;

/** Limited by slots: each call holds one for half a second. */
async function places({ warmMs, loadMs, goodput, refusalP99Ms }: Parameters, stage: Stage): Promise<Outcome> {
  const upstream = await startNativeUpstream(stage, { answerMs: ANSWER_MS, chunks: 1, chunkMs: 1 });
  const gateway = await stage.gateway(config(upstream, { inFlight: PLACES }), { name: 'few-places' });
  const load = (times: number, ms: number): Promise<LoadResult> =>
    openLoad(stage, gateway.url, PLAIN, { perSecond: times * BY_PLACES, ms, connections: CONNECTIONS });
  // Warm up both paths, so that neither a first answer nor a first refusal is measured.
  await load(10, warmMs);
  const once = await load(1, loadMs);
  const tenfold = await load(10, loadMs);
  await gateway.child.kill();
  return {
    figures: { places: { once: figuresOf(once, loadMs), tenfold: figuresOf(tenfold, loadMs) } },
    checks: [
      atLeast(`places, 10 ×: answered a second, of ${BY_PLACES}`, perSecond(tenfold, loadMs), goodput * BY_PLACES),
      atMost('places, 10 ×: p99 of refusals in ms', rounded(tenfold.refusedP99Us / 1000), refusalP99Ms),
      exactly('places: broken off', broken(once) + broken(tenfold), 0),
    ],
  };
}

/** Limited by the CPU: the upstream answers at once. */
async function processor(parameters: Parameters, stage: Stage): Promise<Outcome> {
  const { warmMs, loadMs, streams, streamMs } = parameters;
  const upstream = await startNativeUpstream(stage, { answerMs: 0, chunks: streamMs / CHUNK_MS, chunkMs: CHUNK_MS });
  const gateway = await stage.gateway(config(upstream), { name: 'few-cycles' });
  const load = (rate: number, more: Partial<LoadPlan> = {}): Promise<LoadResult> =>
    openLoad(stage, gateway.url, PLAIN, {
      perSecond: Math.round(rate),
      ms: loadMs,
      connections: CONNECTIONS,
      ...more,
    });
  // A cold process is slow: the capacity of a warm one counts.
  const atMostOf = { ms: warmMs, connections: CLOSE_CONNECTIONS };
  await load(MORE_THAN_ENOUGH, atMostOf);
  const closed = await load(MORE_THAN_ENOUGH, atMostOf);
  const capacity = (closed.answered * 1000) / warmMs;
  const running = Array.from({ length: streams }, () =>
    ask({ ...chatQuestion(gateway.url, PACED, 'Hello', { stream: true }), limitMs: STREAM_LIMIT_MS }),
  );
  const once = await load(capacity);
  const twice = await load(2 * capacity);
  const tenfold = await load(10 * capacity, { patienceMs: 0 });
  const recoveredMs = await recovery(gateway);
  const replies = await Promise.all(running);
  const cut = replies.filter((reply) => !finished(reply)).length;
  return {
    figures: {
      processor: {
        capacity: rounded(capacity, 0),
        once: figuresOf(once, loadMs),
        twice: figuresOf(twice, loadMs),
        tenfold: figuresOf(tenfold, loadMs),
        recoveredMs,
        residentMiB: rounded(residentBytes(gateway.child.pid) / MIB, 0),
      },
    },
    checks: [
      atLeast('processor, 2 ×: answered, of those at 1 ×', rounded(twice.answered / once.answered), GOODPUT_BY_CPU),
      exactly('processor, 2 ×: broken off', broken(twice), 0),
      exactly('streams cut', cut, 0),
      atMost('ms from the end of 10 × until calls succeed again', recoveredMs, parameters.recoveryMs),
      alive(gateway),
    ],
  };
}

const finished = (reply: Reply): boolean => succeeded(reply) && reply.text.trimEnd().endsWith('data: [DONE]');

const alive = ({ child }: GatewayProcess): Check => exactly('processes that ended', hasEnded(child.process) ? 1 : 0, 0);

const CALLS_IN_A_ROW = 20;
const PROBE_LIMIT_MS = 15_000;

/** Time in ms until the first of a number of successful calls in a row. */
async function recovery(gateway: GatewayProcess): Promise<number> {
  const startedMs = performance.now();
  let inARow = 0;
  let sinceMs = startedMs;
  while (inARow < CALLS_IN_A_ROW && performance.now() - startedMs < PROBE_LIMIT_MS) {
    const beganMs = performance.now();
    const reply = await ask({ ...chatQuestion(gateway.url, PLAIN), limitMs: PROBE_LIMIT_MS });
    if (!succeeded(reply)) inARow = 0;
    else if (inARow++ === 0) sinceMs = beganMs + reply.totalMs;
  }
  return inARow < CALLS_IN_A_ROW ? PROBE_LIMIT_MS : rounded(sinceMs - startedMs, 0);
}

export const overload = scenario<Parameters>({
  name: 'overload',
  shows: 'what is taken is served however much more is asked for, the rest is refused at once, and no stream is cut',
  // The short form runs on busy machines, which delay refusals and probes without making them wrong.
  short: {
    warmMs: 1500,
    loadMs: 2000,
    streams: 10,
    streamMs: 18_000,
    goodput: 0.8,
    refusalP99Ms: 250,
    recoveryMs: 5000,
  },
  full: {
    warmMs: 5000,
    loadMs: 5000,
    streams: 50,
    streamMs: 40_000,
    goodput: 0.95,
    refusalP99Ms: 5,
    recoveryMs: 2000,
  },
  run: async (parameters, stage) => {
    const [byPlaces, byProcessor] = [await places(parameters, stage), await processor(parameters, stage)];
    return {
      figures: { ...byPlaces.figures, ...byProcessor.figures },
      checks: [...byPlaces.checks, ...byProcessor.checks],
    };
  },
});
