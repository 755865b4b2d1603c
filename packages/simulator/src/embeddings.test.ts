// The embedding upstreams: which requests they refuse, and that a vector depends only on model and input.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asList, asRecord } from './json-value.ts';
import { type Simulator, startSimulator } from './main.ts';
import { probe } from './probe.fixture.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const EMBEDDINGS = '/v1/embeddings';
const GEMINI = '/v1beta/models/gemini-embedding-001';
const VERTEX = '/v1/projects/p/locations/l/publishers/google/models/gemini-embedding-001';

async function send(vendor: string, path: string, body: unknown) {
  const seen = probe(simulator.url, body, { vendor, path, headers: { 'x-goog-api-key': 'key' } });
  await seen.ended;
  return { status: seen.status, json: asRecord(seen.json()) };
}

const small = (more: object) => ({ model: 'text-embedding-3-small', dimensions: 4, ...more });
const content = (text: string) => ({ parts: [{ text }] });

test('the same input gives the same vector, another input or model another one', async () => {
  const { json } = await send('openai', EMBEDDINGS, small({ input: ['a', 'b', 'a'] }));
  const [first, second, third] = asList(json['data']).map((each) => asRecord(each)['embedding']);
  expect(first).toEqual(third);
  expect(first).not.toEqual(second);
  expect(Math.hypot(...(first as number[]))).toBeCloseTo(1, 5);
  const large = await send('openai', EMBEDDINGS, { ...small({ input: 'a' }), model: 'text-embedding-3-large' });
  expect(asRecord(asList(large.json['data'])[0])['embedding']).not.toEqual(first);
});

test('numbers and base64 are the same, and what is billed is logged', async () => {
  const floats = await send('openai', EMBEDDINGS, small({ input: 'one two three' }));
  expect(floats.json['usage']).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  expect(simulator.truth.last()?.billed?.prompt).toBe(3);
  const packed = await send('openai', EMBEDDINGS, small({ input: 'one two three', encoding_format: 'base64' }));
  const bytes = Buffer.from(String(asRecord(asList(packed.json['data'])[0])['embedding']), 'base64');
  const values = [0, 4, 8, 12].map((at) => bytes.readFloatLE(at));
  expect(asRecord(asList(floats.json['data'])[0])['embedding']).toEqual(values);
});

test.each([
  ['openai', small({ input: '' }), 'input'],
  ['openai', small({ input: ['a', 1] }), 'input'],
  ['openai', small({ input: 'a', colour: 'red' }), 'colour'],
  ['openai', small({ input: 'a', dimensions: 0 }), 'dimensions'],
  ['openai', small({ input: 'a', dimensions: 2000 }), 'dimensions'],
  ['openai', { model: 'text-embedding-ada-002', input: 'a', dimensions: 4 }, 'dimensions'],
  ['openai', small({ input: 'a', encoding_format: 'hex' }), 'encoding_format'],
  ['compatible', { model: 'any', input: 'a', encoding_format: 'base64' }, 'encoding_format'],
])('%s refuses %j, naming %s', async (vendor, body, param) => {
  const { status, json } = await send(vendor, EMBEDDINGS, body);
  expect([status, asRecord(json['error'])['param']]).toEqual([400, param]);
});

test('unknown models give 404', async () => {
  expect((await send('openai', EMBEDDINGS, { model: 'gpt-4o', input: 'a' })).status).toBe(404);
  const google = await send('google', '/v1beta/models/gemini-2.5-flash:embedContent', { content: content('a') });
  expect(google.status).toBe(404);
});

test('Google’s forms give the same vectors; only Vertex counts tokens', async () => {
  const single = await send('google', `${GEMINI}:embedContent`, { content: content('a b'), outputDimensionality: 4 });
  const requests = [{ model: 'models/gemini-embedding-001', content: content('a b'), outputDimensionality: 4 }];
  const batch = await send('google', `${GEMINI}:batchEmbedContents`, { requests });
  expect(asList(batch.json['embeddings'])).toEqual([single.json['embedding']]);
  const predict = await send('vertex', `${VERTEX}:predict`, {
    instances: [{ content: 'a b' }],
    parameters: { outputDimensionality: 4 },
  });
  expect(asList(predict.json['predictions'])[0]).toEqual({
    embeddings: { ...asRecord(single.json['embedding']), statistics: { token_count: 2, truncated: false } },
  });
});

test.each([
  [`${GEMINI}:embedContent`, { content: { parts: [] } }],
  [`${GEMINI}:embedContent`, { content: content('a'), autoTruncate: true }],
  [`${GEMINI}:embedContent`, { content: content('a'), taskType: 'GUESS' }],
  [`${GEMINI}:embedContent`, { content: content('a'), title: 't' }],
  [`${GEMINI}:batchEmbedContents`, { requests: [{ model: 'models/other', content: content('a') }] }],
  [`${GEMINI}:batchEmbedContents`, { requests: [{ content: content('a') }] }],
  [
    `${GEMINI}:batchEmbedContents`,
    { requests: Array(101).fill({ model: 'models/gemini-embedding-001', content: content('a') }) },
  ],
])('%s refuses the same requests as Google', async (path, body) => {
  const { status, json } = await send('google', path, body);
  expect([status, asRecord(json['error'])['status']]).toEqual([400, 'INVALID_ARGUMENT']);
});

test('an armed status replaces the vectors', async () => {
  simulator.arm('status=503', { model: 'text-embedding-3-small' });
  expect((await send('openai', EMBEDDINGS, small({ input: 'a' }))).status).toBe(503);
  simulator.arm('status=429', { path: `${GEMINI}:embedContent` });
  expect((await send('google', `${GEMINI}:embedContent`, { content: content('a') })).status).toBe(429);
});
