// Prices of images and video that depend on what is requested, calculated by hand.

import { expect, test } from 'vitest';
import type { ExactPriceItem, PricedEndpoint, PriceFacts } from '../../kernel/price.ts';
import { parsePicoUsd } from '../../kernel/usd.ts';
import { costOf } from './cost.ts';
import { EndpointRates } from './rates.ts';

const item = (usd: string, unit: ExactPriceItem['unit']): ExactPriceItem[] => {
  const price = parsePicoUsd(usd);
  return price.ok ? [{ picoUsd: price.picoUsd, unit }] : [];
};
const bill = (endpoint: PricedEndpoint, facts: PriceFacts, usage: Parameters<typeof costOf>[0]) => {
  const { nanoUsd, unpriced } = costOf(usage, new EndpointRates(endpoint, 'v').rates(undefined, facts));
  return unpriced.length > 0 ? `no price for ${unpriced}` : Number(nanoUsd) / 1e9;
};

const clips: PricedEndpoint = {
  prices: { video: item('0.2', 'perSecond'), audio_and_video: item('0.4', 'perSecond') },
  priceWhen: { resolution: ['720p', '1080p'] },
  otherPrices: [
    {
      basis: '4k',
      when: { resolution: ['4k'] },
      prices: { video: item('0.4', 'perSecond'), audio_and_video: item('0.6', 'perSecond') },
    },
    { basis: 'edit', when: { resolution: ['4k'], edits: true }, prices: { audio_and_video: item('0.9', 'perSecond') } },
    { basis: 'a rumour', prices: { video: item('0.01', 'perSecond') } },
  ],
};

test('video is priced per second, by sound and resolution, and the most specific case applies', () => {
  const eight = { videos: 1, videoSeconds: 8 };
  expect(bill(clips, { withSound: true }, eight)).toBe(3.2);
  expect(bill(clips, { withSound: false, resolution: '1080P' }, eight)).toBe(1.6);
  expect(bill(clips, { withSound: true, resolution: '4K' }, eight)).toBe(4.8);
  expect(bill(clips, { withSound: true, resolution: '4k', edits: true }, eight)).toBe(7.2);
  expect(bill(clips, { withSound: false }, { videoSeconds: 2.5 })).toBe(0.5);
});

test('a request without a matching price row has no price', () => {
  expect(bill(clips, { withSound: true, resolution: '8k' }, { videoSeconds: 8 })).toBe('no price for videoSeconds');
});

test('a video priced per piece has a price for each length', () => {
  const byPiece: PricedEndpoint = {
    prices: { video: item('0.28', 'perCount') },
    priceWhen: { resolution: ['768p'], seconds: { lte: 6 } },
    otherPrices: [
      { basis: '10 s', when: { seconds: { gt: 6, lte: 10 } }, prices: { video: item('0.56', 'perCount') } },
    ],
  };
  const clip = (seconds: number) => bill(byPiece, { withSound: false, seconds }, { videos: 1, videoSeconds: seconds });
  expect([clip(6), clip(6.5), clip(10), clip(11)]).toEqual([0.28, 0.56, 0.56, 'no price for videos,videoSeconds']);
  expect(bill(byPiece, { withSound: true, seconds: 6 }, { videos: 1 })).toBe('no price for videos');
});

test('each further megapixel of each image is charged, started ones in full', () => {
  const pictures: PricedEndpoint = {
    prices: { image: item('0.03', 'perCount') },
    otherPrices: [
      { basis: 'more', beyond: { of: 'megapixels', first: 1 }, prices: { image: item('0.015', 'perCount') } },
    ],
  };
  expect(bill(pictures, { megapixels: 1 }, { pictures: 2 })).toBe(0.06);
  expect(bill(pictures, { megapixels: 1.048576 }, { pictures: 2 })).toBe(0.06);
  expect(bill(pictures, { megapixels: 1.048577 }, { pictures: 2 })).toBe(0.09);
  // 2 × (0.03 + 2 × 0.015)
  expect(bill(pictures, { megapixels: 2.1 }, { pictures: 2 })).toBe(0.12);
});

test('a price row may apply to some meters only', () => {
  const endpoint: PricedEndpoint = {
    prices: { prompt: item('5', 'perMTokens'), image: item('40', 'perMTokens') },
    otherPrices: [{ basis: 'image input', meters: ['inputImage'], prices: { prompt: item('8', 'perMTokens') } }],
  };
  expect(bill(endpoint, {}, { prompt: 100, inputImage: 1000, outputImage: 4000 })).toBe(0.0005 + 0.008 + 0.16);
});
