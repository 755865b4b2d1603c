/** The API names the bars that have requests; a chart needs the empty ones, too. */
import type { Histogram } from './source.ts';

export type Bar = {
  readonly atMs: number;
  readonly ok: number;
  readonly caller: number;
  readonly upstream: number;
  readonly gateway: number;
};

const MAX_BARS = 1000;

export function filledBars({ from, until, bucketSeconds, bars }: Histogram): {
  readonly bars: readonly Bar[];
  readonly untilMs: number;
} {
  const widthMs = bucketSeconds * 1000;
  const known = new Map(bars.map((bar) => [Date.parse(bar.at), bar]));
  const [firstMs, lastMs] = [Date.parse(from), Date.parse(until)];
  const filled: Bar[] = [];
  for (let atMs = firstMs; atMs < lastMs && filled.length < MAX_BARS; atMs += widthMs) {
    const { ok = 0, caller = 0, upstream = 0, gateway = 0 } = known.get(atMs) ?? {};
    filled.push({ atMs, ok, caller, upstream, gateway });
  }
  return { bars: filled, untilMs: firstMs + filled.length * widthMs };
}
