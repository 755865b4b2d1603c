/** The playground: data-plane calls through the admin listener, with a key and all its limits. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { LISTENER, SPEAKER, silence, soundHosts } from '../support/sound-probe.ts';

const CHAT = {
  path: '/api/v1/chat/completions',
  body: { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] },
};

let stand: AdminStand;
let acme: { readonly keyId: string; readonly secret: string };
beforeAll(async () => {
  stand = await openAdminStand({ alsoHosts: soundHosts });
  acme = await stand.newAccount('acme');
  await stand.newAccount('other');
});
afterAll(() => stand.close());

const play = (call: object, secret = acme.secret): Promise<Response> =>
  fetch(`${stand.gateway.adminUrl}/admin/v1/playground`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(call),
  });
const make = async (name: string, rights: object = {}, secret?: string) => {
  const { json, text } = await stand.admin('POST', '/accounts/acme/keys', { name, rights }, secret);
  if (json['key'] === undefined) throw new Error(text);
  return { id: (json['key'] as { id: string }).id, secret: json['secret'] as string };
};
const fieldOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { error: { field?: string } }).error.field;

test('a playground call is answered like an external one, and recorded and charged to its key', async () => {
  const { id } = await make('played');
  const response = await play({ ...CHAT, keyId: id, headers: { 'x-trivium-strict': 'true' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(response.headers.get('x-trivium-provider')).toBe('openai');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toMatchObject({ object: 'chat.completion' });
  const requestId = response.headers.get('x-request-id');
  await vi.waitFor(async () => {
    const { json } = await stand.admin('GET', `/requests?id=${requestId}`);
    expect(json['items']).toMatchObject([{ accountId: 'acme', keyId: id, outcome: 'ok' }]);
  }, 10_000);
});

test('the playground streams events in every protocol, and lists models with GET', async () => {
  const chat = await play({ ...CHAT, body: { ...CHAT.body, stream: true }, keyId: acme.keyId });
  expect(chat.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(await chat.text()).toMatch(/^data: .*data: \[DONE\]\n\n$/s);
  const messages = await play({
    keyId: acme.keyId,
    path: '/api/anthropic/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model: 'openai/gpt-4o', max_tokens: 50, stream: true, messages: CHAT.body.messages },
  });
  expect(await messages.text()).toMatch(/^event: message_start.*event: message_stop\n/s);
  const models = await play({ keyId: acme.keyId, path: '/api/v1/models' });
  expect(await models.json()).toMatchObject({ data: expect.any(Array) });
});

test('speech comes as events, and a recording goes out as a form, both charged to the key', async () => {
  const speech = { path: '/api/v1/audio/speech', keyId: acme.keyId };
  const spoken = await play({
    ...speech,
    body: { model: SPEAKER, input: 'Hello', voice: 'alloy', stream_format: 'sse' },
  });
  expect(await spoken.text()).toMatch(/^data: \{"type":"speech.audio.delta".*"speech.audio.done"/s);
  const file = { name: 'talk.wav', base64: silence(2).toString('base64') };
  const listen = { path: '/api/v1/audio/transcriptions', keyId: acme.keyId, file };
  const fields = { model: LISTENER, response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] };
  const heard = await play({ ...listen, body: fields });
  expect(await heard.json()).toMatchObject({ words: expect.any(Array), usage: { type: 'duration', seconds: 2 } });
  await vi.waitFor(async () => {
    const { json } = await stand.admin('GET', `/requests?id=${heard.headers.get('x-request-id')}`);
    expect(json['items']).toMatchObject([{ accountId: 'acme', keyId: acme.keyId, costUsd: '0.0002' }]);
  }, 10_000);
  expect((await play({ ...listen, file: { ...file, base64: 'not base64' }, body: fields })).status).toBe(400);
});

test('a refusal of the key is the same as for an external call, with the same status and body', async () => {
  const unknown = await play({ ...CHAT, body: { ...CHAT.body, model: 'no/such' }, keyId: acme.keyId });
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({ error: { message: expect.stringContaining('no/such') } });
  const { id } = await make('narrow', { models: ['anthropic/*'] });
  expect((await play({ ...CHAT, keyId: id })).status).toBe(403);
  const { id: far } = await make('far', { addresses: ['203.0.113.0/24'] });
  expect((await play({ ...CHAT, keyId: far })).status).toBe(401);
  const { id: near } = await make('near', { addresses: ['127.0.0.0/8'] });
  expect((await play({ ...CHAT, keyId: near })).status).toBe(200);
  const { id: slow } = await make('slow', { rateLimits: { requestsPerMinute: 1 } });
  expect([(await play({ ...CHAT, keyId: slow })).status, (await play({ ...CHAT, keyId: slow })).status]).toEqual([
    200, 429,
  ]);
  const { id: gone } = await make('gone');
  await stand.admin('POST', `/accounts/acme/keys/${gone}/revoke`);
  expect((await play({ ...CHAT, keyId: gone })).status).toBe(409);
});

test('a reader who disconnects ends the upstream call', async () => {
  stand.simulator.arm('header-delay=60000');
  const leave = new AbortController();
  const left = fetch(`${stand.gateway.adminUrl}/admin/v1/playground`, {
    method: 'POST',
    signal: leave.signal,
    headers: { authorization: `Bearer ${acme.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...CHAT, body: { ...CHAT.body, stream: true }, keyId: acme.keyId }),
  }).then((response) => response.text());
  await vi.waitFor(() => expect(stand.gateway.gauges.upstreamExchanges).toBe(1), 10_000);
  leave.abort();
  await expect(left).rejects.toThrow();
  await vi.waitFor(
    () => expect(stand.gateway.gauges).toMatchObject({ upstreamExchanges: 0, takenSlots: 0, openHolds: 0 }),
    10_000,
  );
});

describe('restrictions', () => {
  test('the playground accepts only data-plane paths and listed headers', async () => {
    for (const path of ['/admin/v1/accounts', '/livez', '/', '/api/nowhere'])
      expect(await fieldOf(await play({ keyId: acme.keyId, path })), path).toBe('path');
    for (const name of ['authorization', 'x-api-key', 'host', 'x-forwarded-for', 'content-length', 'cookie'])
      expect(await fieldOf(await play({ ...CHAT, keyId: acme.keyId, headers: { [name]: 'x' } })), name).toBe(
        `headers.${name}`,
      );
    expect((await play({ ...CHAT, keyId: acme.keyId, path: '/api/v1/models HTTP/1.1\r\nx: y' })).status).toBe(400);
  });

  test('the playground accepts only keys of the own account, and for developers only their own', async () => {
    const { json } = await stand.admin('POST', '/accounts/other/keys', { name: 'theirs' });
    const theirs = (json['key'] as { id: string }).id;
    expect((await play({ ...CHAT, keyId: theirs })).status).toBe(404);
    const developer = await make('developer', { manages: 'developer' });
    const { id: another } = await make('another');
    expect((await play({ ...CHAT, keyId: another }, developer.secret)).status).toBe(403);
    expect((await play({ ...CHAT, keyId: developer.id }, developer.secret)).status).toBe(200);
    const own = await make('own', {}, developer.secret);
    expect((await play({ ...CHAT, keyId: own.id }, developer.secret)).status).toBe(200);
    const bounded = await make('bounded', { manages: 'admin', models: ['anthropic/*'] });
    expect((await play({ ...CHAT, keyId: another }, bounded.secret)).status).toBe(403);
  });

  test('an operator’s use of an account’s key is in the audit log', async () => {
    expect((await play({ ...CHAT, keyId: acme.keyId }, OPERATOR_SECRET)).status).toBe(200);
    const { json } = await stand.admin('GET', '/audit?limit=1');
    expect(json['items']).toMatchObject([
      { action: 'playground.call', accountId: 'acme', subject: acme.keyId, detail: { path: CHAT.path } },
    ]);
  });
});
