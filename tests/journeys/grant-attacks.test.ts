/** What must not work at sign-in from programs: each attack that is taken counts, and the count is zero. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog, startGateway } from '@trivium/gateway';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAdmin, OPERATOR_SECRET } from '../support/admin-stand.ts';
import { Browser } from '../support/browser.ts';
import { type OtlpReceiver, openOtlpReceiver } from '../support/otlp-receiver.ts';
import { allow, DEVICE_GRANT, openProgramsStand, type ProgramsStand, pkce } from '../support/programs-stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const CLI = { client_id: 'trivium-cli' };
const CLAUDE = { surface: 'claude_code' };

let stand: ProgramsStand;
let receiver: OtlpReceiver;
let folder: string;
let client: Client;
const lines: string[] = [];

beforeAll(async () => {
  receiver = await openOtlpReceiver();
  folder = await mkdtemp(join(tmpdir(), 'trivium-grants-'));
  stand = await openProgramsStand(
    { ann: ['team-data'], ben: ['team-data'], cem: ['team-data'] },
    {
      log: createLog({ level: 'debug', write: (line) => void lines.push(line) }),
      more: {
        blobs: { folder },
        log: { level: 'debug' },
        traces: { endpoint: `${receiver.url}/v1/traces`, batchMs: 20 },
      },
    },
  );
  client = new Client({ connectionString: stand.database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await stand.close();
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

const redeem = (form: Record<string, string>) => stand.post('/oauth/token', form);
const redeemDevice = (code: string, more: Record<string, string> = {}) =>
  redeem({ grant_type: DEVICE_GRANT, device_code: code, ...more });

describe('device codes', () => {
  test('guessed user codes: after ten from an address not even the right one is looked at', async () => {
    const { json } = await stand.post('/oauth/device_authorization', CLAUDE);
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess++) {
      const code = `BCDF-GH${'JKLMNPQRSTVW'[guess]}Z`;
      statuses.push((await new Browser().send(`${stand.at}/device?user_code=${code}`)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(404), 429, 429]);
    expect((await new Browser().send(`${stand.at}/device?user_code=${json['user_code']}`)).status).toBe(429);
    await client.query('delete from sign_in_tries');
    expect((await new Browser().send(`${stand.at}/device?user_code=${json['user_code']}`)).status).toBe(200);
  });

  test('a replayed code gives nothing, and ends what it gave', async () => {
    const browser = new Browser();
    const { deviceCode } = await stand.begin('ann', CLAUDE, browser);
    await allow(browser, stand.at);
    const first = await redeemDevice(deviceCode);
    expect(await stand.call(String(first.json['access_token']))).toBe(200);
    expect(await redeemDevice(deviceCode)).toMatchObject({ status: 400, json: { error: 'expired_token' } });
    expect(await stand.call(String(first.json['access_token']))).toBe(401);
  });

  test('two that redeem at once: one gets tokens', async () => {
    const browser = new Browser();
    const { deviceCode } = await stand.begin('ann', CLAUDE, browser);
    await allow(browser, stand.at);
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeemDevice(deviceCode)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('a code and a token of another program are not taken', async () => {
    const browser = new Browser();
    const { deviceCode } = await stand.begin('ann', CLI, browser);
    await allow(browser, stand.at);
    expect((await redeemDevice(deviceCode)).json).toMatchObject({ error: 'invalid_grant' });
    expect((await redeemDevice(deviceCode, { client_id: 'another' })).json).toMatchObject({ error: 'invalid_grant' });
    const tokens = (await redeemDevice(deviceCode, CLI)).json;
    for (const other of [undefined, 'another', 'claude_code'])
      expect((await stand.refresh(String(tokens['refresh_token']), other)).status).toBe(401);
    expect((await stand.refresh(String(tokens['refresh_token']), 'trivium-cli')).status).toBe(200);
  });

  test('nobody takes the name of a known program', async () => {
    for (const client_id of ['Claude Code', 'claude-code', 'Trivium Command Line', 'TRIVIUM-CLI', '', 'a\nb', '<b>'])
      expect((await stand.post('/oauth/device_authorization', { client_id })).json).toMatchObject({
        error: 'invalid_client',
      });
  });

  test('forms of other origins do nothing: neither begin, nor agree, nor refuse', async () => {
    const browser = new Browser();
    const { deviceCode, userCode } = await stand.begin('ann', CLAUDE, browser);
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: stand.at, 'sec-fetch-site': 'cross-site' },
      { origin: stand.at.replace('127.0.0.1', 'localhost') },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      {},
    ];
    for (const headers of foreign)
      for (const [path, form] of [
        ['/device', { user_code: userCode, issuer: 'corp' }],
        ['/device/deny', { user_code: userCode }],
        ['/oauth/consent', { decision: 'allow' }],
        ['/oauth/start', { issuer: 'corp' }],
      ] as const) {
        const reply = await browser.send(`${stand.at}${path}`, {
          method: 'POST',
          body: new URLSearchParams(form),
          headers,
        });
        expect([path, headers, reply.status]).toEqual([path, headers, 403]);
      }
    expect((await redeemDevice(deviceCode)).json).toMatchObject({ error: 'authorization_pending' });
  });

  test('another browser than the one that began can neither return from the provider nor agree', async () => {
    const [own, other] = [new Browser(), new Browser()];
    const { deviceCode } = await stand.begin('ann', CLAUDE, own);
    expect((await allow(other, stand.at)).status).toBe(400);
    expect((await other.send(`${stand.at}/oauth/callback?code=x&state=y`)).status).toBe(400);
    // The one that began: an answer of the provider that it did not ask for.
    const begun = new Browser();
    const { json } = await stand.post('/oauth/device_authorization', CLAUDE);
    const body = new URLSearchParams({ user_code: String(json['user_code']) });
    await begun.send(`${stand.at}/device`, { method: 'POST', body, headers: { origin: stand.at } });
    expect((await begun.send(`${stand.at}/oauth/callback?code=stolen&state=forged`)).status).toBe(401);
    expect((await redeemDevice(deviceCode)).json).toMatchObject({ error: 'authorization_pending' });
  });

  test('a form with a parameter twice, or of another type, is refused', async () => {
    const send = (body: string, type = 'application/x-www-form-urlencoded') =>
      fetch(`${stand.at}/oauth/token`, { method: 'POST', body, headers: { 'content-type': type } });
    expect((await send('grant_type=refresh_token&grant_type=password')).status).toBe(400);
    expect((await send('{}', 'application/json')).status).toBe(400);
    expect((await send(`x=${'y'.repeat(100_000)}`)).status).toBe(400);
    expect((await send(Array.from({ length: 60 }, (_, at) => `p${at}=1`).join('&'))).status).toBe(400);
    expect((await fetch(`${stand.at}/oauth/token`)).status).toBe(405);
  });
});

const authorizeUrl = (parameters: Record<string, string>): string =>
  `${stand.at}/oauth/authorize?${new URLSearchParams(parameters)}`;
const asking = (challenge: string, redirect_uri: string) => ({
  response_type: 'code',
  client_id: 'Plain Editor',
  redirect_uri,
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 'state-1',
});

/** From the app's address to the redirect with its code. */
async function agreeAt(url: string, person: string, form: Record<string, string>): Promise<URL> {
  const browser = new Browser();
  const first = await browser.send(url);
  expect(first.status).toBe(200);
  const body = new URLSearchParams({ issuer: 'corp' });
  const start = await browser.send(`${stand.at}/oauth/start`, { method: 'POST', body, headers: { origin: stand.at } });
  const page = await stand.issuer.pass(browser, start, `${stand.at}/oauth/start`, person);
  expect(page.status).toBe(200);
  const done = await allow(browser, stand.at, form);
  expect(done.status).toBe(303);
  return new URL(done.headers.get('location') ?? '');
}

describe('apps with PKCE', () => {
  const REDIRECT = 'http://127.0.0.1:4711/callback';
  const CHOICE = { cap: '', span: 'month', days: '' };

  test('an app gets tokens for its code, once, with its verifier and its redirect only', async () => {
    for (const spoil of ['nothing', 'verifier', 'none', 'redirect', 'client'] as const) {
      const { verifier, challenge } = pkce();
      const back = await agreeAt(authorizeUrl(asking(challenge, REDIRECT)), 'ann', CHOICE);
      expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
      expect(back.searchParams.get('state')).toBe('state-1');
      const form: Record<string, string> = {
        grant_type: 'authorization_code',
        code: back.searchParams.get('code') ?? '',
        redirect_uri: spoil === 'redirect' ? `${REDIRECT}/` : REDIRECT,
        client_id: spoil === 'client' ? 'Other Editor' : 'Plain Editor',
        ...(spoil !== 'none' && { code_verifier: spoil === 'verifier' ? pkce().verifier : verifier }),
      };
      const answer = await redeem(form);
      expect([spoil, answer.status]).toEqual([spoil, spoil === 'nothing' ? 200 : 400]);
      const again = await redeem({
        ...form,
        redirect_uri: REDIRECT,
        client_id: 'Plain Editor',
        code_verifier: verifier,
      });
      expect(again.json).toMatchObject({ error: 'invalid_grant' });
      // The second one may have been the thief, or the robbed.
      if (spoil === 'nothing') expect(await stand.call(String(answer.json['access_token']))).toBe(401);
    }
  });

  test('a cap that the person sets holds', async () => {
    const { verifier, challenge } = pkce();
    const back = await agreeAt(authorizeUrl(asking(challenge, REDIRECT)), 'ann', {
      cap: '0.01',
      span: 'total',
      days: '7',
    });
    const { json } = await redeem({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
      client_id: 'Plain Editor',
      code_verifier: verifier,
    });
    const { items } = (await stand.admin('GET', '/grants?client=app&state=active')).json as {
      items: { id: string; capUsd: string; endsAt: string }[];
    };
    expect(items).toMatchObject([{ capUsd: '0.01', label: 'Plain Editor' }]);
    const budgets = (await stand.admin('GET', '/accounts/data/budgets')).json as { items: object[] };
    expect(budgets.items).toMatchObject([{ scope: `key:${items[0]?.id}`, span: 'total', usd: '0.01' }]);
    expect([200, 402]).toContain(await stand.call(String(json['access_token'])));
  });

  test.each([
    'https://evil.example/cb',
    'http://evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://localhost.evil.example/cb',
    'http://127.0.0.1:80@evil.example/cb',
    'http://evil.example#127.0.0.1',
    'http://127.0.0.1:4711/cb#fragment',
    'http://127.0.0.1:4711/cb#',
    'http://127.0.0.1:4711/cb?next=https://evil.example',
    'http://user:pass@127.0.0.1:4711/cb',
    'http://127.0.0.1:99999/cb',
    'http://127.1:4711/cb',
    'http://2130706433/cb',
    'http://0x7f000001/cb',
    'http://0.0.0.0:4711/cb',
    'http://[::]:4711/cb',
    'http://[::ffff:127.0.0.1]:4711/cb',
    'http://127.0.0.2:4711/cb',
    'http://10.0.0.1/cb',
    'https://127.0.0.1:4711/cb',
    'HTTP://127.0.0.1:4711/cb',
    'http:\\\\127.0.0.1:4711\\cb',
    'http://127.0.0.1:4711/a/../cb',
    'http://127.0.0.1:4711/c b',
    'http://127.0.0.1:4711/cb\r\nset-cookie: a=b',
    '//127.0.0.1:4711/cb',
    'javascript:alert(1)',
    'data:text/html,hi',
    'com.example.app:/cb',
    '',
    'SELF',
  ])('a redirect to %j is refused, and nothing is redirected', async (given) => {
    const uri = given === 'SELF' ? `${stand.at}/device` : given;
    const reply = await new Browser().send(authorizeUrl(asking(pkce().challenge, uri)));
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
    expect(reply.headers.getSetCookie()).toEqual([]);
  });

  test.each([
    ['plain', { code_challenge_method: 'plain' }],
    ['no challenge', { code_challenge: '' }],
    ['a short challenge', { code_challenge: 'abc' }],
    ['no state', { state: '' }],
    ['another response type', { response_type: 'token' }],
    ['no name', { client_id: '' }],
  ])('%s is refused', async (_, more) => {
    const url = authorizeUrl({ ...asking(pkce().challenge, REDIRECT), ...more });
    expect((await new Browser().send(url)).status).toBe(400);
  });
});

describe('keys in the way of OpenRouter', () => {
  const CALLBACK = 'https://app.example.com/done?tab=keys';
  const askKey = (challenge: string, more: Record<string, string> = {}) =>
    `${stand.at}/auth?${new URLSearchParams({ callback_url: CALLBACK, code_challenge: challenge, code_challenge_method: 'S256', ...more })}`;
  const exchange = async (body: object) => {
    const response = await fetch(`${stand.at}/api/v1/auth/keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };

  test('an app gets a capped key of the member, and without its verifier nothing', async () => {
    const { verifier, challenge } = pkce();
    const back = await agreeAt(askKey(challenge, { limit: '5' }), 'ben', { cap: '5', span: 'month', days: '30' });
    expect(back.href).toContain('https://app.example.com/done?tab=keys&code=');
    const code = back.searchParams.get('code') ?? '';
    const { status, json } = await exchange({ code, code_verifier: verifier, code_challenge_method: 'S256' });
    expect(status).toBe(200);
    expect(await stand.call(String(json['key']))).toBe(200);
    const { items } = (await stand.admin('GET', `/keys?account=data&member=${json['user_id']}`)).json as {
      items: { id: string; name: string; rights: { expiresAt: string; manages?: string } }[];
    };
    expect(items).toMatchObject([{ name: 'app.example.com' }]);
    expect(items[0]?.rights.manages).toBeUndefined();
    expect(Date.parse(items[0]?.rights.expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(30 * 86_400_000);
    const budgets = (await stand.admin('GET', '/accounts/data/budgets')).json as { items: object[] };
    expect(budgets.items).toContainEqual(
      expect.objectContaining({ scope: `key:${items[0]?.id}`, usd: '5', span: 'month' }),
    );
    expect((await exchange({ code, code_verifier: verifier })).status).toBe(403);
    for (const spoiled of [{}, { code_verifier: pkce().verifier }, { code_verifier: challenge }]) {
      const other = await agreeAt(askKey(challenge), 'ben', { cap: '', span: 'month', days: '7' });
      expect((await exchange({ code: other.searchParams.get('code'), ...spoiled })).status).toBe(403);
    }
    expect((await exchange({ code, code_verifier: verifier, code_challenge_method: 'plain' })).status).toBe(400);
  });

  test.each([
    'http://app.example.com/',
    'https://u:p@app.example.com/',
    'https://app.example.com/#a',
    'https://app.example.com/?code=1',
    'ftp://app.example.com/',
  ])('a callback to %s is refused', async (callback_url) => {
    expect((await new Browser().send(askKey(pkce().challenge, { callback_url }))).status).toBe(400);
  });

  test('without a challenge it is refused at the start', async () => {
    expect((await new Browser().send(`${stand.at}/auth?callback_url=https://app.example.com/`)).status).toBe(400);
  });
});

describe('tokens in other places', () => {
  test('at the admin API, in the console and as one another they are worth nothing', async () => {
    const tokens = await stand.signIn('cem', CLI);
    const { adminUrl } = stand.gateway;
    for (const secret of [tokens.access_token, tokens.refresh_token]) {
      for (const [method, path] of [
        ['GET', '/me'],
        ['GET', '/grants'],
        ['GET', '/keys'],
        ['POST', '/accounts/data/keys'],
      ] as const)
        expect([401, 403]).toContain(
          (await stand.admin(method, path, method === 'POST' ? { name: 'x' } : undefined, secret)).status,
        );
      expect([401, 403]).toContain((await new Browser().api(adminUrl, 'POST', '/session', { secret })).status);
      expect([401, 403, 429]).toContain(
        (await new Browser().api(adminUrl, 'POST', '/session', { code: secret })).status,
      );
    }
    expect(await stand.call(tokens.refresh_token)).toBe(401);
    expect((await stand.refresh(tokens.access_token, 'trivium-cli')).status).toBe(401);
    const code = await stand.admin('POST', '/accounts/data/members/none/sign-in-code');
    expect(code.status).toBe(404);
    // The other way: a session of the console makes no calls.
    const { json: member } = await stand.admin('POST', '/accounts/data/members', { name: 'Dee', role: 'developer' });
    const link = await stand.admin('POST', `/accounts/data/members/${member['id']}/sign-in-code`);
    const browser = new Browser();
    expect((await browser.api(adminUrl, 'POST', '/session', { code: link.json['code'] })).status).toBe(201);
    const session = [...browser.cookies(adminUrl).values()][0] ?? '';
    expect(session).not.toBe('');
    expect(await stand.call(session)).toBe(401);
    const withCookie = await browser.send(`${stand.at}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `trivium-session=${session}` },
      body: JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(withCookie.status).toBe(401);
  });

  test('people see and end their own programs, admins those of the account, and others find nothing', async () => {
    const tokens = await stand.signIn('cem', CLI);
    const { items } = (await stand.admin('GET', '/grants?client=trivium-cli&state=active')).json as {
      items: { id: string; memberId: string; createdAt: string }[];
    };
    const mine = items.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt)).at(-1);
    const { secret: foreign } = await stand.newAccount('elsewhere');
    const keyOf = async (role: string, memberId?: string): Promise<string> => {
      const body = { name: role, rights: { manages: role }, ...(memberId !== undefined && { memberId }) };
      return String((await stand.admin('POST', '/accounts/data/keys', body)).json['secret']);
    };
    const listed = async (secret: string): Promise<unknown[]> =>
      (await stand.admin('GET', '/grants', undefined, secret)).json['items'] as unknown[];
    const [owner, stranger, developer] = [
      await keyOf('owner', undefined),
      await keyOf('developer'),
      await keyOf('developer', mine?.memberId),
    ];
    expect(await listed(foreign)).toEqual([]);
    expect(await listed(stranger)).toEqual([]);
    expect(new Set((await listed(developer)).map((one) => (one as { memberId: string }).memberId))).toEqual(
      new Set([mine?.memberId]),
    );
    expect((await listed(owner)).length).toBeGreaterThan((await listed(developer)).length);
    for (const secret of [foreign, stranger])
      expect((await stand.admin('DELETE', `/grants/${mine?.id}`, undefined, secret)).status).toBe(404);
    expect(await stand.call(tokens.access_token)).toBe(200);
    expect((await stand.admin('DELETE', `/grants/${mine?.id}`, undefined, developer)).json).toEqual({ ended: true });
    expect(await stand.call(tokens.access_token)).toBe(401);
    expect((await stand.admin('DELETE', `/grants/${mine?.id}`)).json).toEqual({ ended: false });
  });
});

test('what ends at one node is refused by the other within a second', async () => {
  const config = stand.config();
  const second = await startGateway({ config: { ...config, listen: { ...config.listen, port: 0 } } });
  try {
    const tokens = await stand.signIn('ann');
    for (const url of [stand.at, second.url]) expect(await stand.call(tokens.access_token, url)).toBe(200);
    const since = performance.now();
    await stand.post('/oauth/revoke', { token: tokens.refresh_token });
    let status = 200;
    while (status === 200 && performance.now() - since < 1000)
      status = await stand.call(tokens.access_token, second.url);
    expect(status).toBe(401);
  } finally {
    await second.close();
  }
});

test('no token is in logs, records, captures, spans, audit or the database', async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await stand.admin('PATCH', '/accounts/data/records', { bodies: 'all', keepHours: 2, until });
  const tokens = await stand.signIn('ann');
  const renewed = (await stand.refresh(tokens.refresh_token)).json;
  await stand.call(String(renewed['access_token']));
  await stand.call(tokens.refresh_token);
  await stand.post('/oauth/token', { grant_type: 'refresh_token', refresh_token: `${tokens.refresh_token}x` });
  stand.issuer.failure = 500;
  await stand.refresh(String(renewed['refresh_token']));
  stand.issuer.failure = undefined;
  await waitUntil('the span of the call', () => receiver.spans.length > 0);
  const secrets = [tokens.access_token, tokens.refresh_token, renewed['access_token'], renewed['refresh_token']].map(
    String,
  );
  const { rows: tables } = await client.query(
    "select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'r'",
  );
  const stored: string[] = [];
  for (const { name } of tables)
    stored.push(...(await client.query(`select t::text as row from ${name} t`)).rows.map(({ row }) => row));
  const files = await Promise.all(
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((one) => one.isFile())
      .map((one) => readFile(join(one.parentPath, one.name), 'latin1')),
  );
  const spans = JSON.stringify(receiver.spans, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const everything = [
    ...lines,
    ...stored,
    ...files,
    spans,
    JSON.stringify(stand.records, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  ].join('\n');
  expect(everything.length).toBeGreaterThan(10_000);
  expect(secrets.filter((secret) => everything.includes(secret.slice(20)))).toEqual([]);
});

test('an operator can see what is signed in only while it is on: without the setting there is nothing', async () => {
  const config = stand.config();
  const { programs: _, ...signIn } = config.signIn;
  const off = await startGateway({ config: { ...config, listen: { ...config.listen, port: 0 }, signIn } });
  try {
    const tokens = await stand.signIn('ann');
    expect(await stand.call(tokens.access_token, off.url)).toBe(401);
    for (const path of ['/.well-known/oauth-authorization-server', '/device', '/oauth/authorize', '/auth'])
      expect((await fetch(`${off.url}${path}`)).status).toBe(404);
    const { status } = await callAdmin(off.adminUrl, 'GET', '/grants', undefined, {
      authorization: `Bearer ${OPERATOR_SECRET}`,
    });
    expect(status).toBe(200);
  } finally {
    await off.close();
  }
});
