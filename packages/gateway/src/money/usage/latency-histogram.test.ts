import { expect, test } from 'vitest';
import { BOUNDS_MS, BUCKETS, quantilesOf } from './latency-histogram.ts';

/** Counts as PostgreSQL's width_bucket does. */
function countsOf(times: readonly number[]): bigint[] {
  const counts = Array.from({ length: BUCKETS }, () => 0n);
  for (const time of times) {
    const bucket = BOUNDS_MS.findIndex((bound) => time < bound);
    counts[bucket === -1 ? BOUNDS_MS.length : bucket]! += 1n;
  }
  return counts;
}

test('an estimated quantile is in the same bucket as the exact one', () => {
  const times = Array.from({ length: 1000 }, (_, index) => 20 + index);
  const { p50, p95, p99 } = quantilesOf(countsOf(times))!;
  for (const [found, real] of [
    [p50, 520],
    [p95, 970],
    [p99, 1010],
  ] as const) {
    expect(found).toBeGreaterThan(real / 1.6);
    expect(found).toBeLessThan(real * 1.6);
  }
});

test('an empty histogram has no quantiles, and the last bucket yields its lower bound', () => {
  expect(quantilesOf(null)).toBeUndefined();
  expect(quantilesOf(countsOf([]))).toBeUndefined();
  expect(quantilesOf(countsOf([1e9]))?.p50).toBe(BOUNDS_MS.at(-1));
});
