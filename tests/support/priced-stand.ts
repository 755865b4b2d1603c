/** Models with prices of every form at hosts that report exactly the usage a test names, and accounts with terms. */
import { expect } from 'vitest';
import { openStandBesideCanned, plainAnswer } from './canned-upstream.ts';
import { completion, generated, message } from './messages-canned.ts';
import { KEY, type Stand } from './stand.ts';

export const DISCOUNT_KEY = 'sk-trivium-discount-0123456789abcdefghijklmnopqrs';

const usd = (value: string, prompt_tokens?: object): object => ({
  value,
  unit: 'perMTokens',
  currency: 'USD',
  ...(prompt_tokens !== undefined && { conditions: { prompt_tokens: { unit: 'kTokens', ...prompt_tokens } } }),
});

const MODEL = {
  displayName: 'Priced',
  description: 'A model with prices.',
  created: '2025-03-09',
  inputModalities: ['text', 'file'],
  outputModalities: ['text'],
  contextLength: 2_000_000,
  maxOutputTokens: 100_000,
};
const thinks = (kind: string): object => ({
  capabilities: {
    tools: true,
    structuredOutput: true,
    temperature: true,
    promptCache: 'explicit',
    thinking: { kind, canDisable: true, levels: ['low', 'high'] },
  },
});
const at = (provider: string, dialect: string, pricings: object, members: object = {}): object => ({
  endpoints: [{ provider, dialect, upstreamModel: 'any', pricings, ...members }],
});

const MODELS = [
  {
    id: 'priced/half-open',
    ...MODEL,
    ...thinks('budget'),
    ...at('priced-chat', 'openai-chat', {
      prompt: [usd('2', { gte: 0, lt: 200 }), usd('4', { gte: 200, lt: null })],
      completion: [usd('12', { gte: 0, lt: 200 }), usd('18', { gte: 200, lt: null })],
      input_cache_read: [usd('0.2', { gte: 0, lt: 200 }), usd('0.4', { gte: 200, lt: null })],
    }),
  },
  {
    id: 'priced/closed',
    ...MODEL,
    ...thinks('budget'),
    ...at('priced-chat', 'openai-chat', {
      prompt: [usd('1', { gte: 0, lte: 272 }), usd('2', { gt: 272, lt: null })],
      completion: [usd('8')],
    }),
  },
  {
    id: 'priced/cached',
    ...MODEL,
    ...thinks('budget'),
    ...at('priced-messages', 'anthropic-messages', {
      prompt: [usd('10')],
      completion: [usd('50')],
      input_cache_write_5_min: [usd('12.5')],
      input_cache_write_1_h: [usd('20')],
    }),
  },
  ...(['old', 'new'] as const).map((age) => ({
    id: `priced/${age}-documents`,
    ...MODEL,
    ...thinks(age === 'new' ? 'level' : 'budget'),
    ...at(
      'priced-google',
      'google-generate',
      { prompt: [usd('2')], completion: [usd('12')] },
      { otherPrices: [{ basis: 'pictures', meters: ['inputImage'], pricings: { prompt: [usd('7')] } }] },
    ),
  })),
];

export type PricedStand = Stand & {
  /** The cost header of a call of one model whose host reports this usage, in USD. */
  charge(model: string, usage: object, key?: string): Promise<string | null>;
};

/** Characters for which a million input tokens are plausible. */
const LONG_PROMPT = 130_000;

const ANSWERS: Readonly<Record<string, (usage: object) => object>> = {
  'priced/half-open': (usage) => completion({ content: 'hello' }, 'stop', { usage }),
  'priced/closed': (usage) => completion({ content: 'hello' }, 'stop', { usage }),
  'priced/cached': (usage) => message([{ type: 'text', text: 'hello' }], { usage }),
};

export async function openPricedStand(): Promise<PricedStand> {
  const stand = await openStandBesideCanned((url) => {
    const host = (dialect: string) => ({ dialect, baseUrl: url, credential: 'sk-canned' });
    return {
      alsoHosts: () => ({
        providers: {
          'priced-chat': host('openai-chat'),
          'priced-messages': host('anthropic-messages'),
          'priced-google': host('google-generate'),
        },
        models: MODELS,
      }),
      config: () => ({
        prices: { accounts: { thrifty: -20 } },
        keys: [
          { name: 'test', secret: KEY },
          { name: 'thrifty', secret: DISCOUNT_KEY, account: 'thrifty' },
        ],
      }),
    };
  });
  return {
    ...stand,
    charge: async (model, usage, key = KEY) => {
      const said = ANSWERS[model]?.(usage) ?? { ...generated([{ text: 'hello' }], 'STOP'), usageMetadata: usage };
      stand.say(plainAnswer(said));
      const response = await fetch(`${stand.chatUrl}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        // As long as the reported input is plausible for.
        body: JSON.stringify({ model, messages: [{ role: 'user', content: '字'.repeat(LONG_PROMPT) }] }),
      });
      expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
      return response.headers.get('x-trivium-cost');
    },
  };
}
