import { expect, test } from 'vitest';
import { displayNanoUsd, formatAttoUsd, formatNanoUsd } from '../../kernel/usd.ts';

test('amounts are printed exactly, without trailing zeros', () => {
  expect([0n, 1n, 98_640_000n, 1_000_000_000n, -1_500_000_000n].map(formatNanoUsd)).toEqual([
    '0',
    '0.000000001',
    '0.09864',
    '1',
    '-1.5',
  ]);
  expect([0n, 1n, 500_000_000n, 3n * 10n ** 18n].map(formatAttoUsd)).toEqual([
    '0',
    '0.000000000000000001',
    '0.0000000005',
    '3',
  ]);
});

test('a JSON number prints as the exact decimal', () => {
  expect(JSON.stringify([98_640_000n, 2_500_000_000n].map(displayNanoUsd))).toBe('[0.09864,2.5]');
});
