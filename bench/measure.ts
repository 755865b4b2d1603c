// The measuring itself: every contender once per round, the order reversed every other round, CPU time read around
// each window and divided by what was completed in it.
import { setTimeout as delay } from 'node:timers/promises';
import { treeCpuNs } from './cpu-time.ts';
import { type LoadTools, loadPlain, loadStreams, type PreparedTarget } from './load.ts';
import type { Windows } from './options.ts';
import { describeFailure, hasEnded, type Service } from './processes.ts';
import { withStolenShare } from './quiet.ts';

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

/** `undefined`: the window was dropped. */
type Sample = number | undefined;

/** One value per round in every list, in the order of the rounds. */
export interface Samples {
  readonly jsonCpuUs: Sample[];
  readonly jsonPerSecond: Sample[];
  readonly streamCpuUs: Sample[];
  readonly firstByteUs: Sample[];
  readonly chunkLagUs: Sample[];
  readonly latencyUs: Sample[];
  /** CPU time per second of a process that has nothing to do. */
  readonly idleMs: Sample[];
  /** Of every window, dropped or not. */
  readonly stolenShare: number[];
}

/** Above this, a window says more about the host than about the contender. */
export const MAX_STOLEN_SHARE = 0.08;
/** Dropped windows are made up for by further rounds, up to this many times the rounds that were asked for. */
const MAX_TIMES_ROUNDS = 2;

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
  idleMs: [],
  stolenShare: [],
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

type Values = Partial<Record<Exclude<keyof Samples, 'stolenShare'>, number>>;

/** Whether the window is kept. */
function note(samples: Samples | undefined, stolen: number, values: Values): boolean {
  const isKept = stolen <= MAX_STOLEN_SHARE;
  samples?.stolenShare.push(stolen);
  for (const [name, value] of Object.entries(values)) samples?.[name as keyof Values].push(isKept ? value : undefined);
  return isKept;
}

/** Every item has a window in every round, so that values of the same round can be compared. */
async function inRounds<Item extends { readonly name: string }>(
  rounds: number,
  items: readonly Item[],
  samples: ReadonlyMap<string, Samples>,
  measure: (item: Item) => Promise<Values>,
) {
  const kept = new Map(items.map((item) => [item, 0]));
  const isLacking = () => [...kept.values()].some((count) => count < rounds);
  for (let round = 0; round < rounds * MAX_TIMES_ROUNDS && isLacking(); round++) {
    for (const item of round % 2 === 0 ? items : items.toReversed()) {
      const { value, stolen } = await withStolenShare(() => measure(item));
      if (note(samples.get(item.name), stolen, value)) kept.set(item, (kept.get(item) ?? 0) + 1);
    }
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
  await inRounds(windows.jsonRounds, entrants, samples, async ({ service, json, answerBytes, connections }) => {
    const { load, cpuUs } = await withCpuPerRequest(service, () =>
      loadPlain(tools, json, connections, windows.jsonSeconds, answerBytes),
    );
    return { jsonCpuUs: cpuUs, jsonPerSecond: load.perSecond };
  });
}

export async function measureStreams(
  tools: LoadTools,
  entrants: readonly Entrant[],
  windows: Windows,
  samples: ReadonlyMap<string, Samples>,
): Promise<void> {
  await inRounds(windows.streamRounds, entrants, samples, async ({ service, stream }) => {
    const { load, cpuUs } = await withCpuPerRequest(service, () => loadStreams(tools, stream, windows.streamSeconds));
    return { streamCpuUs: cpuUs, firstByteUs: load.firstByteP50Us, chunkLagUs: load.chunkLagP50Us };
  });
}

/** One connection at a time: the latency a proxy adds when nothing queues. */
export async function measureLatency(
  tools: LoadTools,
  entrants: readonly Pick<Entrant, 'name' | 'json' | 'answerBytes'>[],
  rounds: number,
  samples: ReadonlyMap<string, Samples>,
): Promise<void> {
  await inRounds(rounds, entrants, samples, async ({ json, answerBytes }) => ({
    latencyUs: (await loadPlain(tools, json, 1, LATENCY_SECONDS, answerBytes)).p50Us,
  }));
}

/** What a start and the last load have put off, such as compiling, is over by then. */
const REST_BEFORE_MS = 15_000;
const REST_MS = 5_000;
const REST_ROUNDS = 5;

/** Gateways at rest: CPU time per second, all of them in the same windows, since none disturbs another. */
export async function measureIdle(entrants: readonly Entrant[], samples: ReadonlyMap<string, Samples>): Promise<void> {
  await delay(REST_BEFORE_MS);
  const cpuMs = () => entrants.map(({ service }) => treeCpuNs(service.pid) / 1_000_000);
  for (let round = 0; round < REST_ROUNDS; round++) {
    const before = cpuMs();
    const { stolen } = await withStolenShare(() => delay(REST_MS));
    const after = cpuMs();
    for (const [index, { name }] of entrants.entries()) {
      const usedMs = (after[index] ?? 0) - (before[index] ?? 0);
      note(samples.get(name), stolen, { idleMs: (usedMs * 1_000) / REST_MS });
    }
  }
}
