import { expect, test } from 'vitest';
import type { ExactPrices } from '../../kernel/price.ts';
import type { Endpoint, Model } from '../catalogue/model.ts';
import { routeFacts } from './route-facts.ts';

const row = (picoUsd: bigint) => ({ picoUsd, unit: 'perMTokens' }) as const;
const at = (provider: string, prices: ExactPrices = {}): Endpoint =>
  ({ provider, prices, contextLength: 10 }) as unknown as Endpoint;
const model = (endpoints: readonly Endpoint[], more: object = {}): Model =>
  ({
    owner: 'maker',
    endpoints,
    contextLength: 20,
    maxOutputTokens: 5,
    outputModalities: ['text'],
    ...more,
  }) as unknown as Model;

test('the blended price is three parts input and one part output, by the first tier', () => {
  const endpoint = at('x', { prompt: [row(2n), row(9n)], completion: [row(10n)] });
  expect(routeFacts(model([endpoint]), endpoint, false)).toEqual({
    isMaker: false,
    picoUsd: 16n,
    promptPicoUsd: 2n,
    completionPicoUsd: 10n,
    cacheReadPicoUsd: undefined,
    contextLength: 10,
    maxOutputTokens: 5,
  });
});

test('a model without an output price is unpriced, except for one that only reads; 0 is a price, too', () => {
  const half = at('x', { prompt: [row(2n)] });
  expect(routeFacts(model([half]), half, false).picoUsd).toBeUndefined();
  expect(routeFacts(model([half], { outputModalities: ['embedding'] }), half, false).picoUsd).toBe(6n);
  const free = at('x', { prompt: [row(0n)], completion: [row(0n)] });
  expect(routeFacts(model([free]), free, false).picoUsd).toBe(0n);
});

test('the maker is a host of its own models: the owner by name, or the host the catalogue lists first', () => {
  const [first, owner, other] = [at('maker-cloud'), at('maker'), at('another-home')];
  const one = model([first, owner, other]);
  expect([first, owner, other].map((endpoint) => routeFacts(one, endpoint, true).isMaker)).toEqual([true, true, false]);
  expect(routeFacts(one, owner, false).isMaker).toBe(false);
});
