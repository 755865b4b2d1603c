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
  const start = (run: () => void, everyMs: number, onEnter: (() => void) | undefined): void => {
    stop();
    stop = systemTimer.start(run, everyMs);
    requests.onEnter = onEnter;
  };

  const watch = (): void => {
    let sampledAtMs = performance.now();
    let periodBeganMs = sampledAtMs;
    let busyAtMs = sampledAtMs;
    let leastLagMs = Number.POSITIVE_INFINITY;
    const sample = (): void => {
      const nowMs = performance.now();
      // Under load the timer runs once in each turn of the loop, so its delay is the length of a turn.
      const lagMs = Math.max(0, nowMs - sampledAtMs - SAMPLE_MS);
      onSample(lagMs);
      leastLagMs = Math.min(leastLagMs, lagMs);
      sampledAtMs = nowMs;
      const periodMs = nowMs - periodBeganMs;
      if (periodMs < PERIOD_MS) return;
      periodBeganMs = nowMs;
      onPeriod(leastLagMs, memory(), periodMs);
      if (requests.taken > 0 || leastLagMs > SAMPLE_MS) busyAtMs = nowMs;
      else if (nowMs - busyAtMs >= REST_AFTER_MS) rest();
      leastLagMs = Number.POSITIVE_INFINITY;
    };
    start(sample, SAMPLE_MS, undefined);
  };

  const rest = (): void => {
    let sampledAtMs = performance.now();
    const sample = (): void => {
      const nowMs = performance.now();
      const periodMs = nowMs - sampledAtMs;
      const lagMs = Math.max(0, periodMs - REST_MS);
      sampledAtMs = nowMs;
      onSample(lagMs);
      // A single sample does not tell a pause from load.
      if (lagMs > SAMPLE_MS) watch();
      else onPeriod(lagMs, memory(), periodMs);
    };
    start(sample, REST_MS, watch);
  };

  rest();
  return () => {
    stop();
    requests.onEnter = undefined;
  };
}

function memory(): Memory {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return { heapShare: used / limit, residentShare: process.memoryUsage.rss() / MEMORY_BYTES };
}
