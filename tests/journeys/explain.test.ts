// Every request can be explained afterwards, to its own account only, and every call planned beforehand, without
// calling a host.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type Answered,
  BEARER,
  call,
  errorMessage,
  type Json,
  PROTOCOL_CALLS,
  type ProtocolCall,
} from '../support/every-protocol.ts';
import { KEY, LIMITED_KEY, STRICT_KEY, type Stand, UPSTREAM_SECRET } from '../support/stand.ts';
import { askedBy, openThreeHosts, TRIO, whileDown } from '../support/three-hosts.ts';

const FOREIGN_KEY = 'sk-trivium-foreign-0123456789abcdefghijklmnopqrst';

let stand: Stand;
beforeAll(async () => {
  stand = await openThreeHosts({
    keys: [
      { name: 'test', secret: KEY },
      { name: 'strict', secret: STRICT_KEY, strict: true },
      { name: 'limited', secret: LIMITED_KEY, models: ['openai/gpt-4o'] },
      { name: 'foreign', secret: FOREIGN_KEY, account: 'another' },
    ],
  });
});
afterAll(() => stand.close());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function get(
  path: string,
  headers: Readonly<Record<string, string>> = BEARER,
): Promise<Answered & { text: string }> {
  const response = await fetch(`${stand.url}${path}`, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) as Json };
}

/** Records are written after the answer has begun. */
const explained = (reply: Answered): Promise<Json> =>
  vi.waitFor(async () => {
    const found = await get(`/api/v1/requests/${reply.headers.get('x-request-id')}`);
    expect(found.status).toBe(200);
    return found.json;
  });

async function dryRun(
  protocol: ProtocolCall,
  model: string,
  headers: Readonly<Record<string, string>> = {},
  body: unknown = protocol.body(model),
): Promise<Answered> {
  const response = await fetch(`${stand.url}/api/v1/route`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...protocol.headers,
      ...BEARER,
      'x-trivium-path': protocol.path(model),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}

const hostsIn = (steps: unknown): unknown[] => (steps as Json[]).map(({ provider }) => provider);

describe.each(PROTOCOL_CALLS)('$name', (protocol: ProtocolCall) => {
  test('a request explanation lists the hosts tried, why, and the outcome of each', async () => {
    const preferences = { ...BEARER, 'x-trivium-provider': 'west,north', 'x-trivium-factor': 'cost' };
    const reply = await whileDown(stand, ['west'], () => call(stand, protocol, TRIO, protocol.body(TRIO), preferences));
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-trivium-provider')).toBe('north');
    expect(reply.headers.get('x-trivium-attempts')).toBe('2');
    const explanation = await explained(reply);
    expect(explanation).toMatchObject({
      object: 'request',
      id: reply.headers.get('x-request-id'),
      model: TRIO,
      stream: false,
      provider: 'north',
      outcome: 'ok',
      cost_usd: reply.headers.get('x-trivium-cost'),
      lane:
        protocol.name === 'chat'
          ? { kind: 'verbatim', why: null }
          : { kind: 'translated', why: expect.stringMatching(/ to openai-chat$/) },
      attempts: [
        { provider: 'west', outcome: 'upstream-broken', duration_ms: expect.any(Number) },
        { provider: 'north', outcome: 'ok', duration_ms: expect.any(Number) },
      ],
      decision: {
        decided_by: 'cost',
        models_by: null,
        order: [
          { provider: 'west', model: TRIO, scores: { usd_per_million: 1, maker: false, holds_cache: false } },
          { provider: 'north', model: TRIO, scores: { usd_per_million: 2 } },
        ],
        left_out: [{ provider: 'east', model: TRIO, why: 'not-among-providers' }],
      },
    });
    expect(JSON.stringify(explanation)).not.toContain(UPSTREAM_SECRET);
    expect(JSON.stringify(explanation)).not.toContain(new URL(stand.simulator.url).host);
  });

  test('a dry run returns the plan of a call, and calls no host', async () => {
    const preferences = { 'x-trivium-factor': 'cost', 'x-trivium-fallback': 'east' };
    const [plan, asked] = await askedBy(stand, () => dryRun(protocol, TRIO, preferences));
    expect([plan.status, asked]).toEqual([200, []]);
    expect(plan.json).toMatchObject({ object: 'route', model: TRIO, decision: { decided_by: 'cost' } });
    expect(hostsIn(plan.json['plan'])).toEqual(['west', 'east']);
    expect((plan.json['decision'] as Json)['left_out']).toEqual([
      { provider: 'north', model: TRIO, why: 'not-the-fallback' },
    ]);
    const [, called] = await askedBy(stand, () =>
      call(stand, protocol, TRIO, protocol.body(TRIO), { ...BEARER, ...preferences }),
    );
    expect(called[0]?.host).toBe('west');
  });

  test('a dry run refuses an unknown model exactly as a call does', async () => {
    const plan = await dryRun(protocol, 'trio/none');
    expect([plan.status, errorMessage(plan)]).toEqual([404, expect.stringContaining('trio/none')]);
  });
});

describe('access to a request', () => {
  test('a request of another account is the same 404 as an unknown one', async () => {
    const reply = await call(stand, PROTOCOL_CALLS[0], TRIO);
    await explained(reply);
    const id = reply.headers.get('x-request-id') ?? '';
    const unknown = await get('/api/v1/requests/01ARZ3NDEKTSV4RRFFQ69G5FAV');
    expect(unknown.status).toBe(404);
    for (const hidden of [
      await get(`/api/v1/requests/${id}`, bearer(FOREIGN_KEY)),
      await get('/api/v1/requests/1'),
      await get('/api/v1/requests/%20'),
      await get(`/api/v1/requests/${id.toLowerCase()}x`),
      await get(`/api/v1/requests/${'9'.repeat(300)}`),
    ])
      expect([hidden.status, hidden.text]).toEqual([404, unknown.text]);
  });
  test.each([
    ['/api/v1/requests/01ARZ3NDEKTSV4RRFFQ69G5FAV', 'request_not_found'],
    ['/api/v1/generation?id=01ARZ3NDEKTSV4RRFFQ69G5FAV', 'request_not_found'],
    ['/api/v1/generation?id=1', 'request_not_found'],
    ['/api/v1/usage', 'usage_not_kept'],
  ])('%s is a 404 with the code %s, not that of a missing model', async (path, code) => {
    const { status, json } = await get(path);
    expect([status, json['error']]).toEqual([404, expect.objectContaining({ code })]);
  });
  test('another key of the account may read a request, a caller without a valid key gets 401', async () => {
    const reply = await call(stand, PROTOCOL_CALLS[0], TRIO);
    await explained(reply);
    const path = `/api/v1/requests/${reply.headers.get('x-request-id')}`;
    expect((await get(path, bearer(STRICT_KEY))).status).toBe(200);
    expect((await get(path, {})).status).toBe(401);
    expect((await get(path, bearer('sk-trivium-nobody-0123456789abcdefghijklmnopqrstu'))).status).toBe(401);
  });
  test('a failed request is explained, too', async () => {
    const reply = await whileDown(stand, ['east'], () =>
      call(stand, PROTOCOL_CALLS[0], TRIO, PROTOCOL_CALLS[0].body(TRIO), { ...BEARER, 'x-trivium-fallback': 'false' }),
    );
    expect(reply.status).toBe(502);
    expect(await explained(reply)).toMatchObject({
      model: TRIO,
      provider: 'east',
      outcome: 'upstream-broken',
      first_token_ms: null,
      cost_usd: null,
    });
  });
  test('the decision is null where only one host was possible', async () => {
    const reply = await call(stand, PROTOCOL_CALLS[0], 'openai/gpt-4o');
    expect(await explained(reply)).toMatchObject({ provider: 'openai', decision: null });
  });
});

describe('a dry run', () => {
  const [chat] = PROTOCOL_CALLS;
  const roundRobin = { 'x-trivium-strategy': 'round_robin' };
  test('a dry run takes no round-robin turn and no slot, and leaves no record', async () => {
    const plans = await Promise.all([1, 2, 3].map(() => dryRun(chat, TRIO, roundRobin)));
    const [first] = plans.map(({ json }) => hostsIn(json['plan'])[0]);
    expect(plans.map(({ json }) => hostsIn(json['plan'])[0])).toEqual([first, first, first]);
    const [, asked] = await askedBy(stand, () =>
      call(stand, chat, TRIO, chat.body(TRIO), { ...BEARER, ...roundRobin }),
    );
    expect(asked[0]?.host).toBe(first);
    expect(stand.gateway.gauges).toMatchObject({ openHolds: 0, takenSlots: 0 });
    for (const { headers } of plans)
      expect((await get(`/api/v1/requests/${headers.get('x-request-id')}`)).status).toBe(404);
  });
  test('a dry run lists the lane, losses and refusals of each step', async () => {
    const messages = PROTOCOL_CALLS[2];
    const body = messages.body(TRIO, 'Hello', { top_k: 5, metadata: { user_id: 'u' } });
    const { json } = await dryRun(messages, TRIO, { 'x-trivium-provider': 'west' }, body);
    expect(json['plan']).toEqual([
      {
        provider: 'west',
        model: TRIO,
        lane: { kind: 'translated', why: 'anthropic-messages to openai-chat' },
        losses: expect.arrayContaining([{ field: 'top_k', why: expect.any(String) }]),
        refusal: null,
      },
    ]);
    const strict = await dryRun(messages, TRIO, { 'x-trivium-provider': 'west', 'x-trivium-strict': 'true' }, body);
    expect(strict.json['plan']).toMatchObject([
      { provider: 'west', lane: null, refusal: expect.stringMatching(/strict/) },
    ]);
  });
  test('a dry run plans a chat completion unless a header names another path', async () => {
    const response = await fetch(`${stand.url}/api/v1/route`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...BEARER },
      body: JSON.stringify(chat.body(TRIO)),
    });
    expect(await response.json()).toMatchObject({ protocol: 'chat', model: TRIO });
    for (const path of ['/api/v1/models', '/nowhere', 'https://example.com/', '/api/v1/route']) {
      const refused = await dryRun(chat, TRIO, { 'x-trivium-path': path });
      expect([refused.status, errorMessage(refused)]).toEqual([400, expect.stringContaining("'x-trivium-path'")]);
    }
  });
  test('a dry run needs a key with access to the model, and a valid body', async () => {
    expect((await dryRun(chat, TRIO, bearer(LIMITED_KEY))).status).toBe(403);
    expect((await dryRun(chat, TRIO, { authorization: '' })).status).toBe(401);
    expect((await dryRun(chat, TRIO, {}, { model: TRIO })).status).toBe(400);
  });
});
