// The measuring itself: every contender once per round, the order reversed every other round, CPU time read around
// each window and divided by what was completed in it.
import { setTimeout as delay } from 'node:timers/promises';
import { treeCpuNs } from './cpu-time.ts';
import { type LoadTools, loadPlain, loadStreams, type PreparedTarget } from './load.ts';
import type { Windows } from './options.ts';
import { describeFailure, hasEnded, type Service } from './processes.ts';

const LATENCY_SECONDS = 1;

/** A contender that runs, has been checked, and is ready for load. */
export interface Entrant {
  readonly name: string;
  readonly service: Service;
  readonly json: PreparedTarget;
  readonly stream: PreparedTarget;
  readonly answerBytes: number;
  /** Calls at once. */
  readonly connections: number;
  readonly hasStreams: boolean;
  readonly faultOfStream: (text: string) => string | undefined;
}

/** One value per round in every list, in the order of the rounds. */
export interface Samples {
  readonly jsonCpuUs: number[];
  readonly jsonPerSecond: number[];
  readonly streamCpuUs: number[];
  readonly firstByteUs: number[];
  readonly chunkLagUs: number[];
  readonly latencyUs: number[];
}

const LOOK_MS = 100;
/** Share of one core. */
const IDLE_SHARE = 0.05;
const MOST_PUT_OFF_MS = 10_000;

export const noSamples = (): Samples => ({
  jsonCpuUs: [],
  jsonPerSecond: [],
  streamCpuUs: [],
  firstByteUs: [],
  chunkLagUs: [],
  latencyUs: [],
});

/** Load on a contender that has crashed fails with misleading errors; its own output explains more. */
async function whileAlive<Load>(service: Service, load: () => Promise<Load>): Promise<Load> {
  try {
    return await load();
  } catch (error) {
    throw hasEnded(service) ? describeFailure(service, `ended under load (code ${service.child.exitCode})`) : error;
  }
}

/** Deferred work of a contender, such as posting to a database, is part of its cost and must not run in the next one's window. */
async function untilIdle({ pid }: Service): Promise<void> {
  const deadline = performance.now() + MOST_PUT_OFF_MS;
  for (let last = treeCpuNs(pid); performance.now() < deadline; ) {
    await delay(LOOK_MS);
    const now = treeCpuNs(pid);
    if (now - last < IDLE_SHARE * LOOK_MS * 1_000_000) return;
    last = now;
  }
}

export async function withCpuPerRequest<Load extends { readonly completed: number }>(
  service: Service,
  load: () => Promise<Load>,
): Promise<{ readonly load: Load; readonly cpuUs: number }> {
  const before = treeCpuNs(service.pid);
  const result = await whileAlive(service, load);
  await untilIdle(service);
  const after = treeCpuNs(service.pid);
  return { load: result, cpuUs: (after - before) / 1_000 / result.completed };
}

async function inRounds<Item>(rounds: number, items: readonly Item[], visit: (item: Item) => Promise<void>) {
  for (let round = 0; round < rounds; round++) {
    for (const item of round % 2 === 0 ? items : items.toReversed()) await visit(item);
  }
}

/**
 * A just-in-time compiler needs a number of calls, not a number of seconds: every contender is warmed up with the same
 * number of requests, so that a slow one is not measured colder than a fast one, within a time limit.
 */
export async function warm(
  tools: LoadTools,
  entrants: readonly Entrant[],
  streamers: readonly Entrant[],
  { warmRequests, warmStreams, warmSeconds, maxWarmSeconds }: Windows,
) {
  const until = async (enough: number, load: () => Promise<{ readonly completed: number }>): Promise<void> => {
    const deadline = performance.now() + maxWarmSeconds * 1_000;
    for (let completed = 0; completed < enough && performance.now() < deadline; ) completed += (await load()).completed;
  };
  for (const { service, json, answerBytes, connections } of entrants)
    await until(warmRequests, () =>
      whileAlive(service, () => loadPlain(tools, json, connections, warmSeconds, answerBytes)),
    );
  for (const { service, stream } of streamers)
    await until(warmStreams, () => whileAlive(service, () => loadStreams(tools, stream, warmSeconds)));
}

export async function measureJson(
  tools: LoadTools,
  entrants: readonly Entrant[],
  windows: Windows,
  samples: ReadonlyMap<string, Samples>,
): Promise<void> {
  await inRounds(windows.jsonRounds, entrants, async ({ name, service, json, answerBytes, connections }) => {
    const { load, cpuUs } = await withCpuPerRequest(service, () =>
      loadPlain(tools, json, connections, windows.jsonSeconds, answerBytes),
    );
    samples.get(name)?.jsonCpuUs.push(cpuUs);
    samples.get(name)?.jsonPerSecond.push(load.perSecond);
  });
}

export async function measureStreams(
  tools: LoadTools,
  entrants: readonly Entrant[],
  windows: Windows,
  samples: ReadonlyMap<string, Samples>,
): Promise<void> {
  await inRounds(windows.streamRounds, entrants, async ({ name, service, stream }) => {
    const { load, cpuUs } = await withCpuPerRequest(service, () => loadStreams(tools, stream, windows.streamSeconds));
    samples.get(name)?.streamCpuUs.push(cpuUs);
    samples.get(name)?.firstByteUs.push(load.firstByteP50Us);
    samples.get(name)?.chunkLagUs.push(load.chunkLagP50Us);
  });
}

/** One connection at a time: the latency a proxy adds when nothing queues. */
export async function measureLatency(
  tools: LoadTools,
  entrants: readonly Pick<Entrant, 'name' | 'json' | 'answerBytes'>[],
  rounds: number,
  samples: ReadonlyMap<string, Samples>,
): Promise<void> {
  await inRounds(rounds, entrants, async ({ name, json, answerBytes }) => {
    const load = await loadPlain(tools, json, 1, LATENCY_SECONDS, answerBytes);
    samples.get(name)?.latencyUs.push(load.p50Us);
  });
}
