import { expect, test } from 'vitest';
import { nextTermsChangeMs, priceFactors } from './account-terms.ts';

const terms = {
  changePercent: 10,
  accounts: { filed: -50 },
  dated: [
    { accountId: 'filed', fromMs: 0, changePercent: 5 },
    { accountId: 'a', fromMs: 0, changePercent: -20 },
    { accountId: 'b', fromMs: 100, changePercent: 25 },
    { accountId: 'a', fromMs: 200, changePercent: null },
  ],
};

test('terms apply from their date until others replace them; the configuration file takes precedence', () => {
  const at = (ms: number): number[] => ['a', 'b', 'filed', 'without-terms'].map(priceFactors(terms, ms));
  expect(at(50)).toEqual([800_000, 1_100_000, 500_000, 1_100_000]);
  expect(at(100)).toEqual([800_000, 1_250_000, 500_000, 1_100_000]);
  expect(at(200)).toEqual([1_100_000, 1_250_000, 500_000, 1_100_000]);
});

test('the next change is the earliest future one', () => {
  expect([0, 100, 200].map((ms) => nextTermsChangeMs(terms, ms))).toEqual([100, 200, undefined]);
  expect(nextTermsChangeMs({ changePercent: 0, accounts: {} }, 0)).toBeUndefined();
});
