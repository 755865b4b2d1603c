// Bills calculated by hand, figure by figure.

import type { PriceUnit, TokenRange } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import type { ExactPriceItem, ExactPrices } from '../../kernel/price.ts';
import { parsePicoUsd } from '../../kernel/usd.ts';
import { factorPpmOf } from './account-terms.ts';
import { costOf } from './cost.ts';
import { EndpointRates } from './rates.ts';

const item = (usd: string, unit: PriceUnit = 'perMTokens', prompt?: Omit<TokenRange, 'unit'>): ExactPriceItem => {
  const price = parsePicoUsd(usd);
  if (!price.ok) throw new Error(price.message);
  return {
    picoUsd: price.picoUsd,
    unit,
    ...(prompt !== undefined && { conditions: { prompt_tokens: { unit: 'kTokens', ...prompt } } }),
  };
};
const card = (prices: ExactPrices): EndpointRates => new EndpointRates({ prices, otherPrices: [] }, 'v');

test('every meter times its price, and the sum', () => {
  const rates = card({
    prompt: [item('10')],
    completion: [item('50')],
    input_cache_read: [item('0.25')],
    input_cache_write_5_min: [item('12.5')],
    input_cache_write_1_h: [item('20')],
    web_search: [item('0.01', 'perCount')],
  }).rates();
  const cost = costOf(
    {
      prompt: 1234,
      inputCacheRead: 10_000,
      inputCacheWrite5Min: 2000,
      inputCacheWrite1H: 300,
      completion: 567,
      internalReasoning: 89,
      webSearch: 2,
    },
    rates,
  );
  // 0.01234 + 0.0025 + 0.025 + 0.006 + 0.02835 + 0.00445 + 0.02 USD
  expect(cost.nanoUsd).toBe(98_640_000n);
  expect(cost.lines.map(({ meter, kind, attoUsd }) => [meter, kind, attoUsd / 10n ** 9n])).toEqual([
    ['prompt', 'prompt', 12_340_000n],
    ['inputCacheRead', 'input_cache_read', 2_500_000n],
    ['inputCacheWrite5Min', 'input_cache_write_5_min', 25_000_000n],
    ['inputCacheWrite1H', 'input_cache_write_1_h', 6_000_000n],
    ['completion', 'completion', 28_350_000n],
    ['internalReasoning', 'completion', 4_450_000n],
    ['webSearch', 'web_search', 20_000_000n],
  ]);
  expect(cost).toMatchObject({ priceVersion: 'v', unpriced: [] });
});

test('the lines of a bill are in the order of the meters, whatever order the usage has', () => {
  const rates = card({ prompt: [item('1')], completion: [item('2')], input_cache_read: [item('0.1')] }).rates();
  const meters = (usage: Parameters<typeof costOf>[0]) => costOf(usage, rates).lines.map(({ meter }) => meter);
  const ordered = meters({ prompt: 1, inputCacheRead: 2, completion: 3 });
  expect(ordered).toHaveLength(3);
  expect(meters({ completion: 3, inputCacheRead: 2, prompt: 1 })).toEqual(ordered);
  expect(meters({ inputCacheRead: 2, completion: 3, prompt: 1 })).toEqual(ordered);
});

test('only the sum is rounded, to the nearest nano-USD, and a tie to the even one', () => {
  // Half a nano-USD per token.
  const rates = card({ prompt: [item('0.0005')], completion: [item('0.0005')] }).rates();
  const nano = (prompt: number, completion = 0) => costOf({ prompt, completion }, rates).nanoUsd;
  expect([nano(1), nano(2), nano(3), nano(5), nano(7)]).toEqual([0n, 1n, 2n, 2n, 4n]);
  // Two halves in two lines add up to one.
  expect(nano(1, 1)).toBe(1n);
  expect(costOf({ prompt: 1 }, rates).attoUsd).toBe(500_000_000n);
});

test('a meter without a price is charged at its fallback price', () => {
  const kindsAt = (prices: ExactPrices, usage: Parameters<typeof costOf>[0]) =>
    costOf(usage, card(prices).rates()).lines.map(({ meter, kind }) => `${meter} at ${kind}`);
  const text = { prompt: [item('1')], completion: [item('2')] };
  expect(
    kindsAt(text, { inputCacheRead: 1, inputCacheWrite: 1, inputImage: 1, inputAudio: 1, inputDocument: 1 }),
  ).toEqual([
    'inputCacheRead at prompt',
    'inputCacheWrite at prompt',
    'inputImage at prompt',
    'inputAudio at prompt',
    'inputDocument at prompt',
  ]);
  const written = { ...text, input_cache_write: [item('3')] };
  expect(kindsAt(written, { inputCacheWrite5Min: 1, inputCacheWrite1H: 1, inputCacheRead: 1 })).toEqual([
    'inputCacheRead at prompt',
    'inputCacheWrite5Min at input_cache_write',
    'inputCacheWrite1H at input_cache_write',
  ]);
  expect(kindsAt({ ...text, input_cache_write_5_min: [item('3')] }, { inputCacheWrite: 1 })).toEqual([
    'inputCacheWrite at input_cache_write_5_min',
  ]);
  expect(kindsAt({ ...text, audio: [item('9')] }, { inputAudio: 1 })).toEqual(['inputAudio at audio']);
});

test('input images and generated images have different prices', () => {
  const rates = card({ prompt: [item('2')], completion: [item('12')], image: [item('120')] }).rates();
  // 1,000 × 2 + 1,290 × 120 USD for a million
  expect(costOf({ inputImage: 1000, outputImage: 1290 }, rates).nanoUsd).toBe(2_000_000n + 154_800_000n);
});

test('the whole request is charged at the tier of its input size, cached tokens included', () => {
  const rates = card({
    prompt: [item('2', 'perMTokens', { gte: 0, lt: 200 }), item('4', 'perMTokens', { gte: 200, lt: null })],
    completion: [item('12', 'perMTokens', { gte: 0, lt: 200 }), item('18', 'perMTokens', { gte: 200, lt: null })],
    input_cache_read: [
      item('0.2', 'perMTokens', { gte: 0, lt: 200 }),
      item('0.4', 'perMTokens', { gte: 200, lt: null }),
    ],
  }).rates();
  expect(costOf({ prompt: 199_999, completion: 100 }, rates).nanoUsd).toBe(399_998_000n + 1_200_000n);
  expect(costOf({ prompt: 200_000, completion: 100 }, rates).nanoUsd).toBe(800_000_000n + 1_800_000n);
  expect(costOf({ prompt: 150_000, inputCacheRead: 50_000 }, rates).nanoUsd).toBe(600_000_000n + 20_000_000n);
  expect(costOf({ prompt: 9_000_000 }, rates).nanoUsd).toBe(36_000_000_000n);
});

test('a tier boundary belongs to the tier that includes it', () => {
  const rates = card({
    prompt: [item('1', 'perMTokens', { gte: 0, lte: 272 }), item('2', 'perMTokens', { gt: 272, lt: null })],
  }).rates();
  expect(costOf({ prompt: 272_000 }, rates).nanoUsd).toBe(272_000_000n);
  expect(costOf({ prompt: 272_001 }, rates).nanoUsd).toBe(544_002_000n);
});

test('the terms of an account change the price, and the changed price is charged', () => {
  const own = card({ prompt: [item('10')], completion: [item('0.000000000003')] });
  const discount = factorPpmOf(-20) ?? 0;
  expect(own.rates(discount).byMeter.prompt?.items[0]?.picoUsd).toBe(8_000_000_000_000n);
  expect(costOf({ prompt: 1_000_000 }, own.rates(discount)).nanoUsd).toBe(8_000_000_000n);
  // 3 pico-USD less 20 % is 2.4, which is rounded to a whole number: 2.
  expect(own.rates(discount).byMeter.completion?.items[0]?.picoUsd).toBe(2n);
  expect(costOf({ prompt: 1_000_000 }, own.rates(factorPpmOf(12.5) ?? 0)).nanoUsd).toBe(11_250_000_000n);
  expect([factorPpmOf(-100), factorPpmOf(-101), factorPpmOf(0.00001), factorPpmOf(10_000)]).toEqual([
    0,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a price of zero is a price; a missing price is reported, and tokens without one are still charged', () => {
  const free = card({ prompt: [item('0')], completion: [item('0')] }).rates();
  expect(costOf({ prompt: 10, completion: 10 }, free)).toMatchObject({ nanoUsd: 0n, unpriced: [] });
  const paid = card({ prompt: [item('1')], completion: [item('2')] }).rates();
  expect(costOf({ outputAudio: 10, webSearch: 1 }, paid)).toMatchObject({
    nanoUsd: 20_000n,
    unpriced: ['outputAudio', 'webSearch'],
  });
  expect(costOf({ prompt: 1 }, card({}).rates())).toMatchObject({ lines: [], unpriced: ['prompt'] });
});

test('invalid quantities cost nothing, started units are charged in full, and nothing overflows', () => {
  const rates = card({ prompt: [item('1')], completion: [item('1')], video: [item('0.1', 'perSecond')] }).rates();
  expect(costOf({ prompt: -5, completion: Number.NaN }, rates).nanoUsd).toBe(0n);
  expect(costOf({ prompt: 1.2 }, rates).attoUsd).toBe(2n * 10n ** 12n);
  expect(costOf({ prompt: Number.POSITIVE_INFINITY }, rates).attoUsd).toBe(
    BigInt(Number.MAX_SAFE_INTEGER) * 10n ** 12n,
  );
});
