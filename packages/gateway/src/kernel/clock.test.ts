import { afterEach, expect, test, vi } from 'vitest';
import { every } from './clock.ts';

afterEach(() => vi.useRealTimers());

test('a failing round is reported, the next one runs, and none runs after the end', async () => {
  vi.useFakeTimers();
  const troubles: unknown[] = [];
  let rounds = 0;
  const stop = every(
    1000,
    async () => {
      if (++rounds === 1) throw new Error('database unreachable');
    },
    (error) => troubles.push(error),
  );
  await vi.advanceTimersByTimeAsync(2000);
  expect([rounds, troubles]).toEqual([2, [new Error('database unreachable')]]);
  stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(rounds).toBe(2);
});
