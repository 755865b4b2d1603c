/**
 * The metrics of event loop delay, from samples of the gateway's own watch. The histogram that prom-client would fill
 * wakes a process a hundred times a second, also one that has nothing to do.
 */
import { createHistogram } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** As long as a timer can be. */
export const NEVER_MS = 2 ** 31 - 1;
const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;

/** Gives prom-client's gauges our values. Returns a function that takes a sample. */
export function loopDelays(registry: Registry): (delayMs: number) => void {
  const delays = createHistogram();
  const gaugeOf = (of: string): Gauge => {
    const gauge = registry.getSingleMetric(`nodejs_eventloop_lag_${of}seconds`);
    if (!(gauge instanceof Gauge)) throw new Error(`prom-client has no gauge of the event loop's delay: ${of}`);
    return gauge;
  };
  const readings: readonly (readonly [Gauge, () => number])[] = [
    [gaugeOf('min_'), () => delays.min],
    [gaugeOf('max_'), () => delays.max],
    [gaugeOf('mean_'), () => delays.mean],
    [gaugeOf('stddev_'), () => delays.stddev],
    [gaugeOf('p50_'), () => delays.percentile(50)],
    [gaugeOf('p90_'), () => delays.percentile(90)],
    [gaugeOf('p99_'), () => delays.percentile(99)],
  ];
  const now = gaugeOf('');
  Object.assign(now, {
    collect: (): void => {
      const beganMs = performance.now();
      setImmediate(() => now.set((performance.now() - beganMs) / 1000));
      for (const [gauge, read] of readings) gauge.set(delays.count === 0 ? 0 : read() / NS_PER_S);
      delays.reset();
    },
  });
  return (delayMs) => delays.record(Math.max(1, Math.round(delayMs * NS_PER_MS)));
}
