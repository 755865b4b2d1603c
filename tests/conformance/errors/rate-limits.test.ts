import { afterEach, describe, expect, test } from 'vitest';
import { KEY, openStand, postChat, type Stand } from '../../support/stand.ts';

const OTHER_KEY = 'sk-trivium-other-0123456789abcdefghijklmnopqrstuv';
const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];

let stand: Stand;
afterEach(() => stand.close());

const open = async (rateLimits: object): Promise<void> => {
  stand = await openStand({
    config: () => ({
      rateLimits,
      keys: [
        { name: 'test', secret: KEY, account: 'acme' },
        { name: 'other', secret: OTHER_KEY, account: 'acme' },
      ],
    }),
    alsoHosts: () => ({
      providers: {},
      models: [
        {
          id: 'dear/any',
          contextLength: 128_000,
          maxOutputTokens: 16_384,
          endpoints: [
            {
              provider: 'compatible',
              upstreamModel: 'any',
              pricings: { prompt: usd('10000'), completion: usd('10000') },
            },
          ],
        },
      ],
    }),
  });
};

const chat = (key: string = KEY, members: object = {}) =>
  postChat(
    stand,
    { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }], ...members },
    { authorization: `Bearer ${key}` },
  );
const post = (path: string, body: object) =>
  fetch(stand.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  });
const messages = () =>
  post('/api/anthropic/v1/messages', {
    model: 'anthropic/claude-sonnet-4-5',
    max_tokens: 50,
    messages: [{ role: 'user', content: 'Hello' }],
  });
const genai = () =>
  post('/api/vertex-ai/v1/publishers/google/models/gemini-2.5-flash:generateContent', {
    contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
  });

describe('requests per minute', () => {
  test('[N-30] partly: a request above the limit of its key is 429 with retry-after', async () => {
    await open({ perKey: { requestsPerMinute: 12, burst: 2 } });
    expect([(await chat()).status, (await chat()).status]).toEqual([200, 200]);
    const refused = await chat();
    expect(refused.status).toBe(429);
    expect(refused.json['error']).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    const after = Number(refused.headers.get('retry-after'));
    expect(after).toBeGreaterThanOrEqual(1);
    expect(after).toBeLessThanOrEqual(5);
    expect(refused.headers.has('x-should-retry')).toBe(false);
    expect(refused.json['error']).toMatchObject({
      message: 'Rate limit exceeded for this API key: 12 requests per minute.',
    });
    // Another key of the same account has its own limit.
    expect((await chat(OTHER_KEY)).status).toBe(200);
  });

  test('a low limit without a configured burst allows a whole minute’s requests at once', async () => {
    await open({ perKey: { requestsPerMinute: 6 } });
    for (let time = 0; time < 6; time++) expect((await chat()).status).toBe(200);
    expect((await chat()).status).toBe(429);
  });

  test('[E-14] a rate limit refusal has each protocol’s error format, and nothing is sent upstream', async () => {
    await open({ perAccount: { requestsPerMinute: 6, burst: 1 } });
    expect((await chat()).status).toBe(200);
    const before = stand.simulator.truth.read().length;
    const [ofMessages, ofGenai] = [await messages(), await genai()];
    expect([ofMessages.status, ofGenai.status]).toEqual([429, 429]);
    expect(await ofMessages.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
    expect(await ofGenai.json()).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } });
    expect(stand.simulator.truth.read().length).toBe(before);
    expect([ofMessages, ofGenai].every(({ headers }) => Number(headers.get('retry-after')) >= 1)).toBe(true);
  });

  test('rate limit headers report the limit and the remainder, under each protocol’s names', async () => {
    await open({
      perKey: { requestsPerMinute: 60, tokensPerMinute: 100_000 },
      keys: { other: { requestsPerMinute: 6 } },
    });
    const { headers } = await chat();
    expect(headers.get('x-ratelimit-limit-requests')).toBe('60');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('9');
    expect(headers.get('x-ratelimit-reset-requests')).toMatch(/^[\d.]+s$/);
    expect(headers.get('x-ratelimit-limit-tokens')).toBe('100000');
    const streamed = await chat(KEY, { stream: true });
    expect(streamed.headers.get('x-ratelimit-remaining-requests')).toMatch(/^[89]$/);
    const ofMessages = await messages();
    expect(ofMessages.headers.get('anthropic-ratelimit-requests-limit')).toBe('60');
    expect(ofMessages.headers.get('anthropic-ratelimit-tokens-limit')).toBe('100000');
    expect(ofMessages.headers.get('anthropic-ratelimit-requests-reset')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect((await chat(OTHER_KEY)).headers.get('x-ratelimit-limit-requests')).toBe('6');
  });

  test('without limits there are no rate limit headers', async () => {
    await open({});
    const { headers } = await chat();
    expect([...headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
  });
});

describe('tokens and spend per minute', () => {
  test('the actual usage of a request counts against the limit, not only its estimate', async () => {
    await open({ models: { 'openai/gpt-4o': { tokensPerMinute: 60 } } });
    let status = 200;
    for (let n = 0; n < 8 && status === 200; n++) ({ status } = await chat());
    expect(status).toBe(429);
    // Another model is not limited.
    expect((await chat(KEY, { model: 'compatible/any' })).status).toBe(200);
  });

  test('the spend per minute is limited', async () => {
    await open({ perAccount: { usdPerMinute: 1 } });
    const asked = { model: 'dear/any' };
    let spent = 0;
    let reply = await chat(KEY, asked);
    for (let n = 0; n < 20 && reply.status === 200; n++) {
      spent += Number(reply.headers.get('x-trivium-cost'));
      reply = await chat(KEY, asked);
    }
    expect(reply.status).toBe(429);
    expect(String((reply.json['error'] as { message: string }).message)).toContain('$1');
    // The limit of one minute, what was refilled since, and the one request that went over.
    expect(spent).toBeGreaterThan(0.5);
    expect(spent).toBeLessThan(3);
  });

  test('the error for a request larger than the limit of a minute says that it can never fit', async () => {
    await open({ perKey: { tokensPerMinute: 20 } });
    const { status, json, headers } = await chat(KEY, { messages: [{ role: 'user', content: 'x'.repeat(400) }] });
    expect(status).toBe(429);
    expect((json['error'] as { message: string }).message).toContain('more tokens than');
    expect([headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([null, 'false']);
  });
});

test('concurrent requests per key are limited, and a finished request frees its place', async () => {
  await open({ perKey: { inFlight: 1 } });
  const slow = { messages: [{ role: 'user', content: 'Hello @simulate delay=400' }] };
  const statuses = (await Promise.all([chat(KEY, slow), chat(KEY, slow), chat(OTHER_KEY)])).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  expect((await chat()).status).toBe(200);
});
