import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RetryBudgets, TokenBucket } from './retry-budget.ts';

const SHARE = 0.1;
const FORM = { share: () => SHARE, capacity: () => 10, floor: 2, floorPerSecond: 1 };

const taken = (bucket: TokenBucket, nowMs: number): number => {
  let count = 0;
  while (bucket.take(nowMs)) count++;
  return count;
};

test('it starts at the floor, and time adds no more than that', () => {
  const bucket = new TokenBucket(FORM);
  expect(taken(bucket, 0)).toBe(2);
  expect(taken(bucket, 999)).toBe(0);
  expect(taken(bucket, 1000)).toBe(1);
  expect(taken(bucket, 1_000_000)).toBe(2);
});

test('ten requests allow one extra call, up to the capacity', () => {
  const bucket = new TokenBucket(FORM);
  taken(bucket, 0);
  for (let request = 0; request < 10; request++) bucket.asked();
  expect(bucket.take(0)).toBe(false);
  bucket.asked();
  expect(taken(bucket, 0)).toBe(1);
  for (let request = 0; request < 1000; request++) bucket.asked();
  expect(taken(bucket, 0)).toBe(10);
});

test('over any time there are no more extra calls than the share, the floor and the saved tokens', () => {
  const steps = fc.array(fc.record({ passMs: fc.nat(500), asks: fc.nat(5), takes: fc.nat(5) }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (story) => {
      const bucket = new TokenBucket(FORM);
      let [nowMs, asked, extra] = [0, 0, 0];
      for (const { passMs, asks, takes } of story) {
        nowMs += passMs;
        for (let one = 0; one < asks; one++) bucket.asked();
        for (let one = 0; one < takes; one++) if (bucket.take(nowMs)) extra++;
        asked += asks;
      }
      expect(extra).toBeLessThanOrEqual(SHARE * asked + FORM.floor + (nowMs / 1000) * FORM.floorPerSecond + 1e-6);
    }),
  );
});

test('every host has its own budget', () => {
  const budgets = new RetryBudgets(() => ({ budgetPercent: 100, budgetSaved: 20, failoverReserve: 2 }));
  for (let request = 0; request < 50; request++) budgets.asked('busy');
  const count = (provider: string): number => {
    let retries = 0;
    while (budgets.take(provider, 0)) retries++;
    return retries;
  };
  expect(count('busy')).toBe(20);
  expect(count('quiet')).toBe(3);
});

test('a provider receives failovers until its reserve is spent by those that failed, and answered ones refill it', () => {
  const budgets = new RetryBudgets(() => ({ budgetPercent: 0, budgetSaved: 1, failoverReserve: 2 }));
  const receives: boolean[] = [];
  for (const answered of [true, true, true, false, false, false, true]) {
    budgets.received('second', answered);
    receives.push(budgets.receives('second'));
  }
  // Answers beyond a full reserve save nothing up, and failures beyond an empty one are not owed.
  expect(receives).toEqual([true, true, true, true, false, false, true]);
  expect(budgets.receives('third')).toBe(true);
});
