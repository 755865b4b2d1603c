// Area B: what an embedding request may hold, and what is sent upstream.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  COMPATIBLE,
  embedded,
  embedHosts,
  FIXED,
  GEMINI,
  postEmbeddings,
  refused,
  refusedWhenStrict,
  SMALL,
} from '../../support/embed-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: embedHosts });
});
afterAll(() => stand.close());

test('[B-01] one text gives a list of one vector', async () => {
  for (const [model, length] of [
    [SMALL, 1536],
    [COMPATIBLE, 16],
    [GEMINI, 3072],
  ] as const) {
    const { reply, vectors } = await embedded(stand, { model, input: 'three roads' });
    expect(Object.keys(reply.json).sort()).toEqual(['data', 'model', 'object', 'usage']);
    expect(reply.json['object']).toBe('list');
    const data = reply.json['data'] as Record<string, unknown>[];
    expect(data.map(({ object, index }) => ({ object, index }))).toEqual([{ object: 'embedding', index: 0 }]);
    expect(vectors[0]).toHaveLength(length);
    expect(vectors[0]?.every((value) => typeof value === 'number')).toBe(true);
  }
  await refused(stand, { input: 'no model' }, 'model');
  await refused(stand, { model: SMALL }, 'input');
});

test('[B-02] each text and each list of token ids gives one vector, in order', async () => {
  const one = async (input: unknown) => (await embedded(stand, { model: SMALL, input, dimensions: 4 })).vectors[0];
  const several = await embedded(stand, { model: SMALL, input: ['a', 'b', 'a'], dimensions: 4 });
  expect(several.vectors).toEqual([await one('a'), await one('b'), await one('a')]);
  expect(several.vectors[0]).not.toEqual(several.vectors[1]);
  const tokens = await embedded(stand, { model: SMALL, input: [1, 2, 3], dimensions: 4 });
  expect(tokens.vectors).toHaveLength(1);
  expect(tokens.sent['input']).toEqual([1, 2, 3]);
  const lists = await embedded(stand, { model: SMALL, input: [[4], [1, 2, 3]], dimensions: 4 });
  expect(lists.vectors[1]).toEqual(tokens.vectors[0]);
  for (const input of [
    '',
    [],
    [''],
    {},
    ['a', ''],
    [[]],
    [[1], []],
    ['a', 1],
    [1, 'a'],
    [1.5],
    [-1],
    [[1], 'a'],
    null,
    7,
  ])
    await refused(stand, { model: SMALL, input }, 'input');
});

test('[B-02] token ids are refused for a model that does not read them', async () => {
  await refused(stand, { model: GEMINI, input: [1, 2, 3] }, 'input');
  await refused(stand, { model: GEMINI, input: [[1], [2]] }, 'input');
});

test('[B-03] one call takes at most 2048 inputs', async () => {
  const input = Array.from({ length: 2048 }, (_, at) => `text ${at}`);
  const { vectors } = await embedded(stand, { model: SMALL, input, dimensions: 2 });
  expect(vectors).toHaveLength(2048);
  await refused(stand, { model: SMALL, input: [...input, 'one more'], dimensions: 2 }, 'input');
  await refused(stand, { model: SMALL, input: Array.from({ length: 2049 }, () => [1]) }, 'input');
});

test('more inputs than the host takes at once are refused before any is sent', async () => {
  const input = Array.from({ length: 100 }, (_, at) => `text ${at}`);
  expect((await embedded(stand, { model: GEMINI, input, dimensions: 2 })).vectors).toHaveLength(100);
  await refused(stand, { model: GEMINI, input: [...input, 'one more'], dimensions: 2 }, 'input');
});

test.each([SMALL, COMPATIBLE, GEMINI])('[B-04] [B-05] %s: numbers and base64 hold the same values', async (model) => {
  const body = { model, input: ['three', 'roads'] };
  const absent = await embedded(stand, body);
  const floats = await embedded(stand, { ...body, encoding_format: 'float' });
  const packed = await embedded(stand, { ...body, encoding_format: 'base64' });
  const forms = ({ reply }: typeof absent) =>
    (reply.json['data'] as { embedding: unknown }[]).map(({ embedding }) => typeof embedding);
  expect(forms(absent)).toEqual(['object', 'object']);
  expect(forms(floats)).toEqual(['object', 'object']);
  expect(forms(packed)).toEqual(['string', 'string']);
  expect(floats.vectors).toEqual(absent.vectors);
  expect(packed.vectors).toEqual(absent.vectors);
  // Only upstreams of this dialect are asked for base64.
  expect(packed.sent['encoding_format']).toBe(model === SMALL ? 'base64' : undefined);
  for (const encoding_format of ['hex', 1, '']) await refused(stand, { ...body, encoding_format }, 'encoding_format');
});

test('[B-06] dimensions are forwarded to models that can shorten vectors, and refused elsewhere', async () => {
  const { sent, vectors } = await embedded(stand, { model: SMALL, input: 'a', dimensions: 256 });
  expect(sent['dimensions']).toBe(256);
  expect(vectors[0]).toHaveLength(256);
  const google = await embedded(stand, { model: GEMINI, input: 'a', dimensions: 256 });
  expect(google.sent).toMatchObject({ requests: [{ outputDimensionality: 256 }] });
  expect(google.vectors[0]).toHaveLength(256);
  await refused(stand, { model: FIXED, input: 'a', dimensions: 256 }, 'dimensions');
  await refused(stand, { model: SMALL, input: 'a', dimensions: 1537 }, 'dimensions');
  for (const dimensions of [0, '5', -1, 1.5])
    await refused(stand, { model: SMALL, input: 'a', dimensions }, 'dimensions');
});

test('[B-09] user is not forwarded and is reported; unknown fields reach only hosts of the same dialect', async () => {
  const body = { model: SMALL, input: 'a', dimensions: 2, user: 'u-1' };
  const { sent, losses } = await embedded(stand, body);
  expect(losses).toEqual(['user']);
  expect(sent).not.toHaveProperty('user');
  await refusedWhenStrict(stand, body, 'user');
  const extra = { model: COMPATIBLE, input: 'a', truncate_prompt_tokens: 7 };
  const own = await embedded(stand, extra, { 'x-trivium-strict': 'true' });
  expect(own.sent).toMatchObject({ truncate_prompt_tokens: 7 });
  const rebuilt = await embedded(stand, { ...extra, encoding_format: 'base64' });
  expect(rebuilt.sent).toMatchObject({ truncate_prompt_tokens: 7 });
  const foreign = await embedded(stand, { ...extra, model: GEMINI });
  expect(foreign.losses).toEqual(['truncate_prompt_tokens']);
  expect(JSON.stringify(foreign.sent)).not.toContain('truncate_prompt_tokens');
});

test('null counts as absent in an embedding request', async () => {
  const { sent } = await embedded(stand, {
    model: SMALL,
    input: 'a',
    user: null,
    dimensions: null,
    encoding_format: null,
  });
  expect(sent).toEqual({ model: 'text-embedding-3-small', input: 'a' });
});

test('an embedding request is otherwise forwarded unchanged', async () => {
  const text = `{ "input" : ["a\\u0062"],\n "model":"${SMALL}" , "dimensions": 2.0 }`;
  expect((await postEmbeddings(stand, text)).status).toBe(200);
  expect(stand.simulator.truth.last()?.bodyText).toBe(text.replace(SMALL, 'text-embedding-3-small'));
});
