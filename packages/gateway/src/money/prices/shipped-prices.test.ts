// Checks the shipped catalogue against every meter its wire formats can report: each has a price or an explicit zero,
// or a request that needs the missing price is refused.

import type { Meter } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import type { Rates } from '../../kernel/price.ts';
import { loadCatalogue } from '../../models/catalogue/load.ts';
import type { Endpoint, Model } from '../../models/catalogue/model.ts';
import { endpointAt } from './effective.ts';
import { missingPrices } from './hold.ts';
import { METER_RULES } from './meters.ts';
import { EndpointRates } from './rates.ts';
import { METERS_OF_DIALECT } from './reported-meters.fixture.ts';

const { snapshot } = await loadCatalogue({ knownProviders: new Set() });
const NOW = Date.parse(`${snapshot.asOf}T12:00:00Z`);
const everywhere: readonly { readonly model: Model; readonly endpoint: Endpoint }[] = [
  ...snapshot.models,
  ...snapshot.retired,
].flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })));

/** Meters that only move if a request explicitly asks for it, and those that only some models can produce. */
const ON_REQUEST: readonly Meter[] = ['webSearch'];
const MADE: Readonly<Partial<Record<Meter, string>>> = {
  outputImage: 'image',
  outputAudio: 'audio',
  outputVideo: 'video',
};

const isMeasured = (rates: Rates, meter: Meter): boolean => {
  const { thing } = METER_RULES[meter];
  return (
    rates.byMeter[meter] !== undefined ||
    (thing !== undefined &&
      Object.entries(METER_RULES).some(
        ([other, rule]) => rule.thing === thing && rates.byMeter[other as Meter] !== undefined,
      ))
  );
};

test('the shipped catalogue has endpoints', () => {
  expect(everywhere.length).toBeGreaterThan(290);
});

test('endpoints of unknown price are marked as such, and refused for every meter', () => {
  const unpriced = everywhere.filter(({ endpoint }) => endpoint.unpriced === true);
  expect(unpriced.map(({ model }) => model.id).sort()).toEqual([
    'google/gemma-4-26b-a4b-it',
    'google/gemma-4-31b-it',
    'jina/jina-reranker-v3',
    'openai/gpt-6.1-terra',
  ]);
  for (const { endpoint } of unpriced) {
    const rates = new EndpointRates(endpointAt(endpoint, NOW), 'v').rates();
    expect(missingPrices(rates, { inputTokens: 1, outputTokens: 1 })).toEqual(['prompt', 'completion']);
  }
});

test('every meter an endpoint can report has a price or an explicit zero, or its request is refused', () => {
  const without: string[] = [];
  for (const { model, endpoint } of everywhere) {
    if (endpoint.unpriced === true) continue;
    const meters = METERS_OF_DIALECT[endpoint.dialect];
    if (meters === undefined) throw new Error(`the meters of dialect ${endpoint.dialect} are not listed`);
    const speaks = model.outputModalities.some((made) => made === 'audio' || made === 'speech');
    const card = new EndpointRates({ ...endpointAt(endpoint, NOW), speaks }, 'v');
    // Of reranking and sound only the measure that has a price is charged, and it is never missing.
    const hasOneMeasure = model.outputModalities.some((made) => ['rerank', 'speech', 'transcription'].includes(made));
    if (hasOneMeasure && meters.some((meter) => isMeasured(card.rates(), meter))) continue;
    for (const meter of meters) {
      const made = MADE[meter];
      if (made !== undefined && !model.outputModalities.some((modality) => modality === made)) continue;
      const withSound =
        (endpoint.prices.audio_and_video ?? endpoint.otherPrices[0]?.prices.audio_and_video) !== undefined;
      const rates = card.rates(undefined, { withSound });
      if (isMeasured(rates, meter)) continue;
      const refused = missingPrices(rates, { inputTokens: 0, outputTokens: 0, others: { [meter]: 1 } }).includes(meter);
      if (ON_REQUEST.includes(meter) && refused) continue;
      without.push(`${model.id} at ${endpoint.provider}: ${meter}`);
    }
  }
  expect(without).toEqual([]);
});

test('a free endpoint has an explicit price of zero for both input and output', () => {
  const free = everywhere.filter(
    ({ model, endpoint }) =>
      model.outputModalities.includes('text') && endpoint.prices.prompt?.every(({ picoUsd }) => picoUsd === 0n),
  );
  expect(free.length).toBeGreaterThan(0);
  for (const { endpoint } of free)
    expect(endpoint.prices.completion?.every(({ picoUsd }) => picoUsd === 0n)).toBe(true);
});

test('a higher tier never costs less, so that a larger request is never cheaper', () => {
  for (const { endpoint } of everywhere)
    for (const items of Object.values(endpoint.prices)) {
      const byBound = [...items].sort(
        (a, b) => (a.conditions?.prompt_tokens?.gt ?? 0) - (b.conditions?.prompt_tokens?.gt ?? 0),
      );
      for (const [index, item] of byBound.slice(1).entries())
        expect(item.picoUsd >= (byBound[index]?.picoUsd ?? 0n)).toBe(true);
    }
});

test('prices by time apply and end as stated: office hours in China, and the new year', () => {
  const promptOf = (id: string, time: string) => {
    const endpoint = snapshot.find(id)?.endpoints[0];
    return endpoint && endpointAt(endpoint, Date.parse(time)).prices.prompt?.[0]?.picoUsd;
  };
  const pro = 'deepseek/deepseek-v4-pro';
  expect(promptOf(pro, '2026-11-16T02:00:00Z')).toBe(1_320_000_000_000n);
  expect(promptOf(pro, '2026-11-16T05:00:00Z')).toBe(660_000_000_000n);
  const flash = 'google/gemini-3.8-flash';
  expect(promptOf(flash, '2026-12-31T23:00:00Z')).toBe(750_000_000_000n);
  expect(promptOf(flash, '2027-01-01T00:00:00Z')).toBe(1_500_000_000_000n);
});
