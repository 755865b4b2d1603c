import { expect, test } from 'vitest';
import type { ExactPrices } from '../../kernel/price.ts';
import { missingPrices } from './hold.ts';
import { imageAsk, imageFacts } from './image.ts';
import { EndpointRates } from './rates.ts';

const row = (unit: 'perMTokens' | 'perCount') => [{ picoUsd: 10n ** 12n, unit }];
const rates = (prices: ExactPrices) => new EndpointRates({ prices, otherPrices: [] }, 'v').rates(undefined, {});
const one = { count: 1, partials: 0, references: 0 };

test('a price case uses the pixel size if known, else the tier', () => {
  expect(imageFacts({ ...one, pixels: { width: 2000, height: 1000 } })).toEqual({ megapixels: 2, edits: false });
  expect(imageFacts({ ...one, tier: '2K', quality: 'high', references: 1 })).toEqual({
    megapixels: 4.194304,
    resolution: '2k',
    quality: 'high',
    edits: true,
  });
  expect(imageFacts(one)).toEqual({ edits: false });
});

test('images are held per piece if pieces have a price, and text only if it has one, too', () => {
  const asked = { ...one, count: 3 };
  const pieces = { outputTokens: 0, others: { pictures: 3 } };
  expect(imageAsk(asked, 50, rates({ image: row('perCount') }), {})).toEqual({ inputTokens: 0, ...pieces });
  const both = rates({ image: row('perCount'), prompt: row('perMTokens') });
  expect(imageAsk(asked, 50, both, {})).toEqual({ inputTokens: 50, ...pieces });
});

test('image tokens are held by size, partial images included, up to a limit', () => {
  const byToken = rates({ image: row('perMTokens'), prompt: row('perMTokens') });
  const held = (megapixels: number | undefined, partials = 0) =>
    imageAsk({ ...one, count: 2, partials }, 50, byToken, megapixels === undefined ? {} : { megapixels }).outputTokens;
  expect([held(1), held(undefined), held(1, 3), held(16.8)]).toEqual([8000, 12_800, 8600, 32_768]);
});

test('an output of images only needs no text price; a missing image price is named', () => {
  const byToken = rates({ image: row('perMTokens'), prompt: row('perMTokens') });
  expect(missingPrices(byToken, imageAsk({ ...one, references: 1 }, 50, byToken, {}))).toEqual([]);
  expect(missingPrices(rates({}), imageAsk(one, 50, rates({}), {}))).toEqual(['pictures']);
});
