// Properties that hold for any prices and any usage.

import { METERS, type Meter, type Usage } from '@trivium/protocol/canonical';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExactPriceItem, ExactPrices } from '../../kernel/price.ts';
import { MOST_NANO_USD } from '../../kernel/usd.ts';
import { costOf } from './cost.ts';
import { type HoldAsk, holdNanoUsd, missingPrices } from './hold.ts';
import { METER_RULES } from './meters.ts';
import { withinLimits } from './plausible.ts';
import { EndpointRates } from './rates.ts';
import { heardAsk, heardLimits, heardUsage, spokenAsk, spokenLimits, spokenUsage, usualSeconds } from './sound.ts';

const pico = fc.bigInt({ min: 0n, max: 10n ** 17n });
const flat = (unit: ExactPriceItem['unit']) => pico.map((picoUsd): ExactPriceItem[] => [{ picoUsd, unit }]);
const tiered = fc.tuple(pico, pico, fc.integer({ min: 1, max: 400 })).map(([below, above, bound]): ExactPriceItem[] => [
  { picoUsd: below, unit: 'perMTokens', conditions: { prompt_tokens: { unit: 'kTokens', gte: 0, lte: bound } } },
  { picoUsd: above, unit: 'perMTokens', conditions: { prompt_tokens: { unit: 'kTokens', gt: bound, lt: null } } },
]);
const tokens = fc.oneof(flat('perMTokens'), tiered);
const flatPrices: fc.Arbitrary<ExactPrices> = fc.record(
  {
    prompt: flat('perMTokens'),
    completion: flat('perMTokens'),
    input_cache_read: flat('perMTokens'),
    input_cache_write: flat('perMTokens'),
    web_search: flat('perCount'),
  },
  { requiredKeys: ['prompt', 'completion'] },
);
const sound = fc.oneof(flat('perSecond'), flat('perCount'), tokens);
const anyPrices: fc.Arbitrary<ExactPrices> = fc.record(
  {
    prompt: fc.oneof({ weight: 3, arbitrary: tokens }, { weight: 1, arbitrary: flat('perCount') }),
    completion: tokens,
    input_cache_read: tokens,
    input_cache_write_5_min: tokens,
    internal_reasoning: tokens,
    web_search: flat('perCount'),
    audio: sound,
  },
  { requiredKeys: ['prompt', 'completion'] },
);
const soundPrices: fc.Arbitrary<ExactPrices> = fc.record(
  { prompt: tokens, completion: tokens, audio: sound },
  { requiredKeys: [] },
);
const TEXT: readonly Meter[] = ['prompt', 'inputCacheRead', 'inputCacheWrite', 'completion', 'internalReasoning'];
const usageOf = (meters: readonly Meter[]): fc.Arbitrary<Usage> =>
  fc.record(Object.fromEntries(meters.map((meter) => [meter, fc.nat(1_000_000)])), { requiredKeys: [] });
const rates = (prices: ExactPrices, speaks = false) =>
  new EndpointRates({ prices, otherPrices: [], speaks }, 'v').rates();

test('costs of two usages add up to the cost of both, where no tier is crossed', () => {
  fc.assert(
    fc.property(flatPrices, usageOf(TEXT), usageOf(TEXT), (prices, one, other) => {
      const both = Object.fromEntries(TEXT.map((meter) => [meter, (one[meter] ?? 0) + (other[meter] ?? 0)]));
      const own = rates(prices);
      expect(costOf(both, own).attoUsd).toBe(costOf(one, own).attoUsd + costOf(other, own).attoUsd);
    }),
  );
});

test('using more of anything never costs less, where no tier is crossed', () => {
  fc.assert(
    fc.property(flatPrices, usageOf(TEXT), fc.constantFrom(...TEXT), fc.nat(10_000), (prices, usage, meter, more) => {
      const own = rates(prices);
      const grown = { ...usage, [meter]: (usage[meter] ?? 0) + more };
      expect(costOf(grown, own).nanoUsd >= costOf(usage, own).nanoUsd).toBe(true);
    }),
  );
});

test('a bill is the sum of its lines, rounded once by at most half a nano-USD, and capped at the maximum', () => {
  fc.assert(
    fc.property(anyPrices, usageOf(METERS), fc.boolean(), (prices, usage, speaks) => {
      const { lines, attoUsd, nanoUsd } = costOf(usage, rates(prices, speaks));
      expect(lines.reduce((sum, line) => sum + line.attoUsd, 0n)).toBe(attoUsd);
      const most = MOST_NANO_USD * 10n ** 9n;
      const off = nanoUsd * 10n ** 9n - (attoUsd < most ? attoUsd : most);
      expect((off < 0n ? -off : off) <= 500_000_000n).toBe(true);
    }),
  );
});

test('no meter is charged twice, and every used meter is charged or reported as unpriced', () => {
  fc.assert(
    fc.property(anyPrices, usageOf(METERS), fc.boolean(), (prices, usage, speaks) => {
      const { lines, unpriced } = costOf(usage, rates(prices, speaks));
      const charged = lines.map(({ meter }) => meter);
      expect(new Set(charged).size).toBe(charged.length);
      for (const meter of METERS)
        if ((usage[meter] ?? 0) > 0) expect(charged.includes(meter) || unpriced.includes(meter)).toBe(true);
    }),
  );
});

test('usage within the bounds of a request costs no more than its hold', () => {
  fc.assert(
    fc.property(anyPrices, usageOf([...TEXT, 'webSearch']), fc.nat(5000), (prices, usage, spare) => {
      const sum = (meters: readonly Meter[]) => meters.reduce((total, meter) => total + (usage[meter] ?? 0), 0);
      const ask: HoldAsk = {
        inputTokens: sum(['prompt', 'inputCacheRead', 'inputCacheWrite']) + spare,
        outputTokens: sum(['completion', 'internalReasoning']) + spare,
        others: { webSearch: usage.webSearch ?? 0 },
      };
      const own = rates(prices);
      expect(holdNanoUsd(own, ask) >= costOf(usage, own).nanoUsd).toBe(true);
    }),
  );
});

test('every meter is priced by some of these lists', () => {
  const priced = new Set<string>();
  const used = Object.fromEntries(METERS.map((meter) => [meter, 1]));
  fc.assert(
    fc.property(anyPrices, fc.boolean(), (prices, speaks) => {
      for (const { meter } of costOf(used, rates(prices, speaks)).lines) priced.add(meter);
    }),
  );
  expect([...priced]).toEqual(
    expect.arrayContaining(['audioSeconds', 'characters', 'searchUnits', 'units', 'inputAudio', 'outputAudio']),
  );
});

const ofSound = usageOf(['prompt', 'inputAudio', 'completion', 'outputAudio', 'audioSeconds', 'characters']);

test('whatever a host of speech reports, no more is charged than was held, and only what has a price', () => {
  fc.assert(
    fc.property(soundPrices, ofSound, fc.nat(5000), fc.nat(5000), (prices, reported, characters, estimate) => {
      const own = rates(prices, true);
      const ask = spokenAsk(characters, estimate, own);
      const { usage } = withinLimits(spokenUsage(reported, characters, own), spokenLimits(characters, estimate));
      const cost = costOf(usage, own);
      expect(holdNanoUsd(own, ask) >= cost.nanoUsd).toBe(true);
      if (missingPrices(own, ask).length === 0) expect(cost.unpriced).toEqual([]);
    }),
  );
});

test('whatever a host reports of a recording, no more is charged than was held, and only what has a price', () => {
  const length = fc.option(fc.double({ min: 0, max: 20_000, noNaN: true }), { nil: undefined });
  const bytes = fc.nat(26_000_000);
  fc.assert(
    fc.property(soundPrices, ofSound, length, bytes, fc.nat(5000), (prices, reported, parsed, size, text) => {
      const own = rates(prices);
      const ask = heardAsk(parsed, text, own);
      const { usage } = withinLimits(
        heardUsage(reported, usualSeconds(parsed, size), () => text, own),
        heardLimits(parsed, text),
      );
      const cost = costOf(usage, own);
      expect(holdNanoUsd(own, ask) >= cost.nanoUsd).toBe(true);
      if (missingPrices(own, ask).length === 0) expect(cost.unpriced).toEqual([]);
    }),
  );
});

test('every meter has a rule', () => {
  expect(Object.keys(METER_RULES).sort()).toEqual([...METERS].sort());
});
