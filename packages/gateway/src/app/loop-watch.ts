/** Measures event loop delay, heap and memory usage, ten times a second, or as often as the loop turns. */
import { getHeapStatistics } from 'node:v8';
import { MEMORY_BYTES } from '../config/sections/limits.ts';
import { systemTimer } from '../kernel/clock.ts';

const SAMPLE_MS = 20;
const PERIOD_MS = 100;

type Memory = { readonly heapShare: number; readonly residentShare: number };
export type OnPeriod = (lagMs: number, memory: Memory, periodMs: number) => void;

/** Returns a function that stops it. Does not keep the process alive. */
export function watchLoop(onPeriod: OnPeriod): () => void {
  let sampledAtMs = performance.now();
  let periodBeganMs = sampledAtMs;
  let leastLagMs = Number.POSITIVE_INFINITY;
  return systemTimer.start(() => {
    const nowMs = performance.now();
    // Under load the timer runs once in each turn of the loop, so its delay is the length of a turn.
    leastLagMs = Math.min(leastLagMs, Math.max(0, nowMs - sampledAtMs - SAMPLE_MS));
    sampledAtMs = nowMs;
    const periodMs = nowMs - periodBeganMs;
    if (periodMs < PERIOD_MS) return;
    periodBeganMs = nowMs;
    onPeriod(leastLagMs, memory(), periodMs);
    leastLagMs = Number.POSITIVE_INFINITY;
  }, SAMPLE_MS);
}

function memory(): Memory {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return { heapShare: used / limit, residentShare: process.memoryUsage.rss() / MEMORY_BYTES };
}
