import { expect, test } from 'vitest';
import { lessUsd, sumUsd } from './money-sum.ts';

test('what is left is exact, also below zero', () => {
  expect(lessUsd('100', '92', '4')).toBe('4');
  expect(lessUsd('0.3', '0.1', '0.1')).toBe('0.1');
  expect(lessUsd('0.000000003', '0.000000001')).toBe('0.000000002');
  expect(lessUsd('1', '1.5')).toBe('-0.5');
  expect(lessUsd('-20', '-20')).toBe('0');
});

test('sumUsd adds exactly', () => {
  expect(sumUsd(['0.1', '0.2', '-5'])).toBe('-4.7');
  expect(sumUsd([])).toBe('0');
});
