import { afterEach, expect, test, vi } from 'vitest';
import { delayUntil, every } from './clock.ts';

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

test('a timer waits as long as Node can for a time that is months away, and never less than it must', () => {
  const delay = delayUntil(Date.UTC(2027, 0), Date.UTC(2026, 0), 1000);
  expect(delay).toBeGreaterThan(24 * 86_400_000);
  expect(delay).toBeLessThan(2 ** 31);
  expect([delayUntil(5000, 2000, 1000), delayUntil(0, 2000, 1000)]).toEqual([3000, 1000]);
});
