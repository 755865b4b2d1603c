// Area B: usage, model names, which models make embeddings, and what happens when a host fails.
import { NOTHING_PRODUCED } from '@trivium/protocol/canonical';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  COMPATIBLE,
  embedded,
  embedHosts,
  GEMINI,
  genaiUrl,
  LARGE,
  postEmbeddings,
  postJson,
  recordOf,
  refused,
  SMALL,
  TWICE,
} from '../../support/embed-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: embedHosts });
});
afterAll(() => stand.close());

const VERSION = { 'anthropic-version': '2023-06-01' };
const EIGHT_WORDS = ['one two three four five', 'six seven eight'];

test('[B-07] prompt and total tokens are equal, and equal the recorded usage', async () => {
  for (const body of [
    { model: SMALL, input: EIGHT_WORDS },
    { model: COMPATIBLE, input: EIGHT_WORDS, encoding_format: 'base64' },
  ]) {
    const { reply, billed } = await embedded(stand, body);
    expect(reply.json['usage']).toEqual({ prompt_tokens: 8, total_tokens: 8 });
    expect(billed).toBe(8);
    const record = await recordOf(stand, reply);
    expect(record.reading).toEqual({ usage: { prompt: 8 }, reported: true, ...NOTHING_PRODUCED });
  }
});

test('the gateway counts tokens where a host reports none, and marks the count as an estimate', async () => {
  const { reply } = await embedded(stand, { model: GEMINI, input: ['12345678', '道'] });
  expect(reply.json['usage']).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  expect((await recordOf(stand, reply)).reading).toEqual({
    usage: { prompt: 3 },
    reported: false,
    ...NOTHING_PRODUCED,
  });
});

test('[B-08] the answer has the caller’s model name', async () => {
  for (const model of [SMALL, COMPATIBLE, GEMINI])
    for (const encoding_format of ['float', 'base64'])
      expect((await embedded(stand, { model, input: 'a', encoding_format })).reply.json['model']).toBe(model);
});

test('[B-10] text models refuse embedding calls, and embedding models refuse text calls', async () => {
  for (const model of ['openai/gpt-4o', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'])
    await refused(stand, { model, input: 'a' }, 'model');
  const before = stand.simulator.truth.read().length;
  const messages = [{ role: 'user', content: 'a' }];
  const calls = [
    postJson(`${stand.chatUrl}/chat/completions`, { model: SMALL, messages }),
    postJson(`${stand.chatUrl}/responses`, { model: SMALL, input: 'a' }),
    postJson(`${stand.url}/api/anthropic/v1/messages`, { model: SMALL, messages, max_tokens: 9 }, VERSION),
    postJson(genaiUrl(stand, GEMINI, 'generateContent'), { contents: [{ role: 'user', parts: [{ text: 'a' }] }] }),
  ];
  for (const reply of await Promise.all(calls)) {
    expect(reply.status).toBe(400);
    const error = reply.json['error'] as Record<string, unknown>;
    expect(error['message']).toContain('model');
    if ('param' in error) expect(error['param']).toBe('model');
  }
  const genai = await postJson(genaiUrl(stand, 'google/gemini-2.5-flash', 'embedContent'), {
    content: { parts: [{ text: 'a' }] },
  });
  expect(genai.status).toBe(400);
  expect(stand.simulator.truth.read().length).toBe(before);
});

test('[B-11] a failed call is retried at another host of the same model, never at another model', async () => {
  const whole = await embedded(stand, { model: TWICE, input: 'a' });
  stand.simulator.arm('status=503', { host: 'first' });
  const before = stand.simulator.truth.read().length;
  const reply = await postEmbeddings(stand, { model: TWICE, input: 'a' });
  expect(reply.status).toBe(200);
  expect(
    stand.simulator.truth
      .read()
      .slice(before)
      .map(({ host }) => host),
  ).toEqual(['first', 'second']);
  expect(reply.json['data']).toEqual(whole.reply.json['data']);
  const record = await recordOf(stand, reply);
  expect(record.attempts.map(({ provider, fault }) => ({ provider, fault }))).toEqual([
    { provider: 'embed-first', fault: 'upstream-overloaded' },
    { provider: 'embed-second', fault: undefined },
  ]);
  // The only host of its model: no other host is tried, and no other model.
  stand.simulator.arm('status=503', { model: 'text-embedding-3-small', times: 3 });
  const alone = await postEmbeddings(stand, { model: SMALL, input: 'a' });
  expect([alone.status, (alone.json['error'] as Record<string, unknown>)['code']]).toEqual([503, 'overloaded']);
  const vectorOf = async (model: string) => (await embedded(stand, { model, input: 'a', dimensions: 4 })).vectors[0];
  expect(await vectorOf(SMALL)).not.toEqual(await vectorOf(LARGE));
});

test('upstream failures give the same errors as for text calls', async () => {
  for (const [armed, status] of [
    ['status=429', 429],
    ['status=500', 502],
    ['fault=html-200', 502],
    ['fault=json-error-200', 502],
    ['fault=truncated-json', 502],
  ] as const)
    for (const body of [
      { model: SMALL, input: 'a' },
      { model: GEMINI, input: 'a' },
    ]) {
      stand.simulator.arm(armed);
      const reply = await postEmbeddings(stand, body);
      expect([armed, body.model, reply.status]).toEqual([armed, body.model, status]);
    }
  const unknown = await postEmbeddings(stand, { model: 'openai/no-such', input: 'a' });
  expect(unknown.status).toBe(404);
  expect((await postEmbeddings(stand, { model: SMALL, input: 'a' }, { authorization: 'Bearer nobody' })).status).toBe(
    401,
  );
  expect((await fetch(`${stand.chatUrl}/embeddings`)).status).toBe(405);
});

test('embedding models are listed, with none of the five output modalities', async () => {
  const entryOf = async (path: string) => {
    const reply = await fetch(`${stand.url}${path}/${SMALL}`);
    return (await reply.json()) as Record<string, unknown>;
  };
  for (const path of ['/api/v1/models', '/api/anthropic/v1/models'])
    expect(await entryOf(path)).toMatchObject({
      id: SMALL,
      output_modalities: [],
      capabilities: { reasoning: false },
      context_length: 8192,
      pricings: { prompt: [{ value: 0.02 }] },
    });
  expect(await entryOf('/api/vertex-ai/v1beta/models')).toMatchObject({
    name: SMALL,
    outputModalities: [],
    supportedGenerationMethods: ['embedContent', 'batchEmbedContents'],
  });
});
