import { expect, test } from 'vitest';
import { LatencyStatistics } from './latency-statistics.ts';

const MINUTE = 60_000;

test('nothing is known of a host before it was measured; streams and whole answers are two things', () => {
  const paces = new LatencyStatistics();
  expect(paces.of('a', 'stream', 0)).toEqual({ firstTokenMs: undefined, waiting: 0 });
  paces.began('a', 'stream', 200, 0);
  expect(paces.of('a', 'stream', 0).firstTokenMs).toBe(200);
  expect(paces.of('a', 'whole', 0).firstTokenMs).toBeUndefined();
});

test('newer times weigh more, and one of them never more than half', () => {
  const paces = new LatencyStatistics();
  paces.began('a', 'stream', 100, 0);
  paces.began('a', 'stream', 200, 1);
  const soon = paces.of('a', 'stream', 1).firstTokenMs ?? 0;
  expect(soon).toBeCloseTo(110);
  paces.began('a', 'stream', 1000, 10 * MINUTE);
  expect(paces.of('a', 'stream', 10 * MINUTE).firstTokenMs).toBeCloseTo((soon + 1000) / 2);
});

test('it settles on what is measured again and again', () => {
  const paces = new LatencyStatistics();
  paces.began('a', 'whole', 5000, 0);
  for (let call = 1; call <= 60; call++) paces.began('a', 'whole', 100, call * 1000);
  expect(paces.of('a', 'whole', 60_000).firstTokenMs).toBeLessThan(110);
});

test('who was slow and is not asked any more seems quicker by and by', () => {
  const paces = new LatencyStatistics();
  paces.began('slow', 'stream', 800, 0);
  expect(paces.of('slow', 'stream', 10 * MINUTE).firstTokenMs).toBeCloseTo(400);
  expect(paces.of('slow', 'stream', 20 * MINUTE).firstTokenMs).toBeCloseTo(200);
});

test('who waits is counted until it is over', () => {
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
