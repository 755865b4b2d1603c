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
import { allow, DEVICE_GRANT, openProgramsStand, type ProgramsStand } from '../support/programs-stand.ts';
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
    expect((await allow(begun, stand.at)).status).toBe(400);
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
