/** Own models with every kind of price a list can show: flat, free, tiered, none. */

const usd = (value: string, conditions?: object): object => ({
  value,
  unit: 'perMTokens',
  currency: 'USD',
  ...(conditions !== undefined && { conditions }),
});
const promptTier = (bounds: object): object => ({ prompt_tokens: { unit: 'kTokens', ...bounds } });

const model = (name: string, pricings: object, members: object = {}): object => ({
  id: `priced/${name}`,
  displayName: `The ${name} one`,
  description: `A model that is ${name}.`,
  created: '2025-03-09',
  contextLength: 64_000,
  maxOutputTokens: 8000,
  endpoints: [{ provider: 'compatible', upstreamModel: name, pricings }],
  ...members,
});

export const PRICED_MODELS: readonly object[] = [
  model('flat', {
    prompt: [usd('1.25')],
    completion: [usd('10')],
    web_search: [{ value: '0.01', unit: 'perCount', currency: 'USD' }],
  }),
  model('free', { prompt: [usd('0')], completion: [usd('0')] }),
  model(
    'tiered',
    {
      prompt: [usd('2', promptTier({ gte: 0, lt: 200 })), usd('4', promptTier({ gte: 200, lt: null }))],
      completion: [usd('12', promptTier({ gte: 0, lt: 200 })), usd('18', promptTier({ gte: 200, lt: null }))],
    },
    {
      inputModalities: ['text', 'image', 'video', 'audio', 'file'],
      capabilities: { thinking: { kind: 'effort', levels: ['low', 'high'] } },
    },
  ),
  model('unpriced', {}),
];
