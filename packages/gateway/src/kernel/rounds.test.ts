import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Rounds } from './rounds.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Rounds that each last until the test ends them. */
function stage(pauseMs = 100) {
  const troubles: unknown[] = [];
  const ends: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  const run = (): Promise<void> => new Promise((resolve, reject) => ends.push({ resolve, reject }));
  const rounds = new Rounds({ run, pauseMs: () => pauseMs, onTrouble: (error) => troubles.push(error) });
  return { rounds, ends, troubles };
}

test('the pause begins when a round has ended, so that two never run at once', async () => {
  const { rounds, ends } = stage();
  rounds.start(0);
  await vi.advanceTimersByTimeAsync(1000);
  expect(ends).toHaveLength(1);
  ends[0]?.resolve();
  await vi.advanceTimersByTimeAsync(99);
  expect(ends).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(2);
});

test('the first round runs after a pause, or after another time', async () => {
  const [usual, later] = [stage(), stage()];
  usual.rounds.start();
  later.rounds.start(300);
  expect(usual.ends).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(100);
  expect([usual.ends.length, later.ends.length]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(200);
  expect(later.ends).toHaveLength(1);
});

test('a failure is reported, and the next round runs', async () => {
  const { rounds, ends, troubles } = stage();
  rounds.start(0);
  ends[0]?.reject('down');
  await vi.advanceTimersByTimeAsync(100);
  expect(troubles).toEqual(['down']);
  expect(ends).toHaveLength(2);
});

test('a round on request is the one that runs, and starts no others', async () => {
  const { rounds, ends } = stage();
  const [first, second] = [rounds.now(), rounds.now()];
  expect(ends).toHaveLength(1);
  ends[0]?.resolve();
  await Promise.all([first, second]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(ends).toHaveLength(1);
});

test('waking ends the pause, and the next one begins after that round', async () => {
  const { rounds, ends } = stage();
  rounds.start();
  await vi.advanceTimersByTimeAsync(50);
  rounds.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(1);
  ends[0]?.resolve();
  await vi.advanceTimersByTimeAsync(99);
  expect(ends).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(2);
});

test('waking while a round runs lets one more follow without a pause', async () => {
  const { rounds, ends } = stage();
  rounds.start(0);
  rounds.wake();
  rounds.wake();
  await vi.advanceTimersByTimeAsync(1000);
  expect(ends).toHaveLength(1);
  ends[0]?.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(2);
  ends[1]?.resolve();
  await vi.advanceTimersByTimeAsync(99);
  expect(ends).toHaveLength(2);
});

test('waking does nothing before the start and after the end', async () => {
  const { rounds, ends } = stage();
  rounds.wake();
  await vi.advanceTimersByTimeAsync(1000);
  rounds.start();
  await rounds.stop();
  rounds.wake();
  await vi.advanceTimersByTimeAsync(1000);
  expect(ends).toHaveLength(0);
});

test('stopping waits for the running round, and no other follows', async () => {
  const { rounds, ends } = stage();
  rounds.start(0);
  let isOver = false;
  const stopped = rounds.stop().then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect([isOver, rounds.isStopped]).toEqual([false, true]);
  ends[0]?.resolve();
  await stopped;
  rounds.start();
  await vi.advanceTimersByTimeAsync(1000);
  expect(ends).toHaveLength(1);
});
