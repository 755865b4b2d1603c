/** Every worker is replaced repeatedly, under calls and open streams: no caller sees an error. */
import { ask, chatQuestion, keepingAgent, type Question, type Reply } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { percentile, rounded, startLoad, succeeded } from '../parts/load.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly workers: number;
  readonly restarts: number;
  /** No restart begins later than this (ms): a slow machine gets fewer restarts, at least one. */
  readonly beginUntilMs: number;
  readonly perSecond: number;
  readonly streams: number;
  readonly streamSeconds: number;
  /** Keep-alive timeout of callers in ms: every answer announces it, and callers close idle connections before. */
  readonly keepAliveMs: number;
};

const DRAIN_MS = 30_000;
const WORDS_PER_SECOND = 5;
const CALLER_PATIENCE_MS = 60_000;
const RESTART_LIMIT_MS = 60_000;

const finished = (reply: Reply): boolean => succeeded(reply) && reply.text.trimEnd().endsWith('data: [DONE]');

/** Keeps this many streams open all the time, until stopped. */
function keepStreaming({ streams, streamSeconds }: Parameters, stage: Stage, open: () => Promise<Reply>) {
  const replies: Reply[] = [];
  let stopped = false;
  const one = async (): Promise<void> => {
    // Spread over the length of a stream, so that they do not end together.
    await new Promise((resolve) => setTimeout(resolve, stage.random() * streamSeconds * 1000));
    while (!stopped) replies.push(await open());
  };
  const all = Promise.all(Array.from({ length: streams }, one));
  return {
    stop: async (): Promise<readonly Reply[]> => {
      stopped = true;
      await all;
      return replies;
    },
  };
}

/** Resolves when every worker there was has been replaced and is gone. */
async function restart(gateway: GatewayProcess, goneBefore: number, workers: number): Promise<number> {
  gateway.child.signal('SIGHUP');
  return waitFor(
    'every worker is replaced and gone',
    // The answering worker is one of those being replaced, so a query may fail.
    async () => (await gateway.metric('trivium_workers_ended_total').catch(() => 0)) >= goneBefore + workers,
    RESTART_LIMIT_MS,
    200,
  );
}

const tally = (replies: readonly Reply[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status, failure = 'ended early' } of replies) {
    const key = `${status} ${failure}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};

async function run(parameters: Parameters, stage: Stage): Promise<Outcome> {
  const { workers, restarts, beginUntilMs, perSecond, streams, streamSeconds, keepAliveMs } = parameters;
  const simulator = await stage.simulator();
  const gateway = await stage.gateway(
    {
      ...chatHosts({ host: simulator }),
      timeouts: { drainMs: DRAIN_MS, keepAliveMs },
      // Starting workers slows the machine down; another scenario checks the resulting overload refusals.
      overload: { lagMs: 0 },
    },
    { args: ['--workers', String(workers)] },
  );
  const agent = keepingAgent();
  const question = (words?: string, more?: object): Question => ({
    ...chatQuestion(gateway.url, MODEL, words, more),
    agent,
    limitMs: CALLER_PATIENCE_MS,
  });
  const long = `scenario=text-long words=${streamSeconds * WORDS_PER_SECOND} tps=${WORDS_PER_SECOND}`;
  const calls = startLoad(perSecond, () => ask(question()));
  const streaming = keepStreaming(parameters, stage, () => ask(question(`@simulate ${long}`, { stream: true })));
  const took: number[] = [];
  const startedMs = performance.now();
  for (let round = 0; round < restarts; round++) {
    if (round > 0 && performance.now() - startedMs > beginUntilMs) break;
    took.push(await restart(gateway, round * workers, workers));
    stage.say(`restart ${round + 1} of ${restarts}: ${rounded((took.at(-1) ?? 0) / 1000, 1)} s`);
  }
  const [shots, replies] = await Promise.all([calls.stop(), streaming.stop()]);
  agent.destroy();
  const failedCalls = shots.filter((shot) => !succeeded(shot));
  const failedStreams = replies.filter((reply) => !finished(reply));
  const latencies = shots.filter(succeeded).map(({ latencyMs }) => latencyMs);
  return {
    figures: {
      restarts: took.length,
      workers,
      calls: shots.length,
      streams: replies.length,
      failures: tally([...failedCalls, ...failedStreams]),
      callP50Ms: rounded(percentile(latencies, 0.5), 1),
      callP99Ms: rounded(percentile(latencies, 0.99), 1),
      restartSeconds: took.map((ms) => rounded(ms / 1000, 1)),
    },
    checks: [
      exactly('failed calls', failedCalls.length, 0),
      exactly('failed streams', failedStreams.length, 0),
      atLeast('streams that ran through a restart', replies.length, streams),
      exactly('workers that fell', await gateway.metric('trivium_workers_ended_total{why="fallen"}'), 0),
    ],
  };
}

export const rollingRestart = scenario<Parameters>({
  name: 'rolling-restart',
  shows: 'replacing every worker under calls and open streams fails no request',
  short: {
    workers: 2,
    restarts: 2,
    beginUntilMs: 12_000,
    perSecond: 50,
    streams: 60,
    streamSeconds: 2,
    keepAliveMs: 2000,
  },
  full: {
    workers: 2,
    restarts: 10,
    beginUntilMs: Number.POSITIVE_INFINITY,
    perSecond: 100,
    streams: 200,
    streamSeconds: 4,
    keepAliveMs: 4000,
  },
  run,
});
