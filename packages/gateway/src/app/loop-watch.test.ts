import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchLoop } from './loop-watch.ts';

const requests: { taken: number; onEnter: (() => void) | undefined } = { taken: 0, onEnter: undefined };
const onSample = vi.fn();
const onPeriod = vi.fn();
let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  requests.taken = 0;
  onSample.mockClear();
  onPeriod.mockClear();
  stop = watchLoop(requests, { onSample, onPeriod });
});
afterEach(() => {
  stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const pass = (ms: number): unknown => vi.advanceTimersByTime(ms);
const enter = (): void => {
  requests.taken++;
  requests.onEnter?.();
};
/** One task keeps the loop busy meanwhile, so that timers are late. */
const block = (ms: number): void => {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
};

test('measures once a second while there are no requests', () => {
  pass(5000);
  expect(onPeriod).toHaveBeenCalledTimes(5);
  expect(onPeriod).toHaveBeenLastCalledWith(0, expect.anything(), 1000);
});

test('the first request starts ten measurements a second, at once, and later ones cost nothing', () => {
  pass(1500);
  onPeriod.mockClear();
  enter();
  expect(requests.onEnter).toBeUndefined();
  pass(1000);
  expect(onPeriod).toHaveBeenCalledTimes(10);
  expect(onPeriod).toHaveBeenLastCalledWith(0, expect.anything(), 100);
});

test('goes on as long as requests run, and for a second after', () => {
  enter();
  pass(10_000);
  expect(onPeriod).toHaveBeenCalledTimes(100);
  requests.taken = 0;
  pass(1000);
  expect(requests.onEnter).toBeDefined();
  onPeriod.mockClear();
  pass(3000);
  expect(onPeriod).toHaveBeenCalledTimes(3);
});

test('a delay without requests is no load yet: ten measurements a second show whether it lasts', () => {
  block(50);
  pass(1000);
  expect(onSample.mock.calls).toEqual([[50]]);
  expect(onPeriod).not.toHaveBeenCalled();
  pass(200);
  expect(onPeriod).toHaveBeenCalledTimes(2);
  expect(onPeriod).toHaveBeenLastCalledWith(0, expect.anything(), 100);
});

test('stops for good', () => {
  stop();
  expect(requests.onEnter).toBeUndefined();
  pass(5000);
  expect(onPeriod).not.toHaveBeenCalled();
});
