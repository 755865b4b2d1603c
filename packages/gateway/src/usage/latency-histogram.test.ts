import { expect, test } from 'vitest';
import { BOUNDS_MS, BUCKETS, quantilesOf } from './latency-histogram.ts';

/** As PostgreSQL's width_bucket does. */
function countsOf(times: readonly number[]): bigint[] {
  const counts = Array.from({ length: BUCKETS }, () => 0n);
  for (const time of times) {
    const bucket = BOUNDS_MS.findIndex((bound) => time < bound);
    counts[bucket === -1 ? BOUNDS_MS.length : bucket]! += 1n;
  }
  return counts;
}

test('a quantile is in the bucket of the true one', () => {
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

test('nothing counted has no quantiles, and the last bucket says where it begins', () => {
  expect(quantilesOf(null)).toBeUndefined();
  expect(quantilesOf(countsOf([]))).toBeUndefined();
  expect(quantilesOf(countsOf([1e9]))?.p50).toBe(BOUNDS_MS.at(-1));
});
