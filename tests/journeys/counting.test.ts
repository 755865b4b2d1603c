// Token counting: the gateway asks a host that counts, within a deadline and only where the request may go there; else it
// answers with its own estimate. A header says which.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BEARER, type Json } from '../support/every-protocol.ts';
import { openStand, type Stand, UPSTREAM_SECRET } from '../support/stand.ts';

type Asked = { readonly path: string; readonly body: Json };
const asked: Asked[] = [];
/** The hosts' next answers; undefined: no answer at all. */
let answer: { readonly status: number; readonly body: string } | undefined;

const host = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.once('end', () => {
    asked.push({ path: request.url ?? '', body: JSON.parse(Buffer.concat(pieces).toString()) as Json });
    if (answer !== undefined)
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
});

let stand: Stand;
beforeAll(async () => {
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  stand = await openStand({
    alsoHosts: () => ({
      providers: {
        anthropic: { credential: UPSTREAM_SECRET, baseUrl: url },
        google: { credential: UPSTREAM_SECRET, baseUrl: `${url}/v1beta` },
        openai: { credential: UPSTREAM_SECRET, baseUrl: `${url}/openai` },
      },
      models: [],
    }),
  });
});
afterAll(async () => {
  await stand.close();
  host.closeAllConnections();
  host.close();
});

const CLAUDE = 'anthropic/claude-sonnet-4-5';
const GEMINI = 'google/gemini-2.5-flash';
const GPT = 'openai/gpt-5.5';

async function post(path: string, body: Json, headers: Readonly<Record<string, string>> = {}) {
  asked.length = 0;
  const response = await fetch(`${stand.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...BEARER, ...headers },
    body: JSON.stringify(body),
  });
  const by = response.headers.get('x-trivium-counted-by');
  return { status: response.status, by, json: (await response.json()) as Json };
}
const messages = (model: string, headers = {}) =>
  post(
    '/api/anthropic/v1/messages/count_tokens',
    { model, system: 'Be brief.', messages: [{ role: 'user', content: 'Hello there' }] },
    headers,
  );
const generate = (model: string, headers = {}) => {
  const [owner, name] = model.split('/');
  const contents = [{ role: 'user', parts: [{ text: 'Hello there' }] }];
  return post(`/api/vertex-ai/v1/publishers/${owner}/models/${name}:countTokens`, { contents }, headers);
};
const says = (body: object, status = 200): void => {
  answer = { status, body: JSON.stringify(body) };
};

describe('a host that counts is asked, whatever the caller’s protocol', () => {
  test('a messages caller gets the host’s count', async () => {
    says({ input_tokens: 4711 });
    expect(await messages(CLAUDE)).toEqual({ status: 200, by: 'host', json: { input_tokens: 4711 } });
    expect(asked).toMatchObject([{ path: '/v1/messages/count_tokens', body: { system: expect.anything() } }]);
    expect(Object.keys(asked[0]?.body ?? {})).not.toContain('max_tokens');
    expect(await generate(CLAUDE)).toMatchObject({ by: 'host', json: { totalTokens: 4711 } });
  });
  test('a generateContent caller gets the host’s count', async () => {
    says({ totalTokens: 815 });
    expect(await generate(GEMINI)).toMatchObject({ by: 'host', json: { totalTokens: 815 } });
    expect(asked).toMatchObject([
      {
        path: '/v1beta/models/gemini-2.5-flash:countTokens',
        body: { generateContentRequest: { model: 'models/gemini-2.5-flash', contents: expect.any(Array) } },
      },
    ]);
    expect(await messages(GEMINI)).toMatchObject({ by: 'host', json: { input_tokens: 815 } });
  });
});

test('a Responses host gets only the fields that its counting path takes', async () => {
  says({ object: 'response.input_tokens', input_tokens: 42 });
  expect(await messages(GPT)).toEqual({ status: 200, by: 'host', json: { input_tokens: 42 } });
  expect(asked).toMatchObject([{ path: '/openai/responses/input_tokens', body: { model: 'gpt-5.5' } }]);
  const params = {
    model: '',
    input: [],
    instructions: '',
    reasoning: {},
  } satisfies OpenAI.Responses.InputTokenCountParams;
  expect(Object.keys(params)).toEqual(expect.arrayContaining(Object.keys(asked[0]?.body ?? {})));
});

describe("the tokenizer of OpenAI's models answers", () => {
  test('the tokenizer counts where the host does not', async () => {
    says({ error: 'no' }, 404);
    // 'Be brief.' and 'Hello there' are 3 and 2 tokens, a message 4 more, and the answer begins with 3.
    expect(await messages(GPT)).toEqual({ status: 200, by: 'tokenizer', json: { input_tokens: 3 + 4 + 2 + 3 } });
    expect(await generate(GPT)).toMatchObject({ by: 'tokenizer', json: { totalTokens: 4 + 2 + 3 } });
  });
  test('the tokenizer is not used for long texts, which would block the thread for seconds', async () => {
    says({ error: 'no' }, 404);
    const content = 'word '.repeat(220_000);
    const call = { model: GPT, messages: [{ role: 'user', content }] };
    expect(await post('/api/anthropic/v1/messages/count_tokens', call)).toMatchObject({ by: 'estimate' });
  });
});

describe('the gateway’s estimate', () => {
  test('the gateway estimates where no host counts, and asks none', async () => {
    expect(await messages('compatible/any')).toMatchObject({ status: 200, by: 'estimate' });
    expect(asked).toEqual([]);
  });
  test.each([
    ['refuses', { error: 'no' }, 400],
    ['fails', {}, 500],
    ['answers with something else', { input_tokens: 'many' }, 200],
  ])('the gateway estimates where the host %s', async (_case, body, status) => {
    says(body, status);
    expect(await messages(CLAUDE)).toMatchObject({
      status: 200,
      by: 'estimate',
      json: { input_tokens: expect.any(Number) },
    });
    expect(asked).toHaveLength(1);
  });
  test('the gateway estimates where the call could not be sent to the host, and asks none', async () => {
    says({ input_tokens: 4711 });
    const clip = { inlineData: { mimeType: 'video/mp4', data: 'AAAAIGZ0eXBpc29t' } };
    const path = '/api/vertex-ai/v1/publishers/anthropic/models/claude-sonnet-4-5:countTokens';
    const counted = await post(path, { contents: [{ role: 'user', parts: [{ text: 'Look' }, clip] }] });
    expect(counted).toMatchObject({ status: 200, by: 'estimate', json: { totalTokens: expect.any(Number) } });
    expect(asked).toEqual([]);
  });
  test('the gateway estimates where the host does not answer', async () => {
    answer = undefined;
    expect(await messages(CLAUDE)).toMatchObject({ status: 200, by: 'estimate' });
  });
  test('the gateway estimates where the request has routing preferences, which restrict the hosts it may reach', async () => {
    says({ input_tokens: 4711 });
    expect(await messages(CLAUDE, { 'x-trivium-zdr': 'true' })).toMatchObject({ status: 200, by: 'estimate' });
    expect(asked).toEqual([]);
  });
});

describe('a burst of counts, as /context of Claude Code sends it', () => {
  const SLOW_KEY = 'sk-trivium-slow-0123456789abcdefghijklmnopqrstuvwxyz';
  let slow: Stand;
  beforeAll(async () => {
    slow = await openStand({
      config: () => ({
        keys: [{ name: 'slow', secret: SLOW_KEY }],
        rateLimits: { keys: { slow: { requestsPerMinute: 1, burst: 1, tokensPerMinute: 100 } } },
      }),
    });
  });
  afterAll(() => slow.close());
  const postSlow = (path: string, body: Json): Promise<Response> =>
    fetch(`${slow.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        authorization: `Bearer ${SLOW_KEY}`,
      },
      body: JSON.stringify(body),
    });
  const CALL = { model: 'compatible/any', max_tokens: 5, messages: [{ role: 'user', content: 'Hello there' }] };

  test('counts take nothing from the limits per minute, and need nothing of them', async () => {
    const { max_tokens: _, ...counted } = CALL;
    const contents = [{ role: 'user', parts: [{ text: 'Hello there' }] }];
    const burst = async (): Promise<number[]> => {
      const replies = await Promise.all([
        ...Array.from({ length: 26 }, () => postSlow('/v1/messages/count_tokens', counted)),
        postSlow('/v1beta/models/compatible/any:countTokens', { contents }),
      ]);
      await Promise.all(replies.map((reply) => reply.text()));
      return [...new Set(replies.map(({ status }) => status))];
    };
    expect(await burst()).toEqual([200]);
    // The one request of this minute is still there.
    const call = await postSlow('/v1/messages', CALL);
    expect([call.status, (await call.text()).length > 0]).toEqual([200, true]);
    expect((await postSlow('/v1/messages', CALL)).status).toBe(429);
    expect(await burst()).toEqual([200]);
    expect(slow.records).toHaveLength(1);
  });
});

// The last test of this file: its host stays out of service.
test('a host that is out of service is not asked to count', async () => {
  says({ error: { type: 'authentication_error', message: 'no' } }, 401);
  const call = { model: CLAUDE, max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] };
  expect((await post('/api/anthropic/v1/messages', call)).status).toBeGreaterThanOrEqual(500);
  says({ input_tokens: 4711 });
  expect(await messages(CLAUDE)).toMatchObject({ status: 200, by: 'estimate' });
  expect(asked).toEqual([]);
});
