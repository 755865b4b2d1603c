// Paths that are passed through: which are open, what goes up, what comes back, and who may call them.
import { connect } from 'node:net';
import { loadConfig } from '@trivium/gateway';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openPassthroughStand, type PassthroughStand, pass, ROUTES, sayJson } from '../../support/passthrough-host.ts';
import { KEY, openStand, UPSTREAM_SECRET } from '../../support/stand.ts';

const NAMED_KEY = 'sk-trivium-named-0123456789abcdefghijklmnopqrstuvw';
const OPENED_KEY = 'sk-trivium-opened-0123456789abcdefghijklmnopqrstuv';
const TEXT_KEY = 'sk-trivium-text-0123456789abcdefghijklmnopqrstuvwx';
const ELSEWHERE_KEY = 'sk-trivium-elsewhere-0123456789abcdefghijklmnopqrs';
const SLOW_KEY = 'sk-trivium-slow-0123456789abcdefghijklmnopqrstuvwx';

let stand: PassthroughStand;
beforeAll(async () => {
  stand = await openPassthroughStand(
    {
      rateLimits: { keys: { slow: { requestsPerMinute: 1, burst: 1 } } },
      keys: [
        { name: 'test', secret: KEY },
        { name: 'named', secret: NAMED_KEY, models: ['openai/*'] },
        { name: 'opened', secret: OPENED_KEY, models: ['passthrough/small'] },
        { name: 'text', secret: TEXT_KEY, endpoints: ['text'] },
        { name: 'elsewhere', secret: ELSEWHERE_KEY, providers: ['openai'] },
        { name: 'slow', secret: SLOW_KEY },
      ],
    },
    { bodyBytes: 1000, answerBytes: 2000 },
  );
});
afterAll(() => stand.close());
afterEach(() => {
  stand.host.answer = undefined;
  stand.host.seen.length = 0;
});

test('[PT-01] nothing is open until the operator opens it', async () => {
  const shut = await openStand();
  expect((await pass(shut, 'openai/moderations')).status).toBe(404);
  await shut.close();
});

describe('a path that is open', () => {
  test('[PT-05] is called with the operator’s credential and nothing of the caller’s but the body', async () => {
    const body = '{ "input" : "1.0",  "b":1e2 }';
    const { status } = await pass(stand, 'small/moderations', {
      body,
      headers: {
        cookie: 'a=b',
        'x-api-key': KEY,
        'x-forwarded-for': '10.0.0.1',
        'openai-organization': 'org-of-caller',
        'x-custom': 'caller',
        'user-agent': 'caller',
      },
    });
    expect(status).toBe(200);
    const [seen] = stand.host.seen;
    expect(seen).toMatchObject({ method: 'POST', url: '/v1/moderations', body });
    expect(seen?.headers).toMatchObject({
      authorization: `Bearer ${UPSTREAM_SECRET}`,
      'content-type': 'application/json',
    });
    const sent = JSON.stringify(seen?.raw).toLowerCase();
    for (const word of [KEY, 'cookie', 'x-api-key', 'forwarded', 'organization', 'custom', 'caller'])
      expect(sent).not.toContain(word.toLowerCase());
  });

  test('[PT-04] may be one for each of some models, and a GET', async () => {
    expect((await pass(stand, 'small/models/two:rank')).status).toBe(200);
    expect((await pass(stand, 'small/models/three:rank')).status).toBe(404);
    expect((await pass(stand, 'small/status', { method: 'GET' })).status).toBe(200);
    expect(stand.host.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/models/two:rank',
      'GET /v1/status',
    ]);
  });

  test('[PT-13] answers as the host did, byte for byte', async () => {
    stand.host.answer = (response) => {
      response.writeHead(201, { 'content-type': 'application/json; charset=utf-8', 'set-cookie': 'a=b', 'x-own': '1' });
      response.end('{ "a": 1.0,\n"ä": "字" }');
    };
    const { status, text, headers } = await pass(stand, 'small/moderations');
    expect([status, text]).toEqual([201, '{ "a": 1.0,\n"ä": "字" }']);
    expect(headers.get('content-type')).toBe('application/json');
    expect([headers.get('set-cookie'), headers.get('x-own')]).toEqual([null, null]);
    expect(headers.get('x-trivium-provider')).toBe('small');
  });
});

describe('what is not open', () => {
  test.each([
    ['small/other', 'POST', 404],
    ['small/moderations/more', 'POST', 404],
    ['other/moderations', 'POST', 404],
    ['openai/moderations', 'POST', 404],
    ['small/moderations', 'GET', 405],
    ['small/moderations', 'DELETE', 405],
    ['small/moderations', 'PUT', 405],
    ['small/status', 'POST', 405],
    ['small/status', 'HEAD', 405],
  ])('[PT-04] %s by %s', async (path, method, status) => {
    expect((await pass(stand, path, { method })).status).toBe(status);
    expect(stand.host.seen).toEqual([]);
  });

  test('a path whose provider cannot be called says so, and not that it was not opened', async () => {
    const { status, text } = await pass(stand, 'small/elsewhere');
    expect(status).toBe(404);
    expect(text).toContain("POST /elsewhere of 'small' is opened, but its provider cannot be called");
    expect((await pass(stand, 'small/nowhere')).text).toContain('The operator has not opened');
    expect(stand.host.seen).toEqual([]);
  });

  test('[PT-04] the key is asked for first', async () => {
    expect((await pass(stand, 'small/other', { key: '' })).status).toBe(401);
    expect((await pass(stand, 'small/moderations', { key: 'sk-trivium-unknown' })).status).toBe(401);
    expect(stand.host.seen).toEqual([]);
  });

  test.each([
    ...['/../moderations', '/x/../moderations', '/./moderations', '/%2e%2e/moderations', '/%2E/moderations'],
    ...['//moderations', '/moderations/', '/moderations//', '/%2fmoderations', '/moderations%2f', '/moderations%00'],
    ...['/moderation%73', '\\moderations', '/moderations;a=b', '/MODERATIONS', '/Moderations', '/moderations%0d%0a'],
    ...['/moderations#x', '/moderations,', '/..;/moderations', '/%5cmoderations', '/%252e%252e/moderations'],
  ])('[PT-02] %s is another spelling, and goes nowhere', async (path) => {
    const status = await rawStatus(`/passthrough/small${path}`);
    expect([400, 404]).toContain(status);
    expect(stand.host.seen).toEqual([]);
  });

  test.each(['?', '?a=b', '?key=AIza', '?api_key=sk-x', '?access_token=x', '?redirect=http://x'])(
    '[PT-06] a query string: %s',
    async (query) => {
      expect((await pass(stand, `small/moderations${query}`)).status).toBe(400);
      expect(stand.host.seen).toEqual([]);
    },
  );

  test('[PT-16] a key for repetition is refused, as nothing would be repeated', async () => {
    expect((await pass(stand, 'small/moderations', { headers: { 'idempotency-key': 'one' } })).status).toBe(400);
    expect(stand.host.seen).toEqual([]);
  });
});

/** A request whose target no client library has touched. */
function rawStatus(target: string): Promise<number> {
  const { hostname, port } = new URL(stand.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(text.split(' ', 2)[1])));
    socket.write(
      `POST ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`,
      'latin1',
    );
  });
}

describe('answers of the host', () => {
  test.each([301, 302, 303, 307, 308])('[PT-07] a redirect by %s is not followed', async (status) => {
    stand.host.answer = (response) => {
      response.writeHead(status, { location: `${stand.host.url}/organization/keys` });
      response.end();
    };
    const reply = await pass(stand, 'small/moderations');
    expect(reply.status).toBe(502);
    expect(reply.headers.get('location')).toBeNull();
    expect(stand.host.seen).toHaveLength(1);
  });

  test.each(['text/html', 'application/octet-stream', 'image/svg+xml', 'text/event-stream', ''])(
    '[PT-13] of the type %j are not passed on',
    async (type) => {
      stand.host.answer = (response) => {
        response.writeHead(200, type === '' ? {} : { 'content-type': type });
        response.end('<script>');
      };
      const reply = await pass(stand, 'small/moderations');
      expect(reply.status).toBe(502);
      expect(reply.text).not.toContain('<script>');
    },
  );

  test('[PT-13] that are too long are not passed on', async () => {
    stand.host.answer = (response) => sayJson(response, { a: 'x'.repeat(3000) });
    expect((await pass(stand, 'small/moderations')).status).toBe(502);
  });

  test('[PT-16] errors are faults without secrets', async () => {
    stand.host.answer = (response) =>
      sayJson(response, { error: { message: `no such input; key ${UPSTREAM_SECRET}` } }, 400);
    const reply = await pass(stand, 'small/moderations');
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text).error.message).toContain('no such input');
    expect(reply.text).not.toContain(UPSTREAM_SECRET);
    stand.host.answer = (response) => sayJson(response, { error: { message: 'bad key' } }, 401);
    expect((await pass(stand, 'small/moderations')).status).toBeGreaterThanOrEqual(500);
  });
});

describe('bodies', () => {
  test.each([
    ['', 400],
    ['not json', 400],
    ['{"a":1,"a":2}', 400],
    [`{"a":"${'x'.repeat(2000)}"}`, 413],
  ])('[PT-13] %j is refused with %i', async (body, status) => {
    expect((await pass(stand, 'small/moderations', { body })).status).toBe(status);
    expect(stand.host.seen).toEqual([]);
  });

  test('[PT-13] of other types are refused', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await pass(stand, 'small/moderations', { headers })).status).toBe(415);
    expect(stand.host.seen).toEqual([]);
  });
});

describe('rights of keys', () => {
  test.each([
    ['a list of models without it', NAMED_KEY, 403],
    ['a list of models with it', OPENED_KEY, 200],
    ['other endpoints', TEXT_KEY, 403],
    ['other providers', ELSEWHERE_KEY, 403],
  ])('[PT-14] %s', async (_name, key, status) => {
    expect((await pass(stand, 'small/moderations', { key })).status).toBe(status);
    expect(stand.host.seen).toHaveLength(status === 200 ? 1 : 0);
  });

  test('[PT-14] limits per minute', async () => {
    expect((await pass(stand, 'small/moderations', { key: SLOW_KEY })).status).toBe(200);
    expect((await pass(stand, 'small/moderations', { key: SLOW_KEY })).status).toBe(429);
    expect(stand.host.seen).toHaveLength(1);
  });

  test('[PT-14] policies about hosts', async () => {
    const fenced = await openPassthroughStand({ policies: [{ name: 'not-small', ignore: ['small'] }] });
    const reply = await pass(fenced, 'small/moderations');
    expect([reply.status, reply.text.includes('not-small')]).toEqual([403, true]);
    expect(fenced.host.seen).toEqual([]);
    await fenced.close();
  });
});

test('[PT-15] a call leaves a record like any other', async () => {
  stand.records.length = 0;
  const { headers } = await pass(stand, 'small/flat');
  expect(headers.get('x-trivium-cost')).toBe('0.002');
  expect(stand.records).toHaveLength(1);
  expect(stand.records[0]).toMatchObject({
    requestId: headers.get('x-request-id'),
    operation: 'passthrough',
    modelId: 'passthrough/small',
    askedModel: 'passthrough/small/flat',
    provider: 'small',
    how: 'done',
    lane: 'verbatim',
    bill: { usage: { units: 1 }, cost: { nanoUsd: 2_000_000n } },
    attempts: [{ provider: 'small', status: 200 }],
  });
  stand.host.answer = (response) => sayJson(response, {}, 500);
  await pass(stand, 'small/flat');
  expect(stand.records[1]).toMatchObject({ how: 'fault', bill: undefined });
});

describe('[PT-03] what an operator cannot open', () => {
  const problems = (route: object): string => {
    const providers = { small: { dialect: 'openai-chat', baseUrl: 'http://10.0.0.1/v1', credential: 'sk-x' } };
    const keys = [{ name: 'test', secret: KEY }];
    const text = JSON.stringify({ keys, providers, passthrough: { routes: [{ provider: 'small', ...route }] } });
    const loaded = loadConfig({ text, env: {} });
    return 'problems' in loaded ? loaded.problems.map(({ place, message }) => `${place} ${message}`).join('\n') : '';
  };

  test.each([
    ['/organization/admin_api_keys', 'administration'],
    ['/realtime/client_secrets', 'credentials'],
    ['/files', 'stored'],
    ['/chat/completions', 'served as a call'],
    ['/a/../b', 'plain path'],
    ['/A', 'plain path'],
    ['/%61', 'plain path'],
    ['moderations', 'plain path'],
    ['/models/{model}', 'there are no models'],
  ])('%s', (path, says) => expect(problems({ path })).toContain(says));

  test('a value of a model cannot open more than its place', () => {
    expect(problems({ path: '/models/{model}', models: ['files'] })).toContain('stored');
    expect(problems({ path: '/models/{model}', models: ['a/b'] })).not.toBe('');
    expect(problems({ path: '/{model}', models: ['..'] })).not.toBe('');
  });

  test.each([
    [{ kind: 'flat' }, 'needs "usd"'],
    [{ kind: 'flat', usd: '0' }, 'is zero'],
    [{ kind: 'flat', usd: '-1' }, 'must be a decimal'],
    [{ kind: 'free', usd: '1' }, 'is given'],
    [{ kind: 'metered', usd: '1' }, 'needs "pointer"'],
    [{ kind: 'metered', usd: '1', pointer: 'usage', maxUnits: 1 }, 'JSON pointer'],
    [{ kind: 'flat', usd: '1', maxUnits: 2 }, 'metered prices'],
  ])('a price such as %j', (price, says) => expect(problems({ path: '/ok', price })).toContain(says));

  test('one path twice, or a provider that is not there', () => {
    expect(problems({ path: '/ok', provider: 'other' })).toContain('is not configured');
    const loaded = loadConfig({
      text: JSON.stringify({ keys: [{ name: 'test', secret: KEY }], passthrough: { routes: [ROUTES[0], ROUTES[0]] } }),
      env: {},
    });
    expect(JSON.stringify(loaded)).toContain('a second time');
  });
});
