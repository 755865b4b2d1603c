import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, lossy, recordOf, refused, served } from '../../support/chat-probe.ts';
import { get, LIST_PATHS } from '../../support/model-lists.ts';
import { send } from '../../support/raw-request.ts';
import { KEY, openStand, postChat, STRICT_KEY, type Stand } from '../../support/stand.ts';

const CHAT = '/api/v1/chat/completions';
const AUTH = ['authorization', `Bearer ${KEY}`] as const;
const LOSSES = 'x-trivium-losses';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const upstreamCalls = (): number => stand.simulator.truth.read().length;
const withType = (...type: readonly string[]) =>
  send(stand, { path: CHAT, headers: [...AUTH, ...type], body: JSON.stringify(ask()) });

test('[A-25] partly: a chat body is accepted with the JSON content type, or with none', async () => {
  for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON ;charset=UTF-8'])
    expect([type, (await withType('content-type', type)).status]).toEqual([type, 200]);
  expect((await withType()).status).toBe(200);
  const before = upstreamCalls();
  for (const type of [
    'text/plain',
    'application/jsonx',
    'application/x-json',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    '',
  ]) {
    const { status, json } = await withType('content-type', type);
    expect([type, status]).toEqual([type, 415]);
    expect(json['error']).toMatchObject({ type: 'invalid_request_error', code: 'unsupported_media_type' });
  }
  expect(upstreamCalls()).toBe(before);
});

test.each([
  ['/api/v2/chat/completions', 'POST'],
  ['/api/v2/models', 'GET'],
  ['/api/chat/completions', 'POST'],
  ['/api/vertex-ai/v9/models', 'GET'],
  ['/api/vertex-ai/v9/publishers/p/models/m:generateContent', 'POST'],
  ['/api/genai/v2/models', 'GET'],
  ['/api/anthropic/v2/models', 'GET'],
])('[A-31] a wrong version segment is 404: %s', async (path, method) => {
  const before = upstreamCalls();
  const body = method === 'POST' ? { body: JSON.stringify(ask()) } : {};
  const { status, json } = await send(stand, {
    path,
    method,
    headers: [...AUTH, 'content-type', 'application/json'],
    ...body,
  });
  expect(status).toBe(404);
  expect(json['error']).toBeDefined();
  expect(upstreamCalls()).toBe(before);
});

test('[A-32] partly: the chat route ignores the query string', async () => {
  for (const query of ['?beta=true', '?alt=sse', '?api-version=2024-01-01&x'])
    expect(
      (
        await send(stand, {
          path: CHAT + query,
          headers: [...AUTH, 'content-type', 'application/json'],
          body: JSON.stringify(ask()),
        })
      ).status,
    ).toBe(200);
});

test('[A-33] every response carries one new request id under both header names', async () => {
  const headers = { authorization: `Bearer ${KEY}` };
  const replies = [
    await postChat(stand, ask()),
    await postChat(stand, ask({ stream: true })),
    await postChat(stand, ask({ n: 5 })),
    await postChat(stand, ask(), { authorization: 'Bearer sk-nobody' }),
    await postChat(stand, ask({ model: 'no/such' })),
    await postChat(stand, ask({ messages: [{ role: 'user', content: '@simulate status=500' }] })),
    ...(await Promise.all(Object.values(LIST_PATHS).map((path) => get(stand, path, { headers })))),
    await get(stand, '/api/v1/nothing'),
    await get(stand, '/api/anthropic/nothing'),
    await get(stand, '/api/vertex-ai/nothing'),
    await get(stand, '/nothing/at/all'),
    await get(stand, CHAT),
  ];
  const ids = replies.map(({ headers: own }) => own.get('x-request-id'));
  for (const [position, reply] of replies.entries()) {
    expect(ids[position]).toMatch(/^\S{16,}$/);
    expect(reply.headers.get('request-id')).toBe(ids[position]);
  }
  expect(new Set(ids).size).toBe(replies.length);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400, 401, 404, 405, 502]));
});

test('[A-34] a JSON answer and its request record list the losses; without losses there is no header', async () => {
  await lossy(stand, ask({ seed: 1, user: 'u' }), 'seed', 'user');
  const { reply } = await served(stand, ask());
  expect(reply.headers.get(LOSSES)).toBeNull();
  expect((await recordOf(stand, reply)).losses).toEqual([]);
});

test('[A-34] a streamed answer lists its losses in the header, too', async () => {
  const lossyStream = await postChat(stand, ask({ stream: true, seed: 1, store: true }));
  expect(lossyStream.headers.get(LOSSES)?.split(',').sort()).toEqual(['seed', 'store']);
  expect((await recordOf(stand, lossyStream)).losses?.map(({ path }) => path).sort()).toEqual(['seed', 'store']);
  const plain = await postChat(stand, ask({ stream: true }));
  expect([plain.status, plain.headers.get(LOSSES)]).toEqual([200, null]);
});

test('[A-35] the strict header turns any loss into 400 naming the field, and only losses', async () => {
  const strict = { 'x-trivium-strict': 'true' };
  for (const [field, value] of [
    ['seed', 1],
    ['user', 'u'],
    ['reasoning_effort', 'high'],
  ] as const) {
    await refused(stand, ask({ [field]: value }), field, strict);
    await refused(stand, ask({ [field]: value, stream: true }), field, strict);
    await served(stand, ask({ [field]: value }), { 'x-trivium-strict': 'false' });
  }
  await served(stand, ask({ temperature: 0.5 }), strict);
});

test('[A-36] a strict key refuses losses, and a header cannot loosen it', async () => {
  const key = { authorization: `Bearer ${STRICT_KEY}` };
  await refused(stand, ask({ seed: 1 }), 'seed', key);
  await refused(stand, ask({ seed: 1 }), 'seed', { ...key, 'x-trivium-strict': 'false' });
  await served(stand, ask({ temperature: 0.5 }), key);
});

test('[A-37] neither our own headers nor the caller’s credentials or cookies go upstream', async () => {
  await served(stand, ask(), {
    'x-trivium-strict': 'true',
    'x-trivium-anything': 'x',
    'x-api-key': KEY,
    'x-goog-api-key': KEY,
    cookie: 'session=1',
    'x-forwarded-for': '1.2.3.4',
  });
  const { headers } = stand.simulator.truth.last()!;
  expect(Object.keys(headers).filter((name) => /^(x-|cookie|forwarded|proxy-)/.test(name))).toEqual([]);
  expect(JSON.stringify(headers)).not.toContain(KEY);
});
