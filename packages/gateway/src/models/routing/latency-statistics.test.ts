import { expect, test } from 'vitest';
import { LatencyStatistics } from './latency-statistics.ts';

const MINUTE = 60_000;

test('a host has no latency before it is measured; streams and non-streamed answers are measured separately', () => {
  const paces = new LatencyStatistics();
  expect(paces.of('a', 'stream', 0)).toEqual({ firstTokenMs: undefined, waiting: 0 });
  paces.began('a', 'stream', 200, 0);
  expect(paces.of('a', 'stream', 0).firstTokenMs).toBe(200);
  expect(paces.of('a', 'whole', 0).firstTokenMs).toBeUndefined();
});

test('newer samples weigh more, and a single sample at most half', () => {
  const paces = new LatencyStatistics();
  paces.began('a', 'stream', 100, 0);
  paces.began('a', 'stream', 200, 1);
  const soon = paces.of('a', 'stream', 1).firstTokenMs ?? 0;
  expect(soon).toBeCloseTo(110);
  paces.began('a', 'stream', 1000, 10 * MINUTE);
  expect(paces.of('a', 'stream', 10 * MINUTE).firstTokenMs).toBeCloseTo((soon + 1000) / 2);
});

test('the average converges to a repeated measurement', () => {
  const paces = new LatencyStatistics();
  paces.began('a', 'whole', 5000, 0);
  for (let call = 1; call <= 60; call++) paces.began('a', 'whole', 100, call * 1000);
  expect(paces.of('a', 'whole', 60_000).firstTokenMs).toBeLessThan(110);
});

test('the latency of a host that gets no calls decays', () => {
  const paces = new LatencyStatistics();
  paces.began('slow', 'stream', 800, 0);
  expect(paces.of('slow', 'stream', 10 * MINUTE).firstTokenMs).toBeCloseTo(400);
  expect(paces.of('slow', 'stream', 20 * MINUTE).firstTokenMs).toBeCloseTo(200);
});

test('a waiting request is counted until it is over', () => {
  const paces = new LatencyStatistics();
  paces.asked('a');
  paces.asked('a');
  paces.over('a');
  expect(paces.of('a', 'stream', 0).waiting).toBe(1);
  paces.over('a');
  paces.over('a');
  paces.over('b');
  expect(paces.of('a', 'stream', 0).waiting).toBe(0);
});

test('the number of routes is bounded', () => {
  const paces = new LatencyStatistics();
  paces.began('a', 'stream', 100, 0);
  for (let route = 0; route < 5000; route++) paces.asked(`route ${route}`);
  expect(paces.of('a', 'stream', 0).firstTokenMs).toBeUndefined();
});
