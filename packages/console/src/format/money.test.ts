import { describe, expect, test } from 'vitest';
import { compareUsd, formatUsd } from './money.ts';

describe('formatUsd', () => {
  test.each([
    ['0', '$0'],
    ['0.000000', '$0'],
    ['128.41', '$128.41'],
    ['128.4', '$128.40'],
    ['1', '$1.00'],
    ['1234567.899', '$1,234,567.90'],
    ['999.995', '$1,000.00'],
    ['0.5', '$0.50'],
    ['0.0064', '$0.0064'],
    ['0.026', '$0.026'],
    ['0.000012345678', '$0.00001235'],
    ['0.99999', '$1.00'],
    ['-3.1', '−$3.10'],
    ['90071992547409931234.56', '$90,071,992,547,409,931,234.56'],
  ])('writes %s as %s', (text, shown) => expect(formatUsd(text)).toBe(shown));

  test.each([
    ['1234.5', 'de', '1.234,50\u00a0$'],
    ['0', 'de', '0\u00a0$'],
    ['-18.95', 'de', '−18,95\u00a0$'],
    ['18.95', 'zh-Hans', '$18.95'],
  ])('writes %s in %s as %s', (text, language, shown) => expect(formatUsd(text, language)).toBe(shown));
  test('has nothing to show for what is no decimal', () => expect(formatUsd('1e9')).toBeUndefined());
});

test('compareUsd compares by value, not as text', () => {
  expect(compareUsd('9.5', '10')).toBe(-1);
  expect(compareUsd('0.10', '0.1')).toBe(0);
  expect(compareUsd('-2', '-3')).toBe(1);
});
