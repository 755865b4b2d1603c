import { loadCatalogue, loadConfig, ownProviders, providerSet } from '@trivium/gateway';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listed, listedModels } from '../../support/model-lists.ts';
import { PRICED_MODELS } from '../../support/priced-models.ts';
import { openStand, type Stand } from '../../support/stand.ts';

const METERS = [
  'prompt',
  'completion',
  'input_cache_read',
  'input_cache_write_5_min',
  'input_cache_write_1_h',
  'input_cache_write',
  'web_search',
  'internal_reasoning',
  'video',
  'image',
  'audio',
  'audio_and_video',
];

type PriceItem = Readonly<Record<string, unknown>>;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }) });
});
afterAll(() => stand.close());

const pricingsOf = async (id: string): Promise<unknown> => (await listed(stand, id)).chat['pricings'];

async function everyItem(): Promise<readonly PriceItem[]> {
  const models = await listedModels(stand);
  const items = models.flatMap(({ chat }) => Object.values(chat['pricings'] as Record<string, PriceItem[]>).flat());
  expect(items.length).toBeGreaterThan(12);
  return items;
}

const loadModel = (members: object) =>
  loadConfig({
    env: {},
    text: JSON.stringify({
      keys: [],
      providers: { own: { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1' } },
      models: [{ id: 'own/one', endpoints: [{ provider: 'own' }], ...members }],
    }),
  });

/** The configuration loader's problems with one model in a valid configuration. */
function problemsOf(members: object): readonly string[] {
  const outcome = loadModel(members);
  return 'problems' in outcome ? outcome.problems.map(({ path }) => path) : [];
}

/** The catalogue's problems (it reads prices) with an endpoint of the right form. */
async function catalogueProblemsOf(members: object): Promise<readonly string[]> {
  const outcome = loadModel({ endpoints: [{ provider: 'own', ...members }] });
  if ('problems' in outcome) throw new Error('the form is already wrong');
  const knownProviders = providerSet(ownProviders(outcome.config)).ids;
  const { problems } = await loadCatalogue({ knownProviders, overrides: outcome.config.catalogue });
  return problems.map(({ path }) => path);
}

test('[L-19] modalities are among the five known values; another is refused at load', async () => {
  const words = new Set(
    (await listedModels(stand)).flatMap(({ chat, messages, genai }) => [
      ...(chat['input_modalities'] as string[]),
      ...(chat['output_modalities'] as string[]),
      ...(messages['input_modalities'] as string[]),
      ...(messages['output_modalities'] as string[]),
      ...(genai['inputModalities'] as string[]),
      ...(genai['outputModalities'] as string[]),
    ]),
  );
  for (const word of words) expect(['text', 'image', 'video', 'audio', 'file']).toContain(word);
  expect(problemsOf({ inputModalities: ['text', 'video'] })).toEqual([]);
  expect(problemsOf({ inputModalities: ['text', 'smell'] })).toEqual([
    expect.stringMatching(/^models\[0\]\.inputModalities/),
  ]);
  expect(problemsOf({ outputModalities: ['smell'] })).toEqual([
    expect.stringMatching(/^models\[0\]\.outputModalities/),
  ]);
});

test('[L-20] pricings holds only known usage dimensions, each a list; dimensions that a model lacks are omitted', async () => {
  for (const { chat } of await listedModels(stand))
    for (const [meter, items] of Object.entries(chat['pricings'] as object)) {
      expect(METERS).toContain(meter);
      expect(items).toEqual(expect.arrayContaining([expect.any(Object)]));
    }
  expect(Object.keys((await pricingsOf('priced/flat')) as object).sort()).toEqual([
    'completion',
    'prompt',
    'web_search',
  ]);
  expect(await pricingsOf('priced/unpriced')).toEqual({});
  const unknownMeter = {
    endpoints: [{ provider: 'own', pricings: { per_smell: [{ value: '1', unit: 'perCount', currency: 'USD' }] } }],
  };
  expect(problemsOf(unknownMeter)).toEqual([expect.stringContaining('pricings')]);
});

test('[L-21] all three lists show the same prices', async () => {
  for (const { chat, messages, genai } of await listedModels(stand)) {
    expect(messages['pricings']).toEqual(chat['pricings']);
    expect(genai['pricings']).toEqual(chat['pricings']);
  }
  expect(await pricingsOf('priced/flat')).toEqual({
    prompt: [{ value: 1.25, unit: 'perMTokens', currency: 'USD' }],
    completion: [{ value: 10, unit: 'perMTokens', currency: 'USD' }],
    web_search: [{ value: 0.01, unit: 'perCount', currency: 'USD' }],
  });
});

test('[L-22] a price is a number of at least 0, and 0 for a free model', async () => {
  for (const { value } of await everyItem()) {
    expect(typeof value).toBe('number');
    expect(value).toBeGreaterThanOrEqual(0);
  }
  const free = { value: 0, unit: 'perMTokens', currency: 'USD' };
  expect(await pricingsOf('priced/free')).toEqual({ prompt: [free], completion: [free] });
  const priceOf = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
  const withPrompt = (value: string): object => ({ pricings: { prompt: priceOf(value), completion: priceOf('1') } });
  expect(await catalogueProblemsOf(withPrompt('0'))).toEqual([]);
  expect(await catalogueProblemsOf(withPrompt('-1'))).toEqual([expect.stringContaining('pricings.prompt[0].value')]);
});

test('[L-24] [L-25] unit is one of three and currency USD; others are refused at load', async () => {
  const items = await everyItem();
  for (const { unit, currency } of items)
    expect([['perMTokens', 'perCount', 'perSecond'], 'USD']).toEqual([expect.arrayContaining([unit]), currency]);
  expect(new Set(items.map(({ unit }) => unit)).size).toBeGreaterThan(1);
  const withItem = (item: object): object => ({ endpoints: [{ provider: 'own', pricings: { video: [item] } }] });
  expect(problemsOf(withItem({ value: '1', unit: 'perSecond', currency: 'USD' }))).toEqual([]);
  expect(problemsOf(withItem({ value: '1', unit: 'perDay', currency: 'USD' }))).toEqual([
    expect.stringContaining('pricings.video[0].unit'),
  ]);
  expect(problemsOf(withItem({ value: '1', unit: 'perSecond', currency: 'EUR' }))).toEqual([
    expect.stringContaining('pricings.video[0].currency'),
  ]);
});

test('[L-26] conditions are absent on flat prices and present on every tier', async () => {
  const flat = (await pricingsOf('priced/flat')) as Record<string, PriceItem[]>;
  for (const item of Object.values(flat).flat()) expect('conditions' in item).toBe(false);
  const tiered = (await pricingsOf('priced/tiered')) as Record<string, PriceItem[]>;
  expect(tiered['prompt']).toHaveLength(2);
  for (const item of Object.values(tiered).flat()) expect(item['conditions']).toBeDefined();
});

test('[L-27] conditions name token counts in kTokens with numeric bounds', async () => {
  const conditions = (await everyItem()).flatMap(({ conditions: own }) =>
    own === undefined ? [] : [own as Record<string, Record<string, unknown>>],
  );
  expect(conditions.length).toBeGreaterThan(0);
  for (const own of conditions) {
    expect(Object.keys(own).length).toBeGreaterThan(0);
    for (const [dimension, { unit, ...bounds }] of Object.entries(own)) {
      expect(['prompt_tokens', 'completion_tokens']).toContain(dimension);
      expect(unit).toBe('kTokens');
      expect(Object.keys(bounds).length).toBeGreaterThan(0);
      for (const [bound, value] of Object.entries(bounds)) {
        expect(['gte', 'lte', 'gt', 'lt']).toContain(bound);
        expect(value === null || typeof value === 'number').toBe(true);
      }
    }
  }
  const { prompt } = (await pricingsOf('priced/tiered')) as Record<string, PriceItem[]>;
  expect(prompt).toEqual([
    {
      value: 2,
      unit: 'perMTokens',
      currency: 'USD',
      conditions: { prompt_tokens: { unit: 'kTokens', gte: 0, lt: 200 } },
    },
    {
      value: 4,
      unit: 'perMTokens',
      currency: 'USD',
      conditions: { prompt_tokens: { unit: 'kTokens', gte: 200, lt: null } },
    },
  ]);
});
