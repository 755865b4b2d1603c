import { i18n } from '@lingui/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { conditionText, lowestPrice } from './prices.ts';

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }));

describe('conditions', () => {
  test.each([
    [{ unit: 'kTokens', gte: 0, lte: 272 }, 'input ≤ 272k'],
    [{ unit: 'kTokens', gt: 272, lt: null }, 'input > 272k'],
    [{ unit: 'kTokens', gt: 32, lte: 128 }, 'input 32k–128k'],
  ])('%j', (bounds, text) => expect(conditionText({ prompt_tokens: bounds })).toBe(text));
  test('none', () => expect(conditionText(undefined)).toBe(''));
});

describe('the price of a list', () => {
  const price = (usd: string, kind = 'prompt') => ({ kind, unit: 'perMTokens', usd });
  test('is the lowest that can be had', () =>
    expect(
      lowestPrice(
        [
          { callable: false, prices: [price('1')] },
          { callable: true, prices: [price('10'), price('2.5'), price('0.1', 'completion')] },
        ],
        'prompt',
      ),
    ).toBe('2.5'));
  test('is of all endpoints where none can be called', () =>
    expect(lowestPrice([{ callable: false, prices: [price('1')] }], 'prompt')).toBe('1'));
  test('is none where there is none', () => expect(lowestPrice([], 'prompt')).toBeUndefined());
});
