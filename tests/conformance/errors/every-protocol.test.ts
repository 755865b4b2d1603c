/** Rules of E, A, P and L about all protocols: the same failure on each, in its own error format. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BEARER,
  call,
  errorMessage,
  errorWord,
  PROTOCOL_CALLS,
  type ProtocolCall,
} from '../../support/every-protocol.ts';
import { KEY, LIMITED_KEY, openStand, type Stand } from '../../support/stand.ts';

const MODEL = 'openai/gpt-4o';
const OTHERS = ['anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'];
const BODY_LIMIT = 4000;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    config: () => ({
      limits: { bodyBytes: BODY_LIMIT },
      timeouts: { firstByteMs: 2000 },
    }),
  });
});
afterAll(() => stand.close());

type Words = { readonly genai: string; readonly messages: string; readonly openai: string };
const wordOf = ({ name }: ProtocolCall, words: Words): string =>
  name === 'genai' ? words.genai : name === 'messages' ? words.messages : words.openai;

describe.each(PROTOCOL_CALLS.map((protocol) => [protocol.name, protocol] as const))('%s', (_name, protocol) => {
  const upstreamCalls = () => stand.simulator.truth.read().length;

  test.each(['authorization', 'x-api-key', 'x-goog-api-key'])(
    '[A-01] [A-02] [A-03] a key in the header %s is accepted',
    async (name) => {
      const headers = { [name]: name === 'authorization' ? `Bearer ${KEY}` : KEY };
      expect((await call(stand, protocol, MODEL, undefined, headers)).status).toBe(200);
      const wrong = { [name]: name === 'authorization' ? 'Bearer sk-wrong' : 'sk-wrong' };
      expect((await call(stand, protocol, MODEL, undefined, wrong)).status).toBe(401);
    },
  );

  test('[A-06] [E-07] a missing or wrong key is 401 in the protocol’s error format, and nothing is sent upstream', async () => {
    const before = upstreamCalls();
    for (const headers of [{}, { authorization: 'Bearer sk-wrong' }]) {
      const reply = await call(stand, protocol, MODEL, undefined, headers);
      expect([reply.status, errorWord(protocol, reply)]).toEqual([
        401,
        wordOf(protocol, {
          genai: 'UNAUTHENTICATED',
          messages: 'authentication_error',
          openai: 'invalid_request_error/invalid_api_key',
        }),
      ]);
    }
    expect(upstreamCalls()).toBe(before);
  });

  test('[A-32] the route ignores the query string', async () => {
    expect((await call(stand, protocol, MODEL, undefined, BEARER, '?beta=true')).status).toBe(200);
  });

  test('[A-39] a key belongs to the same account on every protocol', async () => {
    const reply = await call(stand, protocol, MODEL);
    const id = reply.headers.get('x-request-id');
    await expect.poll(() => stand.records.some(({ requestId }) => requestId === id)).toBe(true);
    const record = stand.records.find(({ requestId }) => requestId === id);
    const first = stand.records[0];
    expect([record?.accountId, record?.keyId]).toEqual([first?.accountId, first?.keyId]);
  });

  test.each(['{', '', '[]', 'null'])('[E-05] the body %j is refused as malformed', async (body) => {
    const before = upstreamCalls();
    const reply = await call(stand, protocol, MODEL, body);
    const words = {
      genai: 'INVALID_ARGUMENT',
      messages: 'invalid_request_error',
      openai: 'invalid_request_error/invalid_value',
    };
    expect([reply.status, errorWord(protocol, reply)]).toEqual([400, wordOf(protocol, words)]);
    expect(upstreamCalls()).toBe(before);
  });

  test('[E-06] the error for a bad value uses the caller’s field name', async () => {
    const bad = protocol.name === 'genai' ? { generationConfig: { temperature: 'x' } } : { temperature: 'x' };
    const field = protocol.name === 'genai' ? 'generationConfig.temperature' : 'temperature';
    const reply = await call(stand, protocol, MODEL, protocol.body(MODEL, 'Hello', bad));
    expect([reply.status, errorMessage(reply).includes(`'${field}'`)]).toEqual([400, true]);
    if (protocol.name === 'chat') expect(reply.json['error']).toMatchObject({ param: 'temperature' });
    const good = protocol.name === 'genai' ? { generationConfig: { temperature: 1 } } : { temperature: 1 };
    expect((await call(stand, protocol, MODEL, protocol.body(MODEL, 'Hello', good))).status).toBe(200);
  });

  test('[E-09] a key without access to the model is 403, one with access is served', async () => {
    const limited = { authorization: `Bearer ${LIMITED_KEY}` };
    const reply = await call(stand, protocol, OTHERS[0] ?? '', undefined, limited);
    const words = {
      genai: 'PERMISSION_DENIED',
      messages: 'permission_error',
      openai: 'permission_error/permission_denied',
    };
    expect([reply.status, errorWord(protocol, reply)]).toEqual([403, wordOf(protocol, words)]);
    expect((await call(stand, protocol, MODEL, undefined, limited)).status).toBe(200);
  });

  test('[E-12] a body one byte over the limit is 413, a body of exactly the limit is not', async () => {
    const empty = JSON.stringify(protocol.body(MODEL, '')).length;
    const at = protocol.body(MODEL, 'a'.repeat(BODY_LIMIT - empty));
    expect(JSON.stringify(at)).toHaveLength(BODY_LIMIT);
    expect((await call(stand, protocol, MODEL, at)).status).toBe(200);
    const reply = await call(stand, protocol, MODEL, protocol.body(MODEL, 'a'.repeat(BODY_LIMIT - empty + 1)));
    const words = {
      genai: 'INVALID_ARGUMENT',
      messages: 'request_too_large',
      openai: 'invalid_request_error/request_too_large',
    };
    expect([reply.status, errorWord(protocol, reply)]).toEqual([413, wordOf(protocol, words)]);
  });

  test('[E-13] a text/plain body is 415', async () => {
    const reply = await call(stand, protocol, MODEL, undefined, { ...BEARER, 'content-type': 'text/plain' });
    const words = {
      genai: 'INVALID_ARGUMENT',
      messages: 'invalid_request_error',
      openai: 'invalid_request_error/unsupported_media_type',
    };
    expect([reply.status, errorWord(protocol, reply)]).toEqual([415, wordOf(protocol, words)]);
  });

  test.each(['status=500', 'fault=html-200', 'fault=truncated-json'])(
    '[E-16] a failing upstream (%s) is 502',
    async (how) => {
      const reply = await call(stand, protocol, MODEL, protocol.body(MODEL, `Hi @simulate ${how}`));
      const words = { genai: 'UNAVAILABLE', messages: 'api_error', openai: 'server_error/upstream_error' };
      expect([reply.status, errorWord(protocol, reply)]).toEqual([502, wordOf(protocol, words)]);
    },
  );

  test('[E-17] an overloaded upstream is 503, on messages 529, with retry-after', async () => {
    const reply = await call(stand, protocol, MODEL, protocol.body(MODEL, 'Hi @simulate status=503 retry-after=7'));
    const words = { genai: 'UNAVAILABLE', messages: 'overloaded_error', openai: 'server_error/overloaded' };
    const status = protocol.name === 'messages' ? 529 : 503;
    expect([reply.status, errorWord(protocol, reply)]).toEqual([status, wordOf(protocol, words)]);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('[E-18] an upstream that does not answer is 504', async () => {
    const reply = await call(stand, protocol, MODEL, protocol.body(MODEL, 'Hi @simulate fault=stall-before-headers'));
    const words = { genai: 'DEADLINE_EXCEEDED', messages: 'timeout_error', openai: 'server_error/timeout' };
    expect([reply.status, errorWord(protocol, reply)]).toEqual([504, wordOf(protocol, words)]);
  });

  test.each(['openai/no-such', 'nobody/gpt-4o'])('[P-06] the unknown model %s is 404', async (model) => {
    const before = upstreamCalls();
    expect((await call(stand, protocol, model)).status).toBe(404);
    expect(upstreamCalls()).toBe(before);
  });

  test('[L-09] every listed model id is accepted in a call', async () => {
    const list = await fetch(`${stand.url}/api/v1/models`);
    type Entry = { id: string; input_modalities: string[]; output_modalities: string[] };
    const { data } = (await list.json()) as { data: Entry[] };
    // Models that make text of recordings alone are called where recordings are sent.
    const talks = ({ input_modalities: taken, output_modalities: made }: Entry): boolean =>
      taken.includes('text') && made.includes('text') && !made.includes('video');
    const ids = data.filter(talks).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([MODEL, ...OTHERS]));
    const statuses: Record<string, number> = {};
    for (const id of ids) statuses[id] = (await call(stand, protocol, id)).status;
    expect(statuses).toEqual(Object.fromEntries(ids.map((id) => [id, 200])));
    expect((await call(stand, protocol, 'openai/unlisted')).status).toBe(404);
  });
});

test('[P-28] routing preferences are an unknown field outside chat: a loss, refused in strict mode', async () => {
  const protocol = PROTOCOL_CALLS.find(({ name }) => name === 'messages') as ProtocolCall;
  const body = protocol.body(MODEL, 'Hello', { provider: { order: ['openai'] } });
  const reply = await call(stand, protocol, MODEL, body);
  expect([reply.status, reply.headers.get('x-trivium-losses')]).toEqual([200, 'provider']);
  expect(stand.simulator.truth.last()?.bodyText).not.toContain('"provider"');
  const strict = await call(stand, protocol, MODEL, body, { ...BEARER, 'x-trivium-strict': 'true' });
  expect(strict.status).toBe(400);
});
