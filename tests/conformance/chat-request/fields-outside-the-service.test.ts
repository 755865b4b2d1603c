/** Fields of the vendor's format that this service does not offer: refused where they change meaning, reported where they hint. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, COMPATIBLE, HINTS, type Json, lossless, lossy, refused, user } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const FUNCTION = { name: 'f', parameters: { type: 'object', properties: {} } };

test.each([
  ['C-49', 'audio', { voice: 'alloy', format: 'wav' }],
  ['C-49', 'audio', {}],
  ['C-50', 'modalities', ['text', 'audio']],
  ['C-50', 'modalities', ['image']],
  ['C-50', 'modalities', 'text'],
  ['C-51', 'functions', [FUNCTION]],
  ['C-51', 'functions', []],
  ['C-51', 'function_call', 'auto'],
  ['C-51', 'function_call', { name: 'f' }],
])('[%s] %s %j is refused', async (_id, field, value) => {
  await refused(stand, ask({ [field]: value }), field);
  await refused(stand, ask({ model: COMPATIBLE, [field]: value }), field);
});

test.each([
  ['C-49', { audio: null }],
  ['C-50', { modalities: ['text'] }],
  ['C-50', { modalities: null }],
  ['C-51', { functions: null, function_call: null }],
])('[%s] %j asks for nothing special and is served without loss', async (_id, members: Json) => {
  const { sent } = await lossless(stand, ask(members));
  expect(sent).toEqual({ model: 'gpt-4o', messages: [user('Hello')] });
});

describe('max_tokens', () => {
  test('[C-52] max_tokens alone is the cap, under the host’s own name, without loss', async () => {
    expect((await lossless(stand, ask({ max_tokens: 50 }))).sent).toEqual({
      model: 'gpt-4o',
      messages: [user('Hello')],
      max_completion_tokens: 50,
    });
    expect((await lossless(stand, ask({ model: COMPATIBLE, max_tokens: 50 }))).sent).toEqual({
      model: 'any',
      messages: [user('Hello')],
      max_tokens: 50,
    });
  });

  test('[C-52] max_tokens beside a null max_completion_tokens is the cap', async () => {
    const { sent } = await lossless(stand, ask({ max_completion_tokens: null, max_tokens: 50 }));
    expect(sent['max_completion_tokens']).toBe(50);
    expect(
      (await lossless(stand, ask({ model: COMPATIBLE, max_tokens: 50, max_completion_tokens: null }))).sent[
        'max_tokens'
      ],
    ).toBe(50);
  });

  test.each([
    ['openai/gpt-4o', 'max_completion_tokens', 'max_tokens'],
    [COMPATIBLE, 'max_tokens', 'max_completion_tokens'],
  ])(
    '[C-52] max_tokens beside max_completion_tokens is ignored and reported as a loss (%s)',
    async (model, cap, other) => {
      const { sent } = await lossy(stand, ask({ model, max_tokens: 50, max_completion_tokens: 60 }), 'max_tokens');
      expect(sent[cap]).toBe(60);
      expect(sent).not.toHaveProperty(other);
    },
  );

  test.each([['50'], [0], [1.5]])('[C-52] max_tokens %j is refused', (max_tokens) =>
    refused(stand, ask({ max_tokens }), 'max_tokens'),
  );
});

describe.each(HINTS)('[%s] %j', (id, members) => {
  const [first = '', ...rest] = Object.keys(members);

  test.each([
    ['as it stands', ask(members)],
    [
      'in a rebuilt request',
      ask({ model: COMPATIBLE, ...members, messages: [{ role: 'developer', content: 'x' }, user('x')] }),
    ],
    ['in a stream', ask({ ...members, stream: true })],
  ])(`[${id}] is accepted, not forwarded, and reported as a loss; strict mode refuses it: %s`, async (_case, body) => {
    const { sent } = await lossy(stand, body, first, ...rest);
    for (const field of [first, ...rest]) expect(sent).not.toHaveProperty(field);
  });

  test(`[${id}] null counts as absent, in strict mode too`, async () => {
    const nulls = Object.fromEntries(Object.keys(members).map((field) => [field, null]));
    expect((await lossless(stand, ask(nulls))).sent).toEqual({ model: 'gpt-4o', messages: [user('Hello')] });
  });
});

test('[C-58] the two prompt cache fields are reported as separate losses', async () => {
  await lossy(stand, ask({ prompt_cache_key: 'k' }), 'prompt_cache_key');
  await lossy(stand, ask({ prompt_cache_retention: '24h' }), 'prompt_cache_retention');
});
