import { afterAll, beforeAll, expect, test } from 'vitest';
import { entries, get, idsOf, LIST_PATHS, listed, listedModels, PROTOCOLS } from '../../support/model-lists.ts';
import { PRICED_MODELS } from '../../support/priced-models.ts';
import { KEY, openStand, postChat, type Stand } from '../../support/stand.ts';

const MODALITIES = ['text', 'image', 'video', 'audio', 'file'];

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }) });
});
afterAll(() => stand.close());

test('[L-01] the genai list is an object with models', async () => {
  const { status, headers, json } = await get(stand, '/api/vertex-ai/v1beta/models');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(Object.keys(json)).toEqual(['models']);
  expect(idsOf(json['models'] as [])).toContain('priced/flat');
});

test('[L-02] the messages list has data and has_more false', async () => {
  const { status, headers, json } = await get(stand, '/api/anthropic/v1/models');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(json['has_more']).toBe(false);
  expect(idsOf(json['data'] as [])).toContain('priced/flat');
});

test('[L-03] the chat list is a list object with data', async () => {
  const { status, headers, json } = await get(stand, '/api/v1/models');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(Object.keys(json)).toEqual(['object', 'data']);
  expect(json['object']).toBe('list');
  expect(idsOf(json['data'] as [])).toContain('priced/flat');
});

test.each(PROTOCOLS)(
  '[L-04] [A-09] the %s list needs neither credential nor version header, unlike a call',
  async (protocol) => {
    expect((await entries(stand, LIST_PATHS[protocol])).length).toBeGreaterThan(PRICED_MODELS.length);
    const call = await postChat(
      stand,
      { model: 'priced/flat', messages: [{ role: 'user', content: 'hi' }] },
      { authorization: '' },
    );
    expect(call.status).toBe(401);
  },
);

test.each(PROTOCOLS)('[L-05] the %s list ignores a key, valid or not', async (protocol) => {
  const bare = await get(stand, LIST_PATHS[protocol]);
  const keys: Record<string, string>[] = [
    { authorization: `Bearer ${KEY}` },
    { 'x-goog-api-key': KEY },
    { authorization: 'Bearer sk-nobody' },
    { 'x-api-key': 'a', authorization: 'Basic b' },
  ];
  for (const headers of keys) {
    const { status, text } = await get(stand, LIST_PATHS[protocol], { headers });
    expect([status, text]).toEqual([200, bare.text]);
  }
});

test.each(PROTOCOLS)('[L-06] the %s list ignores unknown query parameters', async (protocol) => {
  const bare = await get(stand, LIST_PATHS[protocol]);
  for (const query of ['?x=1', '?beta=true&alt=sse', '?', '?%20&&=']) {
    const { status, text } = await get(stand, LIST_PATHS[protocol] + query);
    expect([query, status, text]).toEqual([query, 200, bare.text]);
  }
});

test('[L-07] all three lists name the same models, once each', async () => {
  const [chat, messages, genai] = await Promise.all(
    PROTOCOLS.map(async (name) => idsOf(await entries(stand, LIST_PATHS[name])).sort()),
  );
  expect(new Set(chat).size).toBe(chat!.length);
  expect(messages).toEqual(chat);
  expect(genai).toEqual(chat);
  expect(chat).toEqual(expect.arrayContaining(['compatible/any', 'openai/gpt-4o', 'priced/free']));
});

test.each(PROTOCOLS)('[L-08] every id of the %s list is <provider>/<model_name>, never models/…', async (protocol) => {
  for (const id of idsOf(await entries(stand, LIST_PATHS[protocol]))) {
    expect(id).toMatch(/^[^/\s]+\/\S+$/);
    expect(id).not.toMatch(/^models\//);
  }
});

test('[L-10] a chat entry has object model, a display name and an owner', async () => {
  for (const { chat } of await listedModels(stand))
    expect(chat).toMatchObject({
      object: 'model',
      display_name: expect.stringMatching(/\S/),
      owned_by: expect.stringMatching(/\S/),
    });
  expect((await listed(stand, 'priced/flat')).chat).toMatchObject({ display_name: 'The flat one', owned_by: 'priced' });
});

test('[L-11] [L-17] created is integer Unix seconds and created_at the same day, both from the catalogue', async () => {
  for (const { chat, messages } of await listedModels(stand)) {
    expect(Number.isInteger(chat['created'])).toBe(true);
    expect(messages['created_at']).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(new Date(Number(chat['created']) * 1000).toISOString()).toBe(`${messages['created_at']}T00:00:00.000Z`);
  }
  const { chat, messages } = await listed(stand, 'priced/flat');
  expect([chat['created'], messages['created_at']]).toEqual([Date.UTC(2025, 2, 9) / 1000, '2025-03-09']);
});

test('[L-12] a chat entry has modalities, capabilities.reasoning and context_length', async () => {
  for (const { chat } of await listedModels(stand)) {
    expect(chat['input_modalities']).toEqual(expect.arrayContaining([expect.any(String)]));
    // Vectors and judgements are none of the five output modalities.
    const gives = /embedding|moderation/.test(String(chat['id'])) ? [] : expect.arrayContaining([expect.any(String)]);
    expect(chat['output_modalities']).toEqual(gives);
    expect(chat['capabilities']).toEqual({ reasoning: expect.any(Boolean) });
    expect(Number.isInteger(chat['context_length'])).toBe(true);
  }
  expect((await listed(stand, 'priced/tiered')).chat).toMatchObject({
    input_modalities: MODALITIES,
    output_modalities: ['text'],
    capabilities: { reasoning: true },
    context_length: 64_000,
  });
  expect((await listed(stand, 'priced/flat')).chat).toMatchObject({
    input_modalities: ['text'],
    capabilities: { reasoning: false },
  });
});

test('[L-13] a genai entry has names, a description and both token limits', async () => {
  for (const { genai } of await listedModels(stand)) {
    expect(genai).toMatchObject({ displayName: expect.stringMatching(/\S/), description: expect.stringMatching(/\S/) });
    expect([genai['inputTokenLimit'], genai['outputTokenLimit']].every(Number.isInteger)).toBe(true);
  }
  expect((await listed(stand, 'priced/flat')).genai).toMatchObject({
    displayName: 'The flat one',
    description: 'A model that is flat.',
    inputTokenLimit: 64_000,
    outputTokenLimit: 8000,
  });
});

test('[L-14] thinking of the genai list equals capabilities.reasoning of the others', async () => {
  const models = await listedModels(stand);
  for (const { chat, messages, genai } of models) {
    expect(chat['capabilities']).toEqual({ reasoning: genai['thinking'] });
    expect(messages['capabilities']).toEqual({ reasoning: genai['thinking'] });
  }
  expect(new Set(models.map(({ genai }) => genai['thinking']))).toEqual(new Set([true, false]));
});

test('[L-15] modalities are the same in all three lists', async () => {
  for (const { chat, messages, genai } of await listedModels(stand)) {
    expect([genai['inputModalities'], genai['outputModalities']]).toEqual([
      chat['input_modalities'],
      chat['output_modalities'],
    ]);
    expect([messages['input_modalities'], messages['output_modalities']]).toEqual([
      chat['input_modalities'],
      chat['output_modalities'],
    ]);
  }
  expect((await listed(stand, 'priced/tiered')).genai['inputModalities']).toEqual(MODALITIES);
});

test('[L-16] a messages entry has type model and a display name', async () => {
  for (const { messages, chat } of await listedModels(stand))
    expect(messages).toMatchObject({ type: 'model', display_name: chat['display_name'] });
});

test('[L-18] a messages entry has the modalities, reasoning and limits of the other entries', async () => {
  for (const { messages, chat, genai } of await listedModels(stand)) {
    const { input_modalities, output_modalities, capabilities, context_length } = chat;
    expect(messages).toMatchObject({ input_modalities, output_modalities, capabilities, context_length });
    // Under the names of the protocol's own SDKs, which know no zero.
    expect(messages['max_input_tokens']).toBe(context_length === 0 ? null : context_length);
    expect(messages['max_tokens']).toBe(genai['outputTokenLimit'] === 0 ? null : genai['outputTokenLimit']);
    expect(input_modalities).toBeDefined();
  }
  expect((await listed(stand, 'priced/tiered')).messages).toMatchObject({
    context_length: 64_000,
    capabilities: { reasoning: true },
  });
});
