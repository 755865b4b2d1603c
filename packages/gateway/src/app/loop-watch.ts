/**
 * Measures event loop delay, heap and memory usage: ten times a second, or as often as the loop turns, while requests
 * run; once a second while there are none.
 */
import { getHeapStatistics } from 'node:v8';
import { MEMORY_BYTES } from '../config/sections/limits.ts';
import { systemTimer } from '../kernel/clock.ts';

const SAMPLE_MS = 20;
const PERIOD_MS = 100;
/** Period of a process without requests. */
const REST_MS = 1000;
/** Without requests for this long, the process rests: callers with pauses between their requests do not wake it each time. */
const REST_AFTER_MS = 1000;

type Memory = { readonly heapShare: number; readonly residentShare: number };

type LoopListener = {
  readonly onSample: (lagMs: number) => void;
  /** With the shortest delay of the period. */
  readonly onPeriod: (lagMs: number, memory: Memory, periodMs: number) => void;
};

/** The requests of this process. */
type Requests = {
  readonly taken: number;
  onEnter: (() => void) | undefined;
};

/** Returns a function that stops it. Does not keep the process alive. */
export function watchLoop(requests: Requests, { onSample, onPeriod }: LoopListener): () => void {
  let stop = (): void => undefined;
  let everyMs = REST_MS;
  let sampledAtMs = 0;
  let periodBeganMs = 0;
  let busyAtMs = 0;
  let leastLagMs = Number.POSITIVE_INFINITY;
  const sampleEvery = (ms: number): void => {
    stop();
    everyMs = ms;
    sampledAtMs = periodBeganMs = busyAtMs = performance.now();
    leastLagMs = Number.POSITIVE_INFINITY;
    stop = systemTimer.start(sample, ms);
    requests.onEnter = ms === REST_MS ? wake : undefined;
  };
  const wake = (): void => sampleEvery(SAMPLE_MS);
  const sample = (): void => {
    const nowMs = performance.now();
    // Under load the timer runs once in each turn of the loop, so its delay is the length of a turn.
    const lagMs = Math.max(0, nowMs - sampledAtMs - everyMs);
    sampledAtMs = nowMs;
    onSample(lagMs);
    // The only sample of a second does not tell a pause from load.
    if (everyMs === REST_MS && lagMs > SAMPLE_MS) {
      wake();
      return;
    }
    leastLagMs = Math.min(leastLagMs, lagMs);
    const periodMs = nowMs - periodBeganMs;
    if (periodMs < PERIOD_MS) return;
    periodBeganMs = nowMs;
    onPeriod(leastLagMs, memory(), periodMs);
    if (requests.taken > 0 || leastLagMs > SAMPLE_MS) busyAtMs = nowMs;
    leastLagMs = Number.POSITIVE_INFINITY;
    if (everyMs === SAMPLE_MS && nowMs - busyAtMs >= REST_AFTER_MS) sampleEvery(REST_MS);
  };
  sampleEvery(REST_MS);
  return () => {
    stop();
    requests.onEnter = undefined;
  };
}

function memory(): Memory {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return { heapShare: used / limit, residentShare: process.memoryUsage.rss() / MEMORY_BYTES };
}
