/** Latencies of requests as bucket counts, so that quantiles of any sum of hours can be computed. */

const FIRST_MS = 10;
const GROWTH = 1.6;
const BOUNDS = 24;

/** Upper bounds in ms; longer times are in one last bucket. Stored counts depend on these: they must never change. */
export const BOUNDS_MS: readonly number[] = Array.from({ length: BOUNDS }, (_, index) =>
  Math.round(FIRST_MS * GROWTH ** index),
);
export const BUCKETS = BOUNDS + 1;

export type Quantiles = { readonly p50: number; readonly p95: number; readonly p99: number };

/** In ms, interpolated within a bucket; undefined if nothing was counted. */
export function quantilesOf(counts: readonly bigint[] | null | undefined): Quantiles | undefined {
  const plain = (counts ?? []).map(Number);
  const total = plain.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const at = (share: number): number => Math.round(quantile(plain, total * share));
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function quantile(counts: readonly number[], rank: number): number {
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const from = index === 0 ? 0 : BOUNDS_MS[index - 1]!;
      // The last bucket has no upper bound.
      const until = BOUNDS_MS[index] ?? from;
      return from + ((rank - below) / count) * (until - from);
    }
    below += count;
  }
  return BOUNDS_MS.at(-1)!;
}
