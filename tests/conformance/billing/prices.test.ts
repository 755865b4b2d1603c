import { afterAll, beforeAll, expect, test } from 'vitest';
import { entries, LIST_PATHS } from '../../support/model-lists.ts';
import { DISCOUNT_KEY, openPricedStand, type PricedStand } from '../../support/priced-stand.ts';

let stand: PricedStand;
beforeAll(async () => {
  stand = await openPricedStand();
});
afterAll(() => stand.close());

const chat = (prompt_tokens: number, completion_tokens: number, cached_tokens = 0): object => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
  prompt_tokens_details: { cached_tokens },
});

type Item = {
  readonly value: number;
  readonly conditions?: { readonly prompt_tokens?: Record<string, number | null> };
};
type Pricings = Readonly<Record<string, readonly Item[]>>;

const listedPrices = async (id: string, key?: string): Promise<Pricings> => {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const found = (await entries(stand, LIST_PATHS.chat, { headers })).find((entry) => entry['id'] === id);
  expect(found, `${id} is listed`).toBeDefined();
  return found?.['pricings'] as Pricings;
};

test('[L-29] a tier from 200 kTokens begins at 200,000 tokens, cached ones included', async () => {
  expect(await stand.charge('priced/half-open', chat(199_999, 100))).toBe('0.401198');
  expect(await stand.charge('priced/half-open', chat(200_000, 100))).toBe('0.8018');
  // 150,000 × 4 + 50,000 × 0.4
  expect(await stand.charge('priced/half-open', chat(200_000, 0, 50_000))).toBe('0.62');
});

test('[L-29] a tier up to 272 kTokens ends at 272,000 tokens, and the next begins above it', async () => {
  expect(await stand.charge('priced/closed', chat(272_000, 0))).toBe('0.272');
  expect(await stand.charge('priced/closed', chat(272_001, 0))).toBe('0.544002');
});

test('[L-28] the top tier is listed without an upper bound, and a request of any size is charged there', async () => {
  const [, top] = (await listedPrices('priced/half-open'))['prompt'] ?? [];
  expect(top?.conditions?.prompt_tokens).toEqual({ unit: 'kTokens', gte: 200, lt: null });
  // As large as the model's window is; more than that cannot be true.
  expect(await stand.charge('priced/half-open', chat(1_000_000, 0))).toBe('4');
});

test('[L-30] the charge is the usage times the listed price, in each tier', async () => {
  const prices = await listedPrices('priced/half-open');
  for (const [tier, prompt] of [1000, 250_000].entries()) {
    const value = (kind: string) => prices[kind]?.[tier]?.value ?? Number.NaN;
    const expected =
      ((prompt - 300) * value('prompt') + 300 * value('input_cache_read') + 70 * value('completion')) / 1e6;
    expect(Number(await stand.charge('priced/half-open', chat(prompt, 70, 300)))).toBeCloseTo(expected, 9);
  }
});

test('[L-23] an account with a discount is listed, and charged, the price after it', async () => {
  expect((await listedPrices('priced/cached'))['prompt']?.[0]?.value).toBe(10);
  expect((await listedPrices('priced/cached', DISCOUNT_KEY))['prompt']?.[0]?.value).toBe(8);
  const usage = { input_tokens: 1_000_000, output_tokens: 0 };
  expect(await stand.charge('priced/cached', usage)).toBe('10');
  expect(await stand.charge('priced/cached', usage, DISCOUNT_KEY)).toBe('8');
});

test('[M-60] a cache write without a TTL is charged at the 5-minute price, one of an hour at the 1-hour price', async () => {
  const written = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 1000 };
  expect(await stand.charge('priced/cached', written)).toBe('0.0125');
  const hour = { ...written, cache_creation: { ephemeral_1h_input_tokens: 1000, ephemeral_5m_input_tokens: 0 } };
  expect(await stand.charge('priced/cached', hour)).toBe('0.02');
});

test('[GR-25] documents are charged as images on the newest model generation, and as prompt before it', async () => {
  const usage = {
    promptTokenCount: 1100,
    candidatesTokenCount: 0,
    totalTokenCount: 1100,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 100 },
      { modality: 'DOCUMENT', tokenCount: 1000 },
    ],
  };
  expect(await stand.charge('priced/old-documents', usage)).toBe('0.0022');
  expect(await stand.charge('priced/new-documents', usage)).toBe('0.0072');
});
