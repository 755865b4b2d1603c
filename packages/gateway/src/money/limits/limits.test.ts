import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Admitted, mostOver } from './admitted.fixture.ts';
import { rateOfAmounts, rateOfRequests, unitsLeft, waitFor } from './gcra.ts';
import { MeterBoard, type MeterClaim } from './meter-board.ts';

const arrivals = fc.array(fc.record({ afterMs: fc.nat(5000), units: fc.integer({ min: 1, max: 40 }) }), {
  minLength: 1,
  maxLength: 120,
});

test('in no span of time is more admitted than burst and rate allow', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600 }), arrivals, fc.boolean(), (perMinute, all, asRequests) => {
      const rate = asRequests ? rateOfRequests(perMinute) : rateOfAmounts(perMinute);
      const board = new MeterBoard();
      const admitted: Admitted[] = [];
      let nowMs = 0;
      for (const { afterMs, units } of all) {
        nowMs += afterMs;
        const claim = { name: 'one', rate, units: asRequests ? 1 : units };
        if (board.take([claim], nowMs) === undefined) admitted.push({ atMs: nowMs, units: claim.units });
      }
      expect(mostOver(admitted, rate)).toBeLessThan(1e-6);
    }),
  );
});

test('a caller who waits the stated time is admitted, and the stated time is not longer than needed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 50 }), (perMinute, before) => {
      const rate = rateOfRequests(perMinute);
      const board = new MeterBoard();
      const claim = { name: 'one', rate, units: 1 };
      for (let n = 0; n < before; n++) board.take([claim], 0);
      const refusal = board.take([claim], 0);
      if (refusal === undefined) return;
      expect(board.take([claim], refusal.waitMs - 0.01)).toBeDefined();
      expect(board.take([claim], refusal.waitMs + 1e-6)).toBeUndefined();
    }),
  );
});

test.each([
  [1, 1],
  [6, 6],
  [30, 10],
  [60, 10],
  [600, 100],
])('of %i requests a minute, %i may come at once', (perMinute, burst) => {
  expect(rateOfRequests(perMinute)).toEqual({ perMinute, burst });
});

test('a configured burst replaces the default, and processes that count separately divide it', () => {
  expect(rateOfRequests(6, 1)).toEqual({ perMinute: 6, burst: 1 });
  expect(rateOfRequests(60, 40, 4)).toEqual({ perMinute: 15, burst: 10 });
  expect(rateOfRequests(60, 2, 4)).toEqual({ perMinute: 15, burst: 1 });
});

test('a steady caller at its rate is never refused', () => {
  const board = new MeterBoard();
  const claim: MeterClaim = { name: 'steady', rate: rateOfRequests(60), units: 1 };
  for (let second = 0; second < 600; second++) expect(board.take([claim], second * 1000)).toBeUndefined();
});

test('all limits take a request, or none does', () => {
  const board = new MeterBoard();
  const wide: MeterClaim = { name: 'account', rate: rateOfRequests(600), units: 1 };
  const narrow: MeterClaim = { name: 'key', rate: rateOfRequests(6, 1), units: 1 };
  expect(board.take([wide, narrow], 0)).toBeUndefined();
  for (let n = 0; n < 50; n++) expect(board.take([wide, narrow], 0)?.claim.name).toBe('key');
  expect(unitsLeft(board.paidAtMs('account'), 0, wide.rate)).toBe(99);
});

test('usage beyond the claim delays later claims, and unused units are returned', () => {
  const board = new MeterBoard();
  const rate = rateOfAmounts(1000);
  const claim = (units: number): MeterClaim => ({ name: 'tokens', rate, units });
  board.take([claim(400)], 0);
  board.charge(claim(600), 0);
  expect(board.take([claim(100)], 0)?.waitMs).toBeCloseTo(6000, 6);
  board.charge(claim(-500), 0);
  expect(board.take([claim(100)], 0)).toBeUndefined();
});

test('a claim larger than the burst is refused for good', () => {
  expect(waitFor(0, 0, 1001, rateOfAmounts(1000))).toBe(Number.POSITIVE_INFINITY);
});

test('limits without recent use are removed from memory', () => {
  const board = new MeterBoard();
  for (let n = 0; n < 30_000; n++) board.take([{ name: `key-${n}`, rate: rateOfRequests(60), units: 1 }], n * 10);
  expect(board.size).toBeLessThan(11_000);
});
