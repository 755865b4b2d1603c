import type { Produced } from '@trivium/protocol/canonical';
import { findDialect } from '@trivium/protocol/dialects';
import { describe, expect, test } from 'vitest';
import { EndpointRates } from '../../money/prices/rates.ts';
import type { Planned } from '../request.ts';
import { billOf } from './bill.ts';
import { quoteOf } from './quote.ts';

const row = (picoUsd: bigint) => [{ picoUsd, unit: 'perMTokens' }] as const;
const card = new EndpointRates(
  { prices: { prompt: row(10n ** 12n), completion: row(2n * 10n ** 12n) }, otherPrices: [] },
  'v',
);
const rates = card.rates();
const written = (producedPieces: number, producedCharacters: number): Produced => ({
  producedPieces,
  producedCharacters,
});
const planned = (call: () => unknown): Planned =>
  ({ text: 'x'.repeat(400), understanding: { call, responseOptions: {} } }) as unknown as Planned;
const unreadable = planned(() => {
  throw new Error('no such call');
});

test("the upstream's figures are the bill", () => {
  const bill = billOf(
    unreadable,
    { usage: { prompt: 10, completion: 5 }, reported: true, ...written(200, 999) },
    rates,
  );
  expect(bill).toMatchObject({ usage: { prompt: 10, completion: 5 }, estimated: false, cost: { nanoUsd: 20_000n } });
});

test('an answer that was cut short is charged for the part that arrived, and marked as an estimate', () => {
  const bill = billOf(unreadable, { usage: { prompt: 10 }, reported: true, ...written(11, 66) }, rates);
  expect(bill).toMatchObject({ usage: { prompt: 10, completion: 11 }, estimated: true, cost: { nanoUsd: 32_000n } });
});

test('a host that reports no usage is always charged by our own estimate', () => {
  const bill = billOf(unreadable, { usage: {}, reported: false, ...written(1, 4) }, rates);
  expect(bill).toMatchObject({ usage: { prompt: 100, completion: 1 }, estimated: true });
});

describe('the hold covers every candidate', () => {
  const dialect = findDialect('google-generate')!;
  const plan = [{ dialect, card, route: { maxOutputTokens: 0 }, facts: { model: {} } }];
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  const holdFor = (text: string, more: object = {}): bigint => {
    const understanding = dialect.server.understand(JSON.parse(text), { model: 'm', header: () => undefined });
    const { holdNanoUsd } = quoteOf({ dialect, text, understanding, plan, ...more } as unknown as Planned, undefined);
    return holdNanoUsd - BigInt(Math.ceil(text.length / 2)) * 1000n;
  };

  test.each([
    [{ maxOutputTokens: 100 }, 100n],
    [{ maxOutputTokens: 100, candidateCount: 1 }, 100n],
    [{ maxOutputTokens: 100, candidateCount: 8 }, 800n],
    [{ max_output_tokens: 100, candidate_count: 3 }, 300n],
  ])('of the request %j', (generationConfig, tokens) => {
    expect(holdFor(JSON.stringify({ contents, generationConfig }))).toBe(tokens * 2000n);
  });
  test('however their number is written, and in a body that another thread has parsed', () => {
    const text = JSON.stringify({ contents, generationConfig: { maxOutputTokens: 100, candidateCount: 2 } });
    expect(holdFor(text.replace('candidateCount', '\\u0063andidateCount'))).toBe(200n * 2000n);
    expect(holdFor(text, { onWorker: { figures: { inputTokens: 1, candidates: 2 } } })).toBe(200n * 2000n);
  });
});

test.each(['audio', 'video'])(
  'the hold of a request with %s is at the price of audio, where that is higher',
  (kind) => {
    const prices = { prompt: row(10n ** 12n), completion: row(2n * 10n ** 12n), audio: row(40n * 10n ** 12n) };
    const heard = new EndpointRates({ prices, otherPrices: [] }, 'v');
    const holdFor = (media: readonly object[]): bigint => {
      const understanding = {
        call: () => ({ operation: 'text', system: [], turns: [], tools: [] }),
        media,
        responseOptions: {},
      };
      const dialect = { operation: 'text', stances: {} };
      const plan = [
        { dialect: findDialect('openai-chat'), card: heard, route: {}, facts: { model: { thinking: {} } } },
      ];
      const quote = { dialect, text: 'x'.repeat(400), understanding: { ...understanding, maxOutputTokens: 0 }, plan };
      return quoteOf(quote as unknown as Planned, undefined).holdNanoUsd;
    };
    expect(holdFor([])).toBe(200_000n);
    expect(holdFor([{ kind }])).toBe(8_000_000n);
    expect(holdFor([{ kind: 'image' }])).toBe(200_000n);
  },
);
