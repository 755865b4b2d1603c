import { loadConfig } from '@trivium/gateway';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, lossy, served } from '../../support/chat-probe.ts';
import { streamChat } from '../../support/chat-stream.ts';
import { entries, get, idsOf, LIST_PATHS, PROTOCOLS } from '../../support/model-lists.ts';
import { KEY, openStand, postChat, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url) => ({
      providers: {
        narrow: { dialect: 'openai-chat', baseUrl: `${url}/compatible@narrow/v1`, quirks: { temperatureMax: 1 } },
        first: { dialect: 'openai-chat', baseUrl: `${url}/compatible@first/v1` },
        second: { dialect: 'openai-chat', baseUrl: `${url}/compatible@second/v1` },
      },
      models: [
        { id: 'a/b/c', endpoints: [{ provider: 'compatible' }] },
        { id: 'a/b', endpoints: [{ provider: 'compatible' }] },
        { id: 'narrow/one', endpoints: [{ provider: 'narrow' }] },
        { id: 'pair/one', endpoints: [{ provider: 'first' }, { provider: 'second' }] },
      ],
    }),
    config: () => ({ aliases: { gpt: 'openai/gpt-4o' } }),
  });
});
afterAll(() => stand.close());

test('[P-01] a model id is split at its first slash', async () => {
  const { sent, reply } = await served(stand, ask({ model: 'a/b/c' }));
  expect([sent['model'], reply.json['model']]).toEqual(['b/c', 'a/b/c']);
  expect((await served(stand, ask({ model: 'a/b' }))).sent['model']).toBe('b');
  expect((await get(stand, '/api/v1/models/a/b/c')).json).toMatchObject({ id: 'a/b/c', owned_by: 'a' });
  expect((await postChat(stand, ask({ model: 'c' }))).status).toBe(404);
  expect((await postChat(stand, ask({ model: 'b/c' }))).status).toBe(404);
});

test('[P-02] a model id without a slash is 404 with the expected form, unless it is an alias', async () => {
  const before = stand.simulator.truth.read().length;
  const reply = await postChat(stand, ask({ model: 'gpt-4o' }));
  expect(reply.status).toBe(404);
  expect(reply.json['error']).toMatchObject({
    param: 'model',
    code: 'model_not_found',
    message: expect.stringContaining('<provider>/<model>'),
  });
  expect(stand.simulator.truth.read().length).toBe(before);
  const { sent, reply: aliased } = await served(stand, ask({ model: 'gpt' }));
  expect([sent['model'], aliased.json['model']]).toEqual(['gpt-4o', 'openai/gpt-4o']);
});

test('[P-06] partly: an unknown model or provider is 404 on a chat call and on every single-model read', async () => {
  for (const model of ['openai/no-such', 'nobody/gpt-4o', '__proto__/constructor', 'constructor']) {
    const reply = await postChat(stand, ask({ model }));
    expect([model, reply.status]).toEqual([model, 404]);
    expect(reply.json['error']).toMatchObject({ param: 'model', code: 'model_not_found' });
    for (const protocol of PROTOCOLS) expect((await get(stand, `${LIST_PATHS[protocol]}/${model}`)).status).toBe(404);
  }
});

test('[P-12] a parameter the model does not support is dropped and reported; strict refuses it', async () => {
  const { sent } = await lossy(stand, ask({ reasoning_effort: 'high' }), 'reasoning_effort');
  expect(sent).not.toHaveProperty('reasoning_effort');
  const { sent: withoutVerbosity } = await lossy(
    stand,
    ask({ model: 'compatible/any', verbosity: 'low' }),
    'verbosity',
  );
  expect(withoutVerbosity).not.toHaveProperty('verbosity');
  const supported = await served(stand, ask({ model: 'openai/gpt-5', reasoning_effort: 'high' }));
  expect([supported.sent['reasoning_effort'], supported.losses]).toEqual(['high', []]);
});

test('[P-15] a temperature above the target’s range is lowered and reported', async () => {
  const { sent } = await lossy(stand, ask({ model: 'narrow/one', temperature: 1.8 }), 'temperature');
  expect(sent['temperature']).toBe(1);
  for (const temperature of [0, 0.3, 1]) {
    const within = await served(stand, ask({ model: 'narrow/one', temperature }), { 'x-trivium-strict': 'true' });
    expect([within.sent['temperature'], within.losses]).toEqual([temperature, []]);
  }
  expect((await served(stand, ask({ temperature: 1.8 }))).sent['temperature']).toBe(1.8);
});

test('[P-27] a failure before the first byte moves on to another host, a later one does not', async () => {
  const streamWith = async (instruction: string) => {
    const before = stand.simulator.truth.read().length;
    stand.simulator.arm(instruction, { host: 'first' });
    const reply = await streamChat(stand, ask({ model: 'pair/one' }));
    const entries = stand.simulator.truth.read().slice(before);
    return { reply, hosts: entries.map(({ host }) => host) };
  };
  const early = await streamWith('status=500');
  expect([early.reply.status, early.hosts]).toEqual([200, ['first', 'second']]);
  expect(early.reply.frames.at(-1)).toBe('[DONE]');
  for (const fault of ['error-frame-mid', 'malformed-frame', 'end-mid-stream']) {
    const { reply, hosts } = await streamWith(`fault=${fault} after=3 tps=10`);
    expect([fault, reply.status, hosts]).toEqual([fault, 200, ['first']]);
    expect(reply.chunks.length).toBeGreaterThan(1);
    expect(reply.chunks.at(-1)?.error).toMatchObject({ type: 'server_error' });
    expect(reply.frames).not.toContain('[DONE]');
  }
});

test('[P-29] gateway headers never change the body', async () => {
  const shapeOf = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shapeOf)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
        : typeof value;
  const plain = await served(stand, ask());
  const noted = await served(stand, ask({ seed: 1, user: 'u', reasoning_effort: 'low' }));
  expect(noted.losses).toHaveLength(3);
  expect(plain.losses).toEqual([]);
  expect(shapeOf(noted.reply.json)).toEqual(shapeOf(plain.reply.json));
  expect(noted.reply.json['choices']).toEqual(plain.reply.json['choices']);
  expect(noted.reply.text).not.toMatch(/loss|trivium/i);
});

test('[P-30] after a reload, lists and calls agree on the new set of models', async () => {
  const own = await openStand();
  try {
    const config = (models: object[]) => {
      const loaded = loadConfig({
        env: {},
        text: JSON.stringify({
          keys: [{ name: 'test', secret: KEY }],
          log: { level: 'silent' },
          providers: { compatible: { dialect: 'openai-chat', baseUrl: `${own.simulator.url}/compatible/v1` } },
          models,
        }),
      });
      if ('problems' in loaded) throw new Error('the configuration is wrong');
      return loaded.config;
    };
    const agree = async (id: string, present: boolean): Promise<void> => {
      for (const protocol of PROTOCOLS)
        expect(idsOf(await entries(own, LIST_PATHS[protocol])).includes(id)).toBe(present);
      expect((await postChat(own, ask({ model: id }))).status).toBe(present ? 200 : 404);
    };
    await agree('new/one', false);
    await agree('compatible/any', true);
    await own.gateway.reload(config([{ id: 'new/one', endpoints: [{ provider: 'compatible' }] }]));
    await agree('new/one', true);
    await agree('compatible/any', false);
  } finally {
    await own.close();
  }
});

test('[P-32] no answer has a header that announces the end of an API version', async () => {
  const replies = [
    await postChat(stand, ask()),
    await postChat(stand, ask({ stream: true })),
    await postChat(stand, ask({ n: 2 })),
    await postChat(stand, ask({ model: 'openai/gpt-4.1' })),
    ...(await Promise.all(PROTOCOLS.map((protocol) => get(stand, LIST_PATHS[protocol])))),
    await get(stand, '/api/v1/nothing'),
  ];
  for (const { headers } of replies)
    for (const name of ['sunset', 'deprecation', 'link', 'warning']) expect(headers.get(name)).toBeNull();
});
