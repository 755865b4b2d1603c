/** The paths of the generateContent protocol: mounts, versions, forms of path, media types, token counting. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLONED, moreModels, PINNED, SLASHED, SPACED } from '../../support/generate-models.ts';
import {
  ALL_MODELS,
  ask,
  CHAT,
  config,
  expectError,
  GEMINI,
  type GenerateReply,
  type Json,
  lossy,
  pathOf,
  play,
  post,
  served,
  text,
  user,
} from '../../support/generate-probe.ts';
import { KEY, openStand, postChat, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: moreModels });
});
afterAll(() => stand.close());

const G = 'google/gemini-2.5-flash';
const saying = ({ json }: GenerateReply): unknown => (json['candidates'] as Json[] | undefined)?.[0]?.['content'];
const sentModel = (): string => /models\/([^:]+):/.exec(stand.simulator.truth.last()?.path ?? '')?.[1] ?? '';

describe('media types', () => {
  const post415 = (contentType: string): Promise<GenerateReply> =>
    post(stand, pathOf(GEMINI, 'generateContent'), ask(), { 'content-type': contentType });
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    '[A-25] content type %s is refused on both routes',
    async (type) => {
      const before = stand.simulator.truth.read().length;
      expectError(await post415(type), 415, 'INVALID_ARGUMENT');
      const chat = await postChat(
        stand,
        { model: CHAT, messages: [{ role: 'user', content: 'x' }] },
        { 'content-type': type },
      );
      expect(chat.status).toBe(415);
      expect(stand.simulator.truth.read().length).toBe(before);
    },
  );
  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'])(
    '[A-25] content type %s is accepted on both routes',
    async (type) => {
      expect((await post415(type)).status).toBe(200);
      const chat = await postChat(
        stand,
        { model: CHAT, messages: [{ role: 'user', content: 'x' }] },
        { 'content-type': type },
      );
      expect(chat.status).toBe(200);
    },
  );
  test('[A-25] a JSON body without a content type is accepted', async () => {
    const bodies = [
      [pathOf(GEMINI, 'generateContent'), ask()],
      ['/api/v1/chat/completions', { model: CHAT, messages: [{ role: 'user', content: 'x' }] }],
    ] as const;
    for (const [path, body] of bodies) {
      // Bytes, since fetch sets a content type for a string.
      const response = await fetch(`${stand.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}` },
        body: new TextEncoder().encode(JSON.stringify(body)),
      });
      expect(response.status).toBe(200);
    }
  });
});

describe('mounts and versions', () => {
  test('[A-27] both mounts give the same answer', async () => {
    const replies = await Promise.all(
      ['/api/vertex-ai', '/api/genai'].map((mount) =>
        post(stand, `${mount}/v1/publishers/google/models/gemini-2.5-flash:generateContent`, ask()),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(saying(replies[0] as GenerateReply)).toEqual(saying(replies[1] as GenerateReply));
    expect(
      (await post(stand, '/api/gemini/v1/publishers/google/models/gemini-2.5-flash:generateContent', ask())).status,
    ).toBe(404);
  });
  test.each(['v1', 'v1beta', 'v1beta1'])(
    '[A-30] %s is accepted as a version of calls and of the list',
    async (version) => {
      const base = `/api/vertex-ai/${version}`;
      expect(
        (await post(stand, `${base}/publishers/google/models/gemini-2.5-flash:generateContent`, ask())).status,
      ).toBe(200);
      expect((await fetch(`${stand.url}${base}/models`)).status).toBe(200);
    },
  );
  test.each(['v9', 'v2', 'V1', 'v1alpha'])('[A-31, A-30] %s is not a version', async (version) => {
    const reply = await post(
      stand,
      `/api/vertex-ai/${version}/publishers/google/models/gemini-2.5-flash:generateContent`,
      ask(),
    );
    expectError(reply, 404, 'NOT_FOUND');
  });
  test('[A-31] v2 is not a version of the chat protocol', async () => {
    const response = await fetch(`${stand.url}/api/v2/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      body: '{}',
    });
    expect(response.status).toBe(404);
    expect((await postChat(stand, { model: CHAT, messages: [{ role: 'user', content: 'x' }] })).status).toBe(200);
  });
});

describe('models in paths', () => {
  test.each(ALL_MODELS)('[P-03] publisher and model are the two parts of %s', async (model) => {
    const { path } = await served(stand, ask(), { model });
    const chat = await postChat(stand, { model, messages: [{ role: 'user', content: 'Hello' }] });
    expect(chat.status).toBe(200);
    expect(stand.simulator.truth.last()?.path).toBe(path);
  });
  test('[P-03] a model of another publisher is another model', async () => {
    expectError(await post(stand, pathOf('openai/gemini-2.5-flash', 'generateContent'), ask()), 404, 'NOT_FOUND');
  });
  test('[P-04] the action is what follows the last colon', async () => {
    expect((await served(stand, ask(), { model: COLONED })).reply.json['modelVersion']).toBe(COLONED);
    expectError(await post(stand, pathOf('google/gemini', 'generateContent'), ask()), 404, 'NOT_FOUND');
  });
  test.each([
    ['publishers/google/models/gemini%20flash', SPACED],
    ['publishers/google/models/gemini@1.5', PINNED],
    ['publishers/google/models/gemini%401.5', PINNED],
    ['publishers/google/models/family/gemini', SLASHED],
    ['publishers/google/models/family%2Fgemini', SLASHED],
    ['publishers/google/models/gemini%3Afree', COLONED],
  ])('[P-05] the path %s names the model %s', async (path, model) => {
    const reply = await post(stand, `/api/vertex-ai/v1/${path}:generateContent`, ask());
    expect({ status: reply.status, model: reply.json['modelVersion'] }).toEqual({ status: 200, model });
  });
  test('[P-05] a model path is percent-decoded only once', async () => {
    const reply = await post(
      stand,
      '/api/vertex-ai/v1/publishers/google/models/gemini%2520flash:generateContent',
      ask(),
    );
    expectError(reply, 404, 'NOT_FOUND');
  });
  test.each(['foo', 'generatecontent', 'generateContent2', ''])('[P-07] the action %j is unknown', async (action) => {
    const before = stand.simulator.truth.read().length;
    expectError(
      await post(stand, `/api/vertex-ai/v1/publishers/google/models/gemini-2.5-flash:${action}`, ask()),
      404,
      'NOT_FOUND',
    );
    expect(stand.simulator.truth.read().length).toBe(before);
  });
  test('[P-07] the known actions are served', async () => {
    for (const action of ['generateContent', 'streamGenerateContent', 'countTokens'] as const)
      expect((await post(stand, pathOf(G, action), ask())).status).toBe(200);
  });
  const FORMS = [
    `v1/publishers/google/models/gemini-2.5-flash`,
    `v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash`,
    `v1beta/models/${G}`,
    `v1beta/models/google%2Fgemini-2.5-flash`,
    `v1beta1/${G}`,
  ];
  test.each(FORMS)('[P-08] the path form %s is the same call', async (form) => {
    const reply = await post(stand, `/api/vertex-ai/${form}:generateContent`, ask());
    expect({ status: reply.status, model: reply.json['modelVersion'] }).toEqual({ status: 200, model: G });
    expect(sentModel()).toBe('gemini-2.5-flash');
    const streamed = await post(stand, `/api/genai/${form}:streamGenerateContent?alt=sse`, ask());
    expect(streamed.text).toContain('FINISH_REASON_STOP');
  });
  test.each([
    'v1/projects/p/publishers/google/models/gemini-2.5-flash',
    'v1/google/models/gemini-2.5-flash',
    'v1/publishers/google/gemini-2.5-flash',
  ])('[P-08] the path form %s is unknown', async (form) => {
    expectError(await post(stand, `/api/vertex-ai/${form}:generateContent`, ask()), 404, 'NOT_FOUND');
  });
});

describe('between protocols', () => {
  test('[P-16] a penalty of 2 from chat is lowered for a target that excludes it, and reported', async () => {
    for (const [name, own] of [
      ['frequency_penalty', 'frequencyPenalty'],
      ['presence_penalty', 'presencePenalty'],
    ] as const) {
      const body = { model: GEMINI, messages: [{ role: 'user', content: 'x' }] };
      const reply = await postChat(stand, { ...body, [name]: 2 });
      expect({ status: reply.status, losses: reply.headers.get('x-trivium-losses') }).toEqual({
        status: 200,
        losses: name,
      });
      const seen = stand.simulator.truth.last()?.body as { generationConfig: Record<string, number> } | undefined;
      const sent = seen?.generationConfig[own] ?? 0;
      expect(sent).toBeLessThan(2);
      expect(sent).toBeGreaterThan(1.98);
      const strict = await postChat(stand, { ...body, [name]: 2 }, { 'x-trivium-strict': 'true' });
      expect(strict.status).toBe(400);
      const below = await postChat(stand, { ...body, [name]: 1.5 });
      expect(below.headers.get('x-trivium-losses')).toBeNull();
      expect(stand.simulator.truth.last()?.body).toMatchObject({ generationConfig: { [own]: 1.5 } });
    }
  });
  test('[P-17] the gateway enforces all five stop sequences for a target that takes four', async () => {
    for (const stop of ['two', 'three', 'four', 'five']) {
      const stopSequences = ['a!', 'b!', 'c!', 'd!', stop];
      const { sent, reply } = await served(
        stand,
        play('scenario=stop-sequence', { generationConfig: { stopSequences } }),
        { model: CHAT },
      );
      expect(sent).not.toHaveProperty('stop');
      expect(reply.text).toContain('one');
      expect(reply.text).not.toContain(stop);
    }
    const four = await served(stand, config({ stopSequences: ['1', '2', '3', '4'] }), { model: CHAT });
    expect(four.sent['stop']).toEqual(['1', '2', '3', '4']);
  });
});

describe('counting', () => {
  test.each(ALL_MODELS)('[P-31] tokens for %s are counted without a generation', async (model) => {
    // The gateway may call a host's token counting (record 0071), but never its generation.
    const calls = () =>
      stand.simulator.truth.read().filter(({ path }) => !/:countTokens$|count_tokens$/.test(path)).length;
    const before = calls();
    const short = await post(stand, pathOf(model, 'countTokens'), ask());
    const long = await post(stand, pathOf(model, 'countTokens'), { contents: [user(text('many words '.repeat(500)))] });
    expect([short.status, long.status]).toEqual([200, 200]);
    expect(Number.isInteger(short.json['totalTokens'])).toBe(true);
    expect(long.json['totalTokens']).toBeGreaterThan(short.json['totalTokens'] as number);
    expect(calls()).toBe(before);
  });
  test('[P-31] a request that would be refused cannot be counted', async () => {
    expectError(await post(stand, pathOf(GEMINI, 'countTokens'), {}), 400, 'INVALID_ARGUMENT');
    expectError(await post(stand, pathOf('google/none', 'countTokens'), ask()), 404, 'NOT_FOUND');
    expectError(
      await post(stand, pathOf(GEMINI, 'countTokens'), ask(), { 'x-goog-api-key': 'sk-wrong' }),
      401,
      'UNAUTHENTICATED',
    );
  });
});

describe('schemas that are too large', () => {
  const withSchema = (responseSchema: Json): Json => config({ responseMimeType: 'application/json', responseSchema });
  const jsonSchema = (responseJsonSchema: Json): Json =>
    config({ responseMimeType: 'application/json', responseJsonSchema });
  const declared = (parameters: Json): Json => ask({ tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] });
  const declaredJson = (parametersJsonSchema: Json): Json =>
    ask({ tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema }] }] });
  const deep = (levels: number): Json =>
    levels === 1 ? { type: 'STRING' } : { type: 'ARRAY', items: deep(levels - 1) };
  const named = (length: number): Json => ({
    type: 'OBJECT',
    properties: { ['n'.repeat(length)]: { type: 'STRING' } },
  });
  const listing = (values: number): Json => ({
    type: 'STRING',
    enum: Array.from({ length: values }, (_, index) => `value ${index}`),
  });
  const lower = (schema: Json): Json =>
    JSON.parse(JSON.stringify(schema), (key, value) => (key === 'type' ? String(value).toLowerCase() : value));
  const object = (property: Json): Json => ({ type: 'OBJECT', properties: { a: property } });

  test.each([
    ['depth', deep(32), deep(33)],
    ['the length of a name', named(256), named(257)],
    ['the number of values', listing(1000), listing(1001)],
  ])('[E-28] a response schema has a limit: %s', async (_label, most, tooMuch) => {
    for (const model of [GEMINI, CHAT])
      for (const [field, ask, spell] of [
        ['responseSchema', withSchema, (schema: Json) => schema],
        ['responseJsonSchema', jsonSchema, lower],
      ] as const) {
        await served(stand, ask(spell(most)), { model });
        const before = stand.simulator.truth.read().length;
        const reply = await post(stand, pathOf(model, 'generateContent'), ask(spell(tooMuch)));
        expectError(reply, 400, 'INVALID_ARGUMENT');
        expect(reply.text).toContain(field);
        expect(stand.simulator.truth.read().length).toBe(before);
      }
  });

  test.each([
    ['depth', object(deep(31)), object(deep(32))],
    ['the length of a name', named(256), named(257)],
    ['the number of values', object(listing(1000)), object(listing(1001))],
  ])('[E-28] the schema of a tool has a limit: %s', async (_label, most, tooMuch) => {
    for (const [declare, spell] of [
      [declared, (schema: Json) => schema],
      [declaredJson, lower],
    ] as const) {
      await served(stand, declare(spell(most)));
      expectError(
        await post(stand, pathOf(GEMINI, 'generateContent'), declare(spell(tooMuch))),
        400,
        'INVALID_ARGUMENT',
      );
    }
  });

  test('[E-28] a schema that the upstream refuses is a caller error, not a gateway failure', async () => {
    const inside = withSchema(object({ type: 'STRING' }));
    await served(stand, inside);
    const before = stand.simulator.truth.read().length;
    expectError(
      await post(stand, pathOf(GEMINI, 'generateContent'), { ...inside, ...play('status=400') }),
      400,
      'INVALID_ARGUMENT',
    );
    expect(stand.simulator.truth.read().length).toBe(before + 1);
  });
});

test('[G-99] losses are reported on the alias mount, too', async () => {
  await lossy(stand, ask({ labels: { a: 'b' } }), ['labels']);
  const reply = await post(
    stand,
    '/api/genai/v1/publishers/google/models/gemini-2.5-flash:generateContent',
    ask({ labels: { a: 'b' } }),
  );
  expect(reply.headers.get('x-trivium-losses')).toBe('labels');
});
