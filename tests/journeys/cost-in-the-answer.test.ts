// A caller who asks for usage gets the cost of the request, in every form of answer, and is charged that.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CannedStand, openStandBesideCanned, plainAnswer } from '../support/canned-upstream.ts';
import { completion, message } from '../support/messages-canned.ts';
import { postChat } from '../support/stand.ts';

const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
const model = (id: string, provider: string, pricings: object): object => ({
  id,
  contextLength: 128_000,
  maxOutputTokens: 16_384,
  endpoints: [{ provider, upstreamModel: 'any', pricings }],
});
const PRICES = { prompt: usd('3'), completion: usd('15') };

let stand: CannedStand;
beforeAll(async () => {
  stand = await openStandBesideCanned((url) => ({
    alsoHosts: () => ({
      providers: {
        canned: { dialect: 'anthropic-messages', baseUrl: url, credential: 'sk-canned' },
        reseller: { dialect: 'openai-chat', baseUrl: url, credential: 'sk-canned' },
      },
      models: [
        model('cost/verbatim', 'compatible', PRICES),
        model('cost/translated', 'nameless', PRICES),
        model('cost/unpriced', 'compatible', {}),
        model('cost/untold', 'canned', PRICES),
        model('cost/resold', 'reseller', {}),
        model('cost/free', 'compatible', { prompt: usd('0'), completion: usd('0') }),
      ],
    }),
  }));
});
afterAll(() => stand.close());

type Usage = { readonly prompt_tokens: number; readonly completion_tokens: number; readonly cost?: number };

const ask = (name: string, members: object = {}) =>
  // The second host cannot read a name on a message, so the answer is rebuilt.
  postChat(stand, { model: name, messages: [{ role: 'user', name: 'ann', content: 'Hello' }], ...members });
const usageOf = (text: string): Usage =>
  text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => (JSON.parse(frame.slice('data: '.length)) as { usage?: Usage }).usage)
    .findLast((usage) => usage != null) as Usage;
const costOf = ({ prompt_tokens, completion_tokens }: Usage): number =>
  Number(((prompt_tokens * 3 + completion_tokens * 15) / 1e6).toFixed(9));

describe.each(['verbatim', 'translated'])('%s', (lane) => {
  test('a whole answer has its cost in usage and in a header', async () => {
    const { json, headers } = await ask(`cost/${lane}`, { usage: { include: true } });
    const usage = json['usage'] as Usage;
    expect(usage.cost).toBe(costOf(usage));
    expect(usage.cost).toBeGreaterThan(0);
    expect(Number(headers.get('x-trivium-cost'))).toBe(usage.cost);
    expect(stand.records.at(-1)).toMatchObject({ lane, bill: { estimated: false, cost: { unpriced: [] } } });
  });

  test('a stream has its cost in the usage chunk, and the record in its bill', async () => {
    const usage = usageOf((await ask(`cost/${lane}`, { usage: { include: true }, stream: true })).text);
    expect(usage.cost).toBe(costOf(usage));
    expect(Number(stand.records.at(-1)?.bill?.cost.nanoUsd) / 1e9).toBe(usage.cost);
  });

  test('the body has no cost unless the caller asks for usage', async () => {
    const { json, headers } = await ask(`cost/${lane}`);
    expect(json['usage']).not.toHaveProperty('cost');
    expect(headers.get('x-trivium-cost')).toMatch(/^0\.\d+$/);
    const streamed = await ask(`cost/${lane}`, { stream: true, stream_options: { include_usage: true } });
    expect(usageOf(streamed.text)).not.toHaveProperty('cost');
  });
});

test('a model without a price has no cost, which is not a cost of zero', async () => {
  const unpriced = await ask('cost/unpriced', { usage: { include: true } });
  expect(unpriced.headers.get('x-trivium-cost')).toBeNull();
  expect(unpriced.json['usage']).not.toHaveProperty('cost');
  expect(stand.records.at(-1)?.bill?.cost.unpriced).toEqual(['prompt', 'completion']);
  const free = await ask('cost/free', { usage: { include: true } });
  expect(free.headers.get('x-trivium-cost')).toBe('0');
  expect(free.json['usage']).toMatchObject({ cost: 0 });
});

test('the host’s own cost is never shown as the caller’s cost', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 7 };
  stand.say(plainAnswer(completion({ content: 'hello' }, 'stop', { usage })));
  const { cost: _, ...counts } = usage;
  expect((await ask('cost/resold', { usage: { include: true } })).json['usage']).toEqual(counts);
});

test.each([
  ['nothing', {}],
  ['only the input', { input_tokens: 10 }],
])('where the host has counted %s, the body has no cost and the header has the estimate', async (_case, usage) => {
  stand.say(plainAnswer(message([{ type: 'text', text: 'hello' }], { usage })));
  const { json, headers } = await ask('cost/untold', { usage: { include: true } });
  expect(json['usage']).not.toHaveProperty('cost');
  const { bill } = stand.records.at(-1) ?? {};
  expect(bill).toMatchObject({ estimated: true });
  expect(Number(headers.get('x-trivium-cost')) * 1e9).toBeCloseTo(Number(bill?.cost.nanoUsd));
});
