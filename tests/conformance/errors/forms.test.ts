import { FAULT_KINDS, FAULT_RULES } from '@trivium/protocol/canonical';
import { protocolAdapters } from '@trivium/protocol/dialects';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../../support/chat-probe.ts';
import { LIST_PATHS, PROTOCOLS, type Protocol } from '../../support/model-lists.ts';
import { type RawReply, type RawRequest, send } from '../../support/raw-request.ts';
import { KEY, LIMITED_KEY, openStand, type Stand } from '../../support/stand.ts';

const CHAT = '/api/v1/chat/completions';
const AUTH = ['authorization', `Bearer ${KEY}`, 'content-type', 'application/json'] as const;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const isText = expect.stringMatching(/\S/);

/** The whole body of an error, in the form of each protocol. */
const FORM: Readonly<Record<Protocol, (reply: RawReply) => object>> = {
  chat: () => ({
    error: {
      message: isText,
      type: isText,
      param: expect.toSatisfy((param) => param === null || typeof param === 'string'),
      code: isText,
    },
  }),
  messages: ({ headers }) => ({
    type: 'error',
    error: { type: isText, message: isText },
    request_id: headers['x-request-id'],
  }),
  genai: ({ status }) => ({
    error: { code: status, message: isText, status: expect.stringMatching(/^[A-Z_]+$/), details: [] },
  }),
};

async function expectError(protocol: Protocol, status: number, request: RawRequest): Promise<RawReply> {
  const reply = await send(stand, request);
  expect([request.path, reply.status]).toEqual([request.path, status]);
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.json).toEqual(FORM[protocol](reply));
  return reply;
}

const post = (body: unknown, headers: readonly string[] = AUTH): RawRequest => ({
  path: CHAT,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const getPath = (path: string, headers: readonly string[] = []): RawRequest => ({ method: 'GET', path, headers });

test('[E-01] every genai error has the RPC format with the HTTP status inside', async () => {
  const list = LIST_PATHS.genai;
  await expectError('genai', 400, getPath(`${list}?pageSize=x`));
  await expectError('genai', 404, getPath(`${list}/no/such`));
  await expectError('genai', 404, getPath('/api/genai/nothing'));
  await expectError('genai', 405, { method: 'POST', path: list, body: '{}' });
  await expectError('genai', 400, getPath('/api/vertex-ai/../x'));
  await expectError('genai', 415, getPath(list, ['content-encoding', 'br']));
  await expectError('genai', 431, getPath(list, Array.from({ length: 250 }, (_, at) => [`x-${at}`, '1']).flat()));
  await expectError('genai', 431, getPath(list, ['x-large', 'x'.repeat(40_000)]));
});

test('[E-02] every messages error has the messages form with the request id of the header', async () => {
  const list = LIST_PATHS.messages;
  await expectError('messages', 400, getPath(`${list}?limit=0`));
  await expectError('messages', 404, getPath(`${list}/no/such`));
  await expectError('messages', 404, getPath('/api/messages/v1/nothing'));
  await expectError('messages', 405, { method: 'DELETE', path: list });
  await expectError('messages', 400, getPath('/api/anthropic//v1/models'));
  await expectError('messages', 415, getPath(list, ['content-encoding', 'br']));
  await expectError('messages', 431, getPath(list, Array.from({ length: 250 }, (_, at) => [`x-${at}`, '1']).flat()));
});

test('[E-03] every chat error has the chat form, with param null when no field is at fault', async () => {
  const paramOf = (reply: RawReply): unknown => (reply.json['error'] as Record<string, unknown>)['param'];
  expect(paramOf(await expectError('chat', 400, post('{')))).toBeNull();
  expect(paramOf(await expectError('chat', 400, post(ask({ temperature: 'x' }))))).toBe('temperature');
  expect(paramOf(await expectError('chat', 401, post(ask(), AUTH.slice(2))))).toBeNull();
  expect(
    paramOf(
      await expectError(
        'chat',
        403,
        post(ask({ model: 'compatible/any' }), ['authorization', `Bearer ${LIMITED_KEY}`]),
      ),
    ),
  ).toBe('model');
  expect(paramOf(await expectError('chat', 404, post(ask({ model: 'no/such' }))))).toBe('model');
  expect(paramOf(await expectError('chat', 404, getPath('/api/v1/nothing')))).toBeNull();
  expect(paramOf(await expectError('chat', 404, { ...post(ask()), path: '/api/v1/images/nothing' }))).toBeNull();
  await expectError('chat', 405, getPath(CHAT));
  await expectError('chat', 415, post(ask(), ['authorization', `Bearer ${KEY}`, 'content-type', 'text/plain']));
  await expectError('chat', 431, getPath('/api/v1/models', ['x-large', 'x'.repeat(40_000)]));
  await expectError('chat', 502, post(ask({ messages: [{ role: 'user', content: '@simulate status=500' }] })));
});

test.each([
  ['chat', '/api/v1/x'],
  ['messages', '/api/anthropic/x'],
  ['messages', '/api/messages/v1/x'],
  ['genai', '/api/vertex-ai/x'],
  ['genai', '/api/genai/v1beta/x'],
] as const)('[E-04] the prefix decides the form of an unknown route: %s %s', async (protocol, path) => {
  for (const request of [getPath(path), { ...post(ask()), path }]) await expectError(protocol, 404, request);
});

test('[E-05] partly: malformed JSON on the chat route is 400 invalid_value', async () => {
  const before = stand.simulator.truth.read().length;
  for (const body of [
    '{',
    '',
    '[]',
    'null',
    '"x"',
    '{"model":"a",}',
    '{"model":"a","model":"b"}',
    '{"__proto__":{}}',
  ]) {
    const { json } = await expectError('chat', 400, post(body));
    expect(json['error']).toMatchObject({ type: 'invalid_request_error', code: 'invalid_value' });
  }
  expect(stand.simulator.truth.read().length).toBe(before);
});

test('[E-06] partly: a chat validation error names the field in message and param', async () => {
  const { json } = await expectError('chat', 400, post(ask({ temperature: 'hot' })));
  expect(json['error']).toMatchObject({ param: 'temperature', message: expect.stringContaining('temperature') });
});

test('[E-07] [E-09] partly: on the chat route a missing key is 401 and a key without access is 403', async () => {
  const missing = await expectError('chat', 401, post(ask(), AUTH.slice(2)));
  expect(missing.json['error']).toMatchObject({ type: 'invalid_request_error', code: 'invalid_api_key' });
  const barred = await expectError(
    'chat',
    403,
    post(ask({ model: 'compatible/any' }), ['authorization', `Bearer ${LIMITED_KEY}`]),
  );
  expect(barred.json['error']).toMatchObject({ type: 'permission_error', code: 'permission_denied' });
});

test('[E-10] unknown routes and models are 404 in the error format of each protocol', async () => {
  const paths: Readonly<Record<Protocol, readonly string[]>> = {
    chat: ['/api/v1/x', '/api/v1/models/no/such'],
    messages: ['/api/anthropic/x', '/api/anthropic/v1/models/no%2Fsuch'],
    genai: ['/api/vertex-ai/x', '/api/vertex-ai/v1/publishers/no/models/such'],
  };
  const words = {
    chat: { type: 'invalid_request_error' },
    messages: { type: 'not_found_error' },
    genai: { status: 'NOT_FOUND' },
  };
  const codes = ['unknown_url', 'model_not_found'];
  for (const protocol of PROTOCOLS)
    for (const [at, path] of paths[protocol].entries()) {
      const { error } = (await expectError(protocol, 404, getPath(path))).json;
      expect(error).toMatchObject({ ...words[protocol], ...(protocol === 'chat' && { code: codes[at] }) });
    }
});

test.each([
  ['chat', 'GET', CHAT, 'POST', { type: 'invalid_request_error', code: 'method_not_allowed' }],
  ['chat', 'PUT', CHAT, 'POST', { type: 'invalid_request_error', code: 'method_not_allowed' }],
  ['chat', 'POST', LIST_PATHS.chat, 'GET', { type: 'invalid_request_error', code: 'method_not_allowed' }],
  ['messages', 'POST', LIST_PATHS.messages, 'GET', { type: 'invalid_request_error' }],
  ['genai', 'PATCH', LIST_PATHS.genai, 'GET', { status: 'UNIMPLEMENTED' }],
] as const)('[E-11] a wrong method is 405 with Allow: %s %s %s', async (protocol, method, path, allow, words) => {
  const { json, headers } = await expectError(protocol, 405, { method, path });
  expect(json['error']).toMatchObject(words);
  expect(headers['allow']).toBe(allow);
});

const HANDSHAKE = ['sec-websocket-version', '13', 'sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='] as const;
const WEBSOCKET = ['upgrade', 'websocket', ...HANDSHAKE] as const;

test.each([
  ['chat', CHAT, { type: 'invalid_request_error', code: 'upgrade_required' }, WEBSOCKET],
  ['chat', '/api/v1/embeddings', { type: 'invalid_request_error', code: 'upgrade_required' }, WEBSOCKET],
  ['chat', '/v1/responses', { type: 'invalid_request_error', code: 'upgrade_required' }, HANDSHAKE],
  ['messages', '/api/anthropic/v1/messages', { type: 'invalid_request_error' }, WEBSOCKET],
] as const)('[E-11] a WebSocket handshake is 426 and names HTTP: %s %s', async (protocol, path, words, headers) => {
  const asked = ['connection', 'Upgrade', ...headers];
  const { json, headers: replied } = await expectError(protocol, 426, { method: 'GET', path, headers: asked });
  expect(json['error']).toMatchObject(words);
  expect(replied['upgrade']).toBe('HTTP/1.1');
  expect(replied['connection']?.split(', ')).toContain('upgrade');
  expect(replied['allow']).toBeUndefined();
});

test('[E-11] other upgrades stay a wrong method, and a handshake where GET is served is answered as a GET', async () => {
  const h2c = ['connection', 'Upgrade, HTTP2-Settings', 'upgrade', 'h2c', 'http2-settings', 'AAMAAABkAAQAAP__'];
  await expectError('chat', 405, getPath(CHAT, h2c));
  const { status } = await send(stand, getPath(LIST_PATHS.chat, ['connection', 'Upgrade', ...WEBSOCKET]));
  expect(status).toBe(200);
});

test('[E-13] partly: a wrong content type on the chat route is 415', async () => {
  const { json } = await expectError(
    'chat',
    415,
    post(ask(), ['authorization', `Bearer ${KEY}`, 'content-type', 'text/plain']),
  );
  expect(json['error']).toMatchObject({ type: 'invalid_request_error', code: 'unsupported_media_type' });
});

test('[E-20] no protocol maps an error to status 408, 409 or 501', () => {
  const forbidden = [408, 409, 501];
  for (const kind of FAULT_KINDS) {
    expect(forbidden).not.toContain(FAULT_RULES[kind].status);
    for (const protocol of PROTOCOLS) {
      const { status } = protocolAdapters[protocol].encodeFault({ kind, message: 'm' }, 'id');
      expect(forbidden).not.toContain(status);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  }
});

test.each([408, 409, 501])('[E-20] an upstream’s %i reaches the caller as another status', async (status) => {
  const reply = await send(stand, post(ask({ messages: [{ role: 'user', content: `@simulate status=${status}` }] })));
  expect(stand.simulator.truth.last()?.status).toBe(status);
  expect([502, 504]).toContain(reply.status);
});
