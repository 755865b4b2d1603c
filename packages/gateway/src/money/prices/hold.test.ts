import { expect, test } from 'vitest';
import type { ExactPrices } from '../../kernel/price.ts';
import { MOST_NANO_USD } from '../../kernel/usd.ts';
import { costOf } from './cost.ts';
import { holdNanoUsd, missingPrices } from './hold.ts';
import { EndpointRates } from './rates.ts';

const usd = 10n ** 12n;
const row = (picoUsd: bigint, unit: 'perMTokens' | 'perCount' = 'perMTokens') => [{ picoUsd, unit }];
const rates = (prices: ExactPrices) => new EndpointRates({ prices, otherPrices: [] }, 'v').rates();
const text: ExactPrices = { prompt: row(3n * usd), completion: row(15n * usd) };

test('a hold covers the input and the maximum output', () => {
  // 1,000 × 3 + 2,000 × 15 USD per million
  expect(holdNanoUsd(rates(text), { inputTokens: 1000, outputTokens: 2000 })).toBe(33_000_000n);
});

test('a hold uses the highest rate that may apply: for cache writes on input, for reasoning on output', () => {
  const high = rates({ ...text, input_cache_write_1_h: row(6n * usd), internal_reasoning: row(20n * usd) });
  expect(holdNanoUsd(high, { inputTokens: 1000, outputTokens: 2000 })).toBe(46_000_000n);
  // Audio costs even more, and counts only if the request contains some.
  const withAudio = rates({ ...text, audio: row(9n * usd) });
  expect(holdNanoUsd(withAudio, { inputTokens: 1000, outputTokens: 0 })).toBe(3_000_000n);
  expect(holdNanoUsd(withAudio, { inputTokens: 1000, outputTokens: 0, others: { inputAudio: 400 } })).toBe(9_000_000n);
});

test('prices per piece are added to a hold', () => {
  const searched = rates({ ...text, web_search: row(usd / 100n, 'perCount') });
  expect(holdNanoUsd(searched, { inputTokens: 0, outputTokens: 0, others: { webSearch: 5 } })).toBe(50_000_000n);
});

test('a hold is rounded up', () => {
  expect(holdNanoUsd(rates({ prompt: row(1n) }), { inputTokens: 1, outputTokens: 0 })).toBe(1n);
});

test('neither a hold nor a bill is ever more than the ledger can hold', () => {
  const endless = Number.MAX_SAFE_INTEGER;
  expect(holdNanoUsd(rates(text), { inputTokens: 1, outputTokens: endless })).toBe(MOST_NANO_USD);
  expect(costOf({ prompt: 1, completion: endless }, rates(text)).nanoUsd).toBe(MOST_NANO_USD);
});

test('meters that a request would use and that have no price are named', () => {
  const ask = { inputTokens: 10, outputTokens: 10, others: { webSearch: 1 } };
  expect(missingPrices(rates(text), ask)).toEqual(['webSearch']);
  expect(missingPrices(rates({ prompt: row(0n), completion: row(0n), web_search: row(0n, 'perCount') }), ask)).toEqual(
    [],
  );
  expect(missingPrices(rates({}), ask)).toEqual(['prompt', 'completion', 'webSearch']);
});
