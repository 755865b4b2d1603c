// A host that would drop a parameter comes after one that keeps it, and strict requests do not go there at all.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, recordOf } from '../support/chat-probe.ts';
import { type ChatReply, openStand, postChat, type Stand, UPSTREAM_SECRET } from '../support/stand.ts';
import { askedBy } from '../support/three-hosts.ts';

const MODEL = 'either/model';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url) => ({
      providers: {
        first: {
          dialect: 'anthropic-messages',
          baseUrl: `${url}/messages-compatible@first`,
          credential: UPSTREAM_SECRET,
        },
        second: { dialect: 'openai-chat', baseUrl: `${url}/compatible@second/v1`, credential: UPSTREAM_SECRET },
        third: { dialect: 'openai-chat', baseUrl: `${url}/compatible@third/v1`, credential: UPSTREAM_SECRET },
      },
      models: [
        {
          id: MODEL,
          contextLength: 128_000,
          maxOutputTokens: 16_384,
          inputModalities: ['text', 'image'],
          endpoints: [{ provider: 'first' }, { provider: 'second' }, { provider: 'third', inputModalities: ['text'] }],
        },
      ],
    }),
  });
});
afterAll(() => stand.close());

async function send(members: object, headers: Record<string, string> = {}): Promise<[ChatReply, string]> {
  const [reply, asked] = await askedBy(stand, () => postChat(stand, ask({ model: MODEL, ...members }), headers));
  return [reply, asked.map(({ host }) => host).join(' ')];
}

/** The dialect of the first host has no such parameter. */
const PENALTY = { frequency_penalty: 0.5 };
const STRICT = { 'x-trivium-strict': 'true' };

test('a request without losses goes to the first host', async () => {
  expect((await send({}))[1]).toBe('first');
  expect((await send({}, STRICT))[1]).toBe('first');
});

test('a host that keeps a parameter is tried before one that drops it, and nothing is lost', async () => {
  const [reply, hosts] = await send(PENALTY);
  expect([reply.status, hosts, reply.headers.get('x-trivium-losses')]).toEqual([200, 'second', null]);
  const { weighed } = await recordOf(stand, reply);
  expect(weighed?.map(({ provider, fit }) => [provider, fit])).toEqual([
    ['second', 'keeps'],
    ['third', 'keeps'],
    ['first', 'loses'],
  ]);
});

describe('routing preferences do not change that', () => {
  test.each([
    { type: 'priority', providers: ['first', 'second'] },
    { type: 'round_robin', providers: ['first', 'second'] },
    { primary_factor: 'quality', providers: ['first', 'second'] },
  ])('the preference %j does not move a host that drops a parameter to the front', async (provider) => {
    for (let turn = 0; turn < 2; turn++) expect((await send({ ...PENALTY, provider }))[1]).toBe('second');
  });
});

test('a parameter is dropped and reported where no other host is allowed', async () => {
  const [reply, hosts] = await send({ ...PENALTY, provider: { providers: ['first'] } });
  expect([reply.status, hosts, reply.headers.get('x-trivium-losses')]).toEqual([200, 'first', 'frequency_penalty']);
});

test('strict requests do not go where something would be lost', async () => {
  const [reply, hosts] = await send(PENALTY, STRICT);
  expect([reply.status, hosts]).toEqual([200, 'second']);
  expect((await recordOf(stand, reply)).leftOut).toEqual([{ provider: 'first', modelId: MODEL, why: 'cannot-carry' }]);
  const [refused, hostsOfRefused] = await send({ ...PENALTY, provider: { providers: ['first'] } }, STRICT);
  expect([refused.status, hostsOfRefused]).toEqual([400, '']);
});

test('a host that cannot read the content is excluded, with the reason in the record', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
  const [reply] = await send({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Look' }, image] }] });
  expect(reply.status).toBe(200);
  expect((await recordOf(stand, reply)).leftOut).toEqual([{ provider: 'third', modelId: MODEL, why: 'unsupported' }]);
});
