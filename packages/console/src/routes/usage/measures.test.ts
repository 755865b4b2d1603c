import { expect, test } from 'vitest';
import type { SpendRow } from '../../format/spend-row.ts';
import { measures, sumOf } from './measures.ts';

test('spend of a few nano-dollars is not shown as nothing', () =>
  expect(
    measures()
      .find(({ id }) => id === 'spend')
      ?.format(0.000_000_004),
  ).toBe('$0.000000004'));

test('the sum of all rows is exact, and has no times', () => {
  const row = (costUsd: string, requests: number) => ({ ...sumOf([]), costUsd, requests }) as SpendRow;
  expect(sumOf([row('0.1', 2), row('0.2', 3)])).toMatchObject({ costUsd: '0.3', requests: 5, firstTokenMs: null });
});
