import { expect, test } from 'vitest';
import { REFUSAL_RATES, RefusalSampler } from './refusal-sampler.ts';

const flood = (sampler: RefusalSampler, accountId: string | undefined, count: number, nowMs: number): number =>
  Array.from({ length: count }, () => sampler.take(accountId, nowMs)).filter((taken) => taken !== undefined).length;

test('a flood of unauthenticated requests leaves a burst and then one record a second, with the number left out', () => {
  const sampler = new RefusalSampler();
  expect(flood(sampler, undefined, 10_000, 0)).toBe(REFUSAL_RATES.unauthenticated.burst);
  expect(sampler.take(undefined, 1000)).toBe(10_000 - REFUSAL_RATES.unauthenticated.burst);
  expect(sampler.take(undefined, 1000)).toBeUndefined();
  expect(sampler.take(undefined, 2000)).toBe(1);
});

test('one account does not use up the records of another', () => {
  const sampler = new RefusalSampler();
  expect(flood(sampler, 'loud', 1000, 0)).toBe(REFUSAL_RATES.account.burst);
  expect(sampler.take('quiet', 0)).toBe(0);
  expect(flood(sampler, 'loud', 1000, 1000)).toBe(REFUSAL_RATES.account.perSecond);
});

test('refusals without room for a record are counted in the next record', () => {
  const sampler = new RefusalSampler();
  expect(sampler.take('a', 0)).toBe(0);
  expect([sampler.take('a', 0, false), sampler.take('a', 0, false)]).toEqual([undefined, undefined]);
  expect(sampler.take('a', 0)).toBe(2);
});

test('a clock that is set back does not end the records', () => {
  const sampler = new RefusalSampler();
  sampler.take('a', 3_600_000);
  expect(sampler.take('a', 0)).toBe(0);
  expect(flood(sampler, 'a', 1000, 0)).toBe(REFUSAL_RATES.account.burst - 1);
});
