import { expect, test } from 'vitest';
import { skewFinding } from './skew.ts';

const readings = (theirMs: number) => ({ theirMs, beforeMs: 100_000, afterMs: 100_400 });

test.each([
  [100_000, 'ok', 'same time'],
  [100_400, 'ok', 'same time'],
  [99_500, 'ok', 'database is 0.5 s behind'],
  [101_500, 'warn', 'database is 1.1 s ahead'],
  [40_000, 'fail', 'database is 60.0 s behind'],
])('a clock at %i that was read between 100,000 and 100,400 ms is %s: %s', (theirMs, status, detail) => {
  expect(skewFinding('database', readings(theirMs))).toMatchObject({ status, detail });
});
