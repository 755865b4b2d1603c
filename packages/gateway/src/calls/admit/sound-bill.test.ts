// What a chat model says: held before it is sent, and charged by hand.
import type { Usage } from '@trivium/protocol/canonical';
import { findDialect } from '@trivium/protocol/dialects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExactPrices, PricedEndpoint } from '../../kernel/price.ts';
import type { Target } from '../../kernel/target.ts';
import { EndpointRates } from '../../money/prices/rates.ts';
import type { Planned } from '../request.ts';
import { checkedBill } from './bill.ts';
import { quoteOf } from './quote.ts';

const row = (usd: number) => [{ picoUsd: BigInt(usd) * 10n ** 12n, unit: 'perMTokens' as const }];
const TEXT: ExactPrices = { prompt: row(1), completion: row(2) };
const SPOKEN: ExactPrices = { ...TEXT, audio: row(12) };
const LIMIT = 1000;

const dialect = findDialect('google-generate')!;

type Offer = Pick<PricedEndpoint, 'prices' | 'otherPrices'>;

const TEXT_ALONE = ['text'];

/** A request, and a host whose model answers with text and sound, or what is named. */
function stage(generationConfig: object, { prices, otherPrices }: Offer, outputModalities = ['text', 'audio']) {
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  const body = { contents, generationConfig };
  const understanding = dialect.server.understand(body as never, { model: 'm', header: () => undefined });
  const card = new EndpointRates({ prices, otherPrices, speaks: outputModalities.includes('audio') }, 'v');
  const model = { outputModalities, thinking: { kind: 'none' } };
  const route = { maxOutputTokens: LIMIT, contextLength: 0 };
  const target = { dialect, card, route, facts: { model, quirks: {} } } as unknown as Target;
  const planned = { dialect, text: JSON.stringify(body), understanding, plan: [target] } as unknown as Planned;
  const billed = (usage: Usage, producedCharacters = 0) =>
    checkedBill(
      planned,
      target,
      { usage, reported: true, producedCharacters, producedPieces: 0 },
      card.rates(),
      () => ({ producedCharacters, producedPieces: producedCharacters > 0 ? 1 : 0 }),
    );
  return { quote: quoteOf(planned, undefined), billed };
}

const offer = (prices: ExactPrices): Offer => ({ prices, otherPrices: [] });
const ALOUD = { responseModalities: ['AUDIO'] };

test('sound is charged at its price, and the rest at the price of text', () => {
  const { billed } = stage(ALOUD, offer(SPOKEN));
  const { cost } = billed({ prompt: 3, completion: 5, outputAudio: 7 });
  expect(cost).toMatchObject({ nanoUsd: 3_000n + 10_000n + 84_000n, unpriced: [] });
});

test('tokens that are not broken down are sound where sound alone was asked for and no text came', () => {
  const usage = { prompt: 3, completion: 5 };
  expect(stage(ALOUD, offer(SPOKEN)).billed(usage).cost.nanoUsd).toBe(3_000n + 60_000n);
  // A refusal in words.
  expect(stage(ALOUD, offer(SPOKEN)).billed(usage, 20).cost.nanoUsd).toBe(3_000n + 10_000n);
  for (const config of [{}, { responseModalities: ['TEXT', 'AUDIO'] }])
    expect(stage(config, offer(SPOKEN)).billed(usage).cost.nanoUsd).toBe(3_000n + 10_000n);
});

test('sound that was not asked for is charged at its price, or as text and noted where it has none', () => {
  const usage = { prompt: 1, outputAudio: 10 };
  expect(stage({}, offer(SPOKEN)).billed(usage).cost).toMatchObject({ nanoUsd: 121_000n, unpriced: [] });
  expect(stage({}, offer(TEXT)).billed(usage).cost).toMatchObject({ nanoUsd: 21_000n, unpriced: ['outputAudio'] });
  // Of a model that answers with text alone, `audio` is the price of what it hears.
  const heard = stage({}, offer(SPOKEN), TEXT_ALONE).billed(usage).cost;
  expect(heard).toMatchObject({ nanoUsd: 21_000n, unpriced: ['outputAudio'] });
});

test('a price of its own may be stated for what the same model hears', () => {
  const own = { basis: 'heard', meters: ['inputAudio'] as const, prices: { audio: row(3) } };
  const { billed } = stage(ALOUD, { prices: SPOKEN, otherPrices: [own] });
  expect(billed({ prompt: 0, inputAudio: 10, outputAudio: 10 }).cost.nanoUsd).toBe(30_000n + 120_000n);
  expect(stage(ALOUD, offer(SPOKEN)).billed({ prompt: 0, inputAudio: 10 }).cost.nanoUsd).toBe(120_000n);
});

test('sound without a price is refused where it is asked for, and nowhere else', () => {
  expect(stage(ALOUD, offer(TEXT)).quote.unpriced).toEqual(['outputAudio']);
  expect(stage({ responseModalities: ['TEXT', 'AUDIO'] }, offer(TEXT)).quote.unpriced).toEqual(['outputAudio']);
  expect(stage(ALOUD, offer({ prompt: row(1), audio: row(12) })).quote.unpriced).toEqual(['completion']);
  for (const config of [{}, { responseModalities: ['TEXT'] }]) {
    expect(stage(config, offer(TEXT)).quote.unpriced).toEqual([]);
    expect(stage(config, offer(SPOKEN)).quote.unpriced).toEqual([]);
  }
  // A host of a fallback that makes no sound is not asked for any.
  expect(stage(ALOUD, offer(TEXT), TEXT_ALONE).quote.unpriced).toEqual([]);
});

test('a model that answers with text alone is held as before', () => {
  const held = (prices: ExactPrices) => stage({ maxOutputTokens: 10 }, offer(prices), TEXT_ALONE).quote.holdNanoUsd;
  expect(held(SPOKEN)).toBe(held(TEXT));
});

test('of a model that draws beside its text each token may be of a picture', () => {
  const drawn = offer({ ...TEXT, image: row(30) });
  for (const config of [{ maxOutputTokens: 10 }, {}, { responseModalities: ['TEXT', 'IMAGE'] }]) {
    const { quote, billed } = stage(config, drawn, ['text', 'image']);
    const most = 'maxOutputTokens' in config ? 10 : LIMIT;
    const { cost } = billed({ prompt: 1, completion: 1, outputImage: most - 1 });
    expect(cost).toMatchObject({ nanoUsd: 1_000n + 2_000n + BigInt(most - 1) * 30_000n, unpriced: [] });
    expect(quote.holdNanoUsd).toBeGreaterThanOrEqual(cost.nanoUsd);
    expect(quote.unpriced).toEqual([]);
  }
  const held = (modalities: string[]) => stage({}, drawn, modalities).quote.holdNanoUsd;
  expect(held(TEXT_ALONE)).toBe(stage({}, offer(TEXT), TEXT_ALONE).quote.holdNanoUsd);
});

test('what is held covers whatever a model may say within its limit', () => {
  const prices = fc.record(
    { prompt: fc.nat(40), completion: fc.nat(40), audio: fc.nat(40) },
    { requiredKeys: ['prompt', 'completion'] },
  );
  const config = fc.record(
    {
      responseModalities: fc.constantFrom(['AUDIO'], ['TEXT', 'AUDIO']),
      maxOutputTokens: fc.integer({ min: 1, max: 2 * LIMIT }),
      candidateCount: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ['responseModalities'] },
  );
  fc.assert(
    fc.property(prices, config, fc.nat(LIMIT), fc.nat(LIMIT), (usd, asked, said, share) => {
      const rows: ExactPrices = Object.fromEntries(Object.entries(usd).map(([kind, price]) => [kind, row(price)]));
      const { quote, billed } = stage(asked, offer(rows));
      const outputAudio = Math.min(said, share);
      const { cost } = billed({ prompt: 2, completion: said - outputAudio, outputAudio });
      expect(quote.holdNanoUsd >= cost.nanoUsd).toBe(true);
      expect(quote.unpriced).toEqual(usd.audio === undefined ? ['outputAudio'] : []);
    }),
  );
});
