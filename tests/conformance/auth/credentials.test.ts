import { createLog, loadConfig } from '@trivium/gateway';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../../support/chat-probe.ts';
import { get } from '../../support/model-lists.ts';
import { send } from '../../support/raw-request.ts';
import { KEY, LIMITED_KEY, openStand, postChat, STRICT_KEY, type Stand, UPSTREAM_SECRET } from '../../support/stand.ts';

const EXPIRED_KEY = 'sk-trivium-expired-0123456789abcdefghijklmnopqrst';
const CHAT = '/api/v1/chat/completions';
const JSON_TYPE = ['content-type', 'application/json'] as const;

let stand: Stand;
const logLines: string[] = [];
beforeAll(async () => {
  stand = await openStand({
    log: createLog({ level: 'trace', write: (line) => logLines.push(line) }),
    config: () => ({
      keys: [
        { name: 'test', secret: KEY },
        { name: 'strict', secret: STRICT_KEY, strict: true },
        { name: 'limited', secret: LIMITED_KEY, models: ['openai/gpt-4o'] },
        { name: 'expired', secret: EXPIRED_KEY, expiresAt: '2020-01-01T00:00:00Z' },
      ],
    }),
  });
});
afterAll(() => stand.close());

const call = (headers: readonly string[], path = CHAT) =>
  send(stand, { path, headers: [...JSON_TYPE, ...headers], body: JSON.stringify(ask()) });
const upstreamCalls = (): number => stand.simulator.truth.read().length;

async function expectNoEntry(headers: readonly string[], path = CHAT): Promise<string> {
  const before = upstreamCalls();
  const { status, json } = await call(headers, path);
  expect([headers, status]).toEqual([headers, 401]);
  expect(json).toEqual({
    error: {
      message: expect.stringMatching(/\S/),
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_api_key',
    },
  });
  expect(upstreamCalls()).toBe(before);
  return (json['error'] as { message: string }).message;
}

test('[A-01] partly: a Bearer key authenticates a chat call', async () => {
  expect((await call(['authorization', `Bearer ${KEY}`])).status).toBe(200);
});

test.each(['x-api-key', 'x-goog-api-key'])(
  '[A-02] [A-03] partly: the header %s authenticates a chat call',
  async (name) => {
    expect((await call([name, KEY])).status).toBe(200);
    await expectNoEntry([name, `${KEY}x`]);
  },
);

test('[A-04] the same key in two headers, or in one header twice, is accepted', async () => {
  expect((await call(['authorization', `Bearer ${KEY}`, 'x-goog-api-key', KEY])).status).toBe(200);
  expect((await call(['authorization', `Bearer ${KEY}`, 'x-api-key', KEY, 'x-goog-api-key', KEY])).status).toBe(200);
  expect((await call(['x-api-key', KEY, 'x-api-key', KEY])).status).toBe(200);
});

test.each([
  [['authorization', `Bearer ${KEY}`, 'x-api-key', STRICT_KEY]],
  [['x-api-key', KEY, 'x-goog-api-key', STRICT_KEY]],
  [['authorization', `Bearer ${KEY}`, 'authorization', `Bearer ${STRICT_KEY}`]],
  [['x-goog-api-key', KEY, 'x-goog-api-key', STRICT_KEY]],
])('[A-05] two valid credentials that differ are refused: %j', async (headers) => {
  expect(await expectNoEntry(headers)).toContain('differ');
});

test('[A-06] partly: no credential on the chat route is 401 in the chat form', async () => {
  await expectNoEntry([]);
  await expectNoEntry(['x-api-key', '']);
});

test('[A-07] every kind of wrong key gets the same 401', async () => {
  const wrong = [
    ['authorization', 'Bearer'],
    ['authorization', 'Bearer '],
    ['authorization', 'Basic x'],
    ['authorization', KEY],
    ['authorization', 'Bearer sk-nobody'],
    ['authorization', `Bearer ${KEY.toUpperCase()}`],
    ['authorization', `Bearer ${KEY} x`],
    ['authorization', `Bearer ${EXPIRED_KEY}`],
    ['x-api-key', `Bearer ${KEY}`],
    ['x-api-key', 'x'.repeat(513)],
    ['x-goog-api-key', KEY.slice(0, -1)],
  ];
  const messages = new Set<string>();
  for (const headers of wrong) messages.add(await expectNoEntry(headers));
  expect(messages.size).toBe(1);
  expect((await call(['authorization', `Bearer ${KEY}`])).status).toBe(200);
});

test('[A-08] a key in the query string is ignored, and the error says so', async () => {
  expect(await expectNoEntry([], `${CHAT}?key=${KEY}`)).toContain('query');
  expect(await expectNoEntry([], `${CHAT}?api_key=${KEY}`)).toContain('query');
  await expectNoEntry(['x-api-key', 'sk-nobody'], `${CHAT}?key=${KEY}`);
  expect((await call(['x-api-key', KEY], `${CHAT}?key=other`)).status).toBe(200);
});

test('[A-10] a key barred from a model gets 403, and a revoked key stops at once', async () => {
  const barred = { authorization: `Bearer ${LIMITED_KEY}` };
  const before = upstreamCalls();
  const refused = await postChat(stand, ask({ model: 'compatible/any' }), barred);
  expect(refused.status).toBe(403);
  expect(refused.json['error']).toMatchObject({ type: 'permission_error', param: 'model' });
  expect(upstreamCalls()).toBe(before);
  expect((await postChat(stand, ask(), barred)).status).toBe(200);
  const own = await openStand();
  try {
    expect((await postChat(own, ask())).status).toBe(200);
    const without = loadConfig({ env: {}, text: JSON.stringify({ keys: [{ name: 'other', secret: STRICT_KEY }] }) });
    if ('problems' in without) throw new Error('the second configuration is wrong');
    await own.gateway.reload(without.config);
    const reply = await postChat(own, ask());
    expect(reply.status).toBe(401);
    expect(reply.json['error']).toMatchObject({ code: 'invalid_api_key' });
  } finally {
    await own.close();
  }
});

test('[A-11] credentials appear in no log line, no answer, no record and no upstream request', async () => {
  const canaries = [KEY, STRICT_KEY, LIMITED_KEY, 'sk-canary-unknown-0123456789'];
  const shown: string[] = [];
  for (const secret of canaries)
    for (const body of [ask(), ask({ messages: 5 }), ask({ model: 'no/such' }), ask({ stream: true }), '{'])
      for (const headers of [{ authorization: `Bearer ${secret}` }, { authorization: '', 'x-api-key': secret }]) {
        const reply = await postChat(stand, body, headers as Record<string, string>);
        shown.push(reply.text, JSON.stringify([...reply.headers]));
      }
  shown.push((await get(stand, '/api/anthropic/v1/nothing', { headers: { 'x-api-key': KEY } })).text);
  shown.push((await postChat(stand, ask({ messages: [{ role: 'user', content: 'hi @simulate status=500' }] }))).text);
  shown.push((await postChat(stand, ask({ messages: [{ role: 'user', content: 'hi @simulate status=401' }] }))).text);
  const upstream = stand.simulator.truth.read();
  expect(upstream.length).toBeGreaterThan(0);
  for (const { headers } of upstream) expect(headers.authorization).toBe(`Bearer ${UPSTREAM_SECRET}`);
  expect(stand.records.length).toBeGreaterThan(0);
  expect(logLines.length).toBeGreaterThan(0);
  const everywhere = [
    ...shown,
    ...upstream.map((entry) => JSON.stringify(entry)),
    // Amounts are exact (bigint), which JSON.stringify cannot write.
    JSON.stringify(stand.records, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ...logLines,
  ].join('\n');
  for (const secret of canaries) expect(everywhere.includes(secret)).toBe(false);
  expect([...shown, ...logLines].join('\n').includes(UPSTREAM_SECRET)).toBe(false);
});

test('[A-12] header names and the Bearer scheme are case-insensitive', async () => {
  for (const headers of [
    ['AUTHORIZATION', `bearer ${KEY}`],
    ['Authorization', `BEARER   ${KEY}`],
    ['X-API-KEY', KEY],
    ['X-Goog-Api-Key', KEY],
  ])
    expect([headers[0], (await call(headers)).status]).toEqual([headers[0], 200]);
  await expectNoEntry(['AUTHORIZATION', `bearer ${KEY.toLowerCase()}X`]);
});
