import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { modelCard, modelCards } from './card.ts';
import { loadCatalogue } from './load.ts';
import { describeProblem } from './problem.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const usd = (value: string, conditions?: object) => ({
  value,
  unit: 'perMTokens',
  currency: 'USD',
  ...(conditions === undefined ? {} : { conditions }),
});
const prompt = (range: object) => ({ prompt_tokens: { unit: 'kTokens', ...range } });

const endpoint = (changes: object = {}) => ({
  provider: 'acme',
  dialect: 'openai-chat',
  upstreamModel: 'one',
  pricings: { prompt: [usd('1')], completion: [usd('2.5')] },
  ...changes,
});

const model = (changes: object = {}) => ({
  id: 'lab/one',
  displayName: 'One',
  description: 'The first.',
  created: '2026-02-28',
  inputModalities: ['text'],
  outputModalities: ['text'],
  reasoning: false,
  contextLength: 1000,
  maxOutputTokens: 100,
  capabilities: {
    tools: true,
    structuredOutput: true,
    temperature: true,
    promptCache: 'none',
    thinking: { kind: 'none' },
  },
  endpoints: [endpoint()],
  ...changes,
});

const file = (...models: object[]) => ({ owner: 'lab', asOf: '2026-11-14', models });

const load = async (files: Record<string, unknown>, overrides?: unknown) => {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  folders.push(folder);
  for (const [name, data] of Object.entries(files)) {
    await writeFile(join(folder, name), typeof data === 'string' ? data : JSON.stringify(data));
  }
  return loadCatalogue({
    directory: pathToFileURL(`${folder}/`),
    knownProviders: new Set(['acme', 'other']),
    overridesName: 'trivium.yaml',
    ...(overrides === undefined ? {} : { overrides }),
  });
};

const problemsOf = async (data: object) => (await load({ 'lab.json': data })).problems.map(describeProblem);
const problemsOfPrices = (pricings: object) => problemsOf(file(model({ endpoints: [endpoint({ pricings })] })));

describe('a good catalogue', () => {
  test('has no problem and is frozen to the last leaf', async () => {
    const { snapshot, problems } = await load({ 'lab.json': file(model()) });
    expect(problems).toEqual([]);
    const first = snapshot.find('lab/one');
    expect(Object.isFrozen(snapshot.models)).toBe(true);
    expect(Object.isFrozen(first?.endpoints[0]?.prices.prompt?.[0])).toBe(true);
    expect(() => Object.assign(first ?? {}, { displayName: 'x' })).toThrow(TypeError);
  });

  test('distinguishes retired models from unknown ones and serves neither', async () => {
    const ended = { retired: true, retiring: '2026-10-01', successor: 'lab/one' };
    const old = model({ id: 'lab/old', ...ended, aliases: ['lab/older', 'oldest'] });
    const { snapshot, problems } = await load({ 'lab.json': file(model(), old) });
    expect(problems).toEqual([]);
    expect(snapshot.models.map((each) => each.id)).toEqual(['lab/one']);
    expect(snapshot.find('lab/old')).toBeUndefined();
    expect(snapshot.lookup('lab/older')).toEqual({
      kind: 'retired',
      id: 'lab/old',
      day: '2026-10-01',
      successor: 'lab/one',
    });
    expect(snapshot.lookup('lab/oldest')).toMatchObject({ kind: 'retired', id: 'lab/old' });
    expect(snapshot.lookup('lab/never')).toEqual({ kind: 'unknown' });
    expect(snapshot.lookup('lab/one').kind).toBe('served');
  });
});

describe('names', () => {
  test('are found bare and with their owner; an id wins over what an alias implies', async () => {
    const two = model({ id: 'lab/1', aliases: ['two'] });
    const { snapshot, problems } = await load({ 'lab.json': file(model({ aliases: ['uno', '1'] }), two) });
    expect(problems).toEqual([]);
    expect(['uno', 'lab/uno', '1', 'lab/1', 'lab/two'].map((name) => snapshot.find(name)?.id)).toEqual([
      'lab/one',
      'lab/one',
      'lab/one',
      'lab/1',
      'lab/1',
    ]);
  });

  test('belong to one model only, and an operator’s own model takes precedence over a shipped alias', async () => {
    const shipped = file(model({ aliases: ['uno'] }), model({ id: 'lab/two', aliases: ['uno'] }));
    expect(await problemsOf(shipped)).toEqual(['lab.json: models[1]: "uno" is already taken by lab.json: models[0]']);
    const own = { models: [model({ id: 'home/own', aliases: ['uno'] })] };
    const { snapshot, problems } = await load({ 'lab.json': file(model({ aliases: ['uno', 'eins'] })) }, own);
    expect(problems).toEqual([]);
    expect(snapshot.find('uno')?.id).toBe('home/own');
    expect(snapshot.find('lab/one')?.aliases).toEqual(['eins']);
  });

  test('of retired models have a day and a served successor', async () => {
    const gone = (changes: object) => ({ names: ['zero'], day: '2025-01-31', successor: 'lab/one', ...changes });
    const withGone = (changes: object) => ({ ...file(model({ aliases: ['uno'] })), retiredNames: [gone(changes)] });
    const { snapshot } = await load({ 'lab.json': withGone({}) });
    const found = { kind: 'retired', id: 'lab/zero', day: '2025-01-31', successor: 'lab/one' };
    expect([snapshot.lookup('zero'), snapshot.lookup('lab/zero')]).toEqual([found, found]);
    expect(await problemsOf(withGone({ successor: 'lab/none' }))).toEqual([
      'lab.json: retiredNames[0]: successor "lab/none" is not a served model',
    ]);
    expect(await problemsOf(withGone({ names: ['uno'] }))).toEqual([
      'lab.json: retiredNames[0]: "uno" is already taken',
    ]);
    expect(await problemsOf(withGone({ day: '2027-01-01' }))).toHaveLength(1);
    expect(await problemsOf(file(model({ retired: true, retiring: '2026-10-01' })))).toEqual([
      'lab.json: models[0].successor: is missing: callers of a retired model need to know what to use',
    ]);
  });

  test('may be wildcards, in an operator’s own models only', async () => {
    expect(await problemsOf(file(model({ id: 'lab/*' })))).toEqual([
      'lab.json: models[0].id: must be <owner>/<name>, in plain characters',
    ]);
    const wildcard = (changes: object) => ({ models: [model({ id: 'home/*', ...changes })] });
    const own = async (changes: object) =>
      (await load({ 'lab.json': file(model()) }, wildcard(changes))).problems.map(describeProblem);
    expect(await own({ endpoints: [endpoint({ upstreamModel: '*' })] })).toEqual([]);
    expect(await own({ aliases: ['any'] })).toEqual([
      'trivium.yaml: models[0].aliases: is not for a wildcard',
      'trivium.yaml: models[0].endpoints[0].upstreamModel: must hold "*", where the name is put',
    ]);
  });

  test('of a model without a known price are marked as unpriced', async () => {
    expect(await problemsOf(file(model({ endpoints: [endpoint({ pricings: {}, unpriced: true })] })))).toEqual([]);
    expect(await problemsOf(file(model({ endpoints: [endpoint({ unpriced: true })] })))).toEqual([
      'lab.json: models[0].endpoints[0].unpriced: contradicts pricings',
    ]);
  });
});

describe('the checker names the exact path', () => {
  test.each([
    [
      { inputModalities: ['smell'] },
      'lab.json: models[0].inputModalities[0]: must be one of text, image, video, audio, file',
    ],
    [{ id: 'other/one' }, 'lab.json: models[0].id: belongs to "other", this file to "lab"'],
    [{ id: 'lab/' }, 'lab.json: models[0].id: must be <owner>/<name>, in plain characters'],
    [{ created: '2026-02-30' }, 'lab.json: models[0].created: is not a day of the calendar'],
    [{ created: '2026-12-24' }, "lab.json: models[0].created: lies after the file's asOf (2026-11-14)"],
    [{ retired: true }, 'lab.json: models[0].retiring: is missing: a retired model needs the day it ended'],
    [
      { retiring: '2026-11-14' },
      "lab.json: models[0].retiring: is not after the file's asOf (2026-11-14): mark the model as retired",
    ],
    [{ reasoning: true }, 'lab.json: models[0].reasoning: contradicts capabilities.thinking.kind "none"'],
    [{ contextLength: undefined }, 'lab.json: models[0].contextLength: is missing: the model writes text'],
    [{ contextLength: 10 }, 'lab.json: models[0].maxOutputTokens: is larger than contextLength'],
    [{ contextLength: 1e9 }, 'lab.json: models[0].contextLength: must be <= 100000000'],
    [{ colour: 'red' }, 'lab.json: models[0].colour: is not a known field'],
    [{ displayName: undefined }, 'lab.json: models[0].displayName: is missing'],
    [
      { endpoints: [endpoint({ dialect: 'telex' })] },
      'lab.json: models[0].endpoints[0].dialect: "telex" is not a known wire format',
    ],
    [
      { endpoints: [endpoint(), endpoint()] },
      'lab.json: models[0].endpoints[1]: is a second endpoint for acme openai-chat',
    ],
    [
      { endpoints: [endpoint({ pricings: { prompt: [usd('1')] } })] },
      'lab.json: models[0].endpoints[0].pricings.completion: is missing: the model writes text',
    ],
  ])('%j', async (change, problem) => {
    expect(await problemsOf(file(model(change)))).toEqual([problem]);
  });

  test('finds duplicate ids', async () => {
    const problems = await problemsOf(file(model(), model({ id: 'lab/two', aliases: ['lab/one'] })));
    expect(problems).toEqual(['lab.json: models[1]: "lab/one" is already taken by lab.json: models[0]']);
  });

  test('says which file is not JSON, and which is misnamed', async () => {
    const { problems, snapshot } = await load({ 'bad.json': '{', 'wrong.json': file(model()) });
    expect(problems.map(describeProblem)).toEqual([
      expect.stringMatching(/^bad\.json: is not JSON/),
      'wrong.json: owner: is "lab", so the file should be lab.json',
    ]);
    expect(snapshot.models).toHaveLength(1);
  });

  test('leaves out the invalid model and keeps the others', async () => {
    const { snapshot } = await load({ 'lab.json': file(model({ created: '2026-13-01' }), model({ id: 'lab/two' })) });
    expect(snapshot.models.map((each) => each.id)).toEqual(['lab/two']);
  });
});

describe('prices', () => {
  const place = 'lab.json: models[0].endpoints[0].pricings';
  const completion = [usd('1')];

  test.each([
    [[{ ...usd('1'), unit: 'perDay' }], `${place}.prompt[0].unit: must be one of perMTokens, perCount, perSecond`],
    [[{ ...usd('1'), unit: 'perSecond' }], `${place}.prompt[0].unit: does not fit prompt: perMTokens, perCount`],
    [[{ ...usd('1'), currency: 'EUR' }], `${place}.prompt[0].currency: must be one of USD`],
    [[{ ...usd('1'), value: 1 }], `${place}.prompt[0].value: must be string`],
    [[usd('0.0000000000001')], `${place}.prompt[0].value: has more than 12 decimal places`],
    [
      [usd('1', prompt({ gt: 5, lt: null }))],
      `${place}.prompt: no tier covers a prompt of 0k and a completion of 0k tokens`,
    ],
    [
      [usd('1', prompt({ gte: 0, lt: 200 })), usd('2', prompt({ gt: 200, lt: null }))],
      `${place}.prompt: no tier covers a prompt of 200k and a completion of 0k tokens`,
    ],
    [
      [usd('1', prompt({ gte: 0, lte: 200 })), usd('2', prompt({ gte: 200, lt: null }))],
      `${place}.prompt: 2 tiers overlap at a prompt of 200k and a completion of 0k tokens`,
    ],
    [[usd('1'), usd('2')], `${place}.prompt: 2 tiers overlap at a prompt of 0k and a completion of 0k tokens`],
  ])('%j', async (items, problem) => {
    expect(await problemsOfPrices({ prompt: items, completion })).toEqual([problem]);
  });

  test('accepts tiers that meet, in either spelling and over two sizes', async () => {
    const both = (a: object, b: object) => ({ ...prompt(a), completion_tokens: { unit: 'kTokens', ...b } });
    const tiers = [
      usd('1', prompt({ gte: 0, lt: 32 })),
      usd('2', both({ gte: 32 }, { lte: 8 })),
      usd('3', both({ gte: 32 }, { gt: 8, lt: null })),
    ];
    expect(await problemsOfPrices({ prompt: tiers, completion })).toEqual([]);
  });
});

describe('operator overrides', () => {
  const shipped = { 'lab.json': file(model(), model({ id: 'lab/two' })) };

  test('add, replace, hide and rename', async () => {
    const { snapshot, problems } = await load(shipped, {
      models: [model({ displayName: 'Mine' }), model({ id: 'home/own' })],
      changes: { 'lab/two': { hide: true }, 'home/own': { aliases: ['home/default'] } },
    });
    expect(problems).toEqual([]);
    expect(snapshot.models.map((each) => each.id)).toEqual(['lab/one', 'home/own']);
    expect(snapshot.find('lab/one')?.displayName).toBe('Mine');
    expect(snapshot.find('home/default')?.id).toBe('home/own');
    expect(snapshot.lookup('lab/two')).toEqual({ kind: 'unknown' });
  });

  test('put their endpoints first, and change prices kind by kind', async () => {
    const { snapshot, problems } = await load(shipped, {
      changes: {
        'lab/one': {
          endpoints: [endpoint({ provider: 'other' })],
          prices: [{ provider: 'acme', pricings: { prompt: [usd('0.5')] } }],
        },
      },
    });
    expect(problems).toEqual([]);
    const endpoints = snapshot.find('lab/one')?.endpoints ?? [];
    expect(endpoints.map((each) => each.provider)).toEqual(['other', 'acme']);
    expect(endpoints[1]?.prices.prompt?.[0]?.picoUsd).toBe(500_000_000_000n);
    expect(endpoints[1]?.prices.completion?.[0]?.picoUsd).toBe(2_500_000_000_000n);
    expect(endpoints[0]?.prices.prompt?.[0]?.picoUsd).toBe(10n ** 12n);
  });

  test.each([
    [{ changes: { 'lab/none': { hide: true } } }, 'changes["lab/none"]: names a model that is not in the catalogue'],
    [
      { changes: { 'lab/one': { endpoints: [endpoint({ provider: 'nowhere' })] } } },
      'changes["lab/one"].endpoints[0].provider: no such host: "nowhere"',
    ],
    [
      { changes: { 'lab/one': { prices: [{ provider: 'other', pricings: { prompt: [usd('1')] } }] } } },
      'changes["lab/one"].prices[0]: lab/one has no endpoint at other that this could refer to',
    ],
    [{ models: [model({ id: 'x/y' }), model({ id: 'x/y' })] }, 'models[1].id: "x/y" is listed twice'],
    [{ hide: ['lab/one'] }, 'hide: is not a known field'],
  ])('%j is refused whole', async (overrides, problem) => {
    const { problems, snapshot } = await load(shipped, overrides);
    expect(problems.map(describeProblem)).toEqual([`trivium.yaml: ${problem}`]);
    expect(snapshot.models).toHaveLength(2);
  });
});

describe('cards', () => {
  const tiers = [usd('1', prompt({ gte: 0, lte: 200 })), usd('2', prompt({ gt: 200, lt: null }))];
  const two = model({
    retiring: '2027-01-31',
    endpoints: [
      endpoint(),
      endpoint({ provider: 'other', contextLength: 500, pricings: { prompt: tiers, completion: [usd('0')] } }),
    ],
  });
  const atOther = (each: { provider: string }) => each.provider === 'other';

  test('show the first callable endpoint’s prices and limits', async () => {
    const { snapshot } = await load({ 'lab.json': file(two) });
    const card = modelCards(snapshot, atOther)[0];
    expect(card?.contextLength).toBe(500);
    expect(card?.pricings).toEqual({
      prompt: [
        { value: 1, unit: 'perMTokens', currency: 'USD', conditions: prompt({ gte: 0, lte: 200 }) },
        { value: 2, unit: 'perMTokens', currency: 'USD', conditions: prompt({ gt: 200, lt: null }) },
      ],
      completion: [{ value: 0, unit: 'perMTokens', currency: 'USD' }],
    });
  });

  test('mark a retiring model in name and description', async () => {
    const { snapshot } = await load({ 'lab.json': file(two) });
    expect(modelCards(snapshot, () => true)[0]).toMatchObject({
      displayName: 'One (retiring 2027-01-31)',
      description: 'The first. Its vendor retires it on 2027-01-31.',
      retiring: '2027-01-31',
    });
  });

  test('exist only for models that can be called', async () => {
    const { snapshot } = await load({ 'lab.json': file(two, model({ id: 'lab/two' })) });
    expect(modelCards(snapshot, atOther).map((each) => each.id)).toEqual(['lab/one']);
    expect(modelCards(snapshot, () => false)).toEqual([]);
    const second = snapshot.find('lab/two');
    expect(second && modelCard(second, atOther)).toBeUndefined();
  });

  test('show what the account pays', async () => {
    const { snapshot } = await load({ 'lab.json': file(model()) });
    const card = modelCards(
      snapshot,
      () => true,
      (pico) => (pico * 80n) / 100n,
    )[0];
    expect(card?.pricings.prompt?.[0]?.value).toBe(0.8);
    expect(card?.pricings.completion?.[0]?.value).toBe(2);
  });

  test('require limits with a source of endpoints that make images, and refuse them for others', async () => {
    const prices = { pricings: { image: [{ ...usd('0.04'), unit: 'perCount' }] } };
    const making = { outputModalities: ['image'], contextLength: undefined, maxOutputTokens: undefined };
    const problemsOf = async (own: object, limits: object): Promise<readonly string[]> => {
      const { problems } = await load({ 'lab.json': file(model({ ...own, endpoints: [endpoint(limits)] })) });
      return problems.map(({ path, message }) => `${path}: ${message}`);
    };
    expect(await problemsOf(making, prices)).toEqual([
      'models[0].endpoints[0].image: is missing: the model makes images',
    ]);
    expect(await problemsOf(making, { ...prices, image: { imagesMax: 4 } })).toEqual([
      'models[0].endpoints[0].image.source: is missing',
    ]);
    expect(await problemsOf({}, { image: { imagesMax: 4, source: 'a page' } })).toEqual([
      'models[0].endpoints[0].image: is for models that make images',
    ]);
  });

  test('say 0 for limits a model does not have', async () => {
    const image = {
      outputModalities: ['image'],
      contextLength: undefined,
      maxOutputTokens: undefined,
      endpoints: [
        endpoint({
          pricings: { image: [{ ...usd('0.04'), unit: 'perCount' }] },
          image: { imagesMax: 1, source: 'a page' },
        }),
      ],
    };
    const { snapshot, problems } = await load({ 'lab.json': file(model(image)) });
    expect(problems).toEqual([]);
    expect(modelCards(snapshot, () => true)[0]).toMatchObject({ contextLength: 0, maxOutputTokens: 0 });
  });
});
