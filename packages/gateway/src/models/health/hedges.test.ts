import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FirstTokens } from './first-tokens.ts';
import { Hedges } from './retry-budget.ts';

const noted = (...samples: number[]): FirstTokens => {
  const tokens = new FirstTokens();
  for (const sampleMs of samples) tokens.note(sampleMs);
  return tokens;
};
const oneTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

test('nothing is late while there are few samples', () => {
  expect(noted(...oneTo(19)).lateAfterMs()).toBeUndefined();
  expect(noted(...oneTo(20)).lateAfterMs()).toBe(20);
});

test('the threshold is the 95th percentile of the newest samples', () => {
  const tokens = noted(...oneTo(100));
  expect(tokens.lateAfterMs()).toBe(96);
  for (const sampleMs of oneTo(128)) tokens.note(sampleMs / 10);
  expect(tokens.lateAfterMs()).toBeCloseTo(12.2);
});

test('outliers do not raise the threshold: samples many times slower than most are left out', () => {
  const healthy = Array.from({ length: 80 }, () => 50);
  expect(noted(...healthy, ...Array.from({ length: 20 }, () => 1000)).lateAfterMs()).toBe(50);
});

test('the threshold is a measured time, and never above five times the median', () => {
  const times = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 20, maxLength: 128 });
  fc.assert(
    fc.property(times, (samples) => {
      const barMs = noted(...samples).lateAfterMs()!;
      const medianMs = samples.toSorted((one, other) => one - other)[Math.floor(samples.length / 2)]!;
      expect(samples).toContain(barMs);
      expect(barMs).toBeLessThanOrEqual(5 * medianMs);
    }),
  );
});

test('every model has its own threshold, with a margin', () => {
  const hedges = new Hedges(() => 0.1);
  for (const sampleMs of oneTo(20)) hedges.began('a', sampleMs);
  expect(hedges.dueMs('a')).toBeCloseTo(24);
  expect(hedges.dueMs('b')).toBeUndefined();
});

test('at most one request in ten is hedged, from the first request on', () => {
  const hedges = new Hedges(() => 0.1);
  let extra = 0;
  for (let request = 1; request <= 1000; request++) {
    hedges.asked();
    if (hedges.take(request * 1000)) extra++;
    expect(extra).toBeLessThanOrEqual(request / 10);
  }
  expect(extra).toBeGreaterThan(95);
});
