/** Sessions at the admin listener: how they begin and end, and what a request with a session must carry. */
import { type Gateway, newOperatorCode, newOperatorSecret, startGateway } from '@trivium/gateway';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { Browser } from '../support/browser.ts';
import { sendRaw } from '../support/raw-bytes.ts';
import { openStand, standConfig } from '../support/stand.ts';

/** Every browser has its own IP address, so that the delay after a wrong secret applies to it alone. */
const LISTEN = { host: '127.0.0.1', port: 0, trustedProxies: ['127.0.0.1'] };

let stand: AdminStand;
let url: string;
beforeAll(async () => {
  stand = await openAdminStand({ config: () => ({ listen: LISTEN }) });
  url = stand.gateway.adminUrl;
  await stand.newAccount('acme');
});
afterAll(() => stand.close());

/** Another node on the same database. */
const configOf = (admin: object = {}, listen: object = {}) =>
  standConfig(stand.simulator.url, {
    config: () => ({
      listen: { ...LISTEN, ...listen },
      admin: { host: '127.0.0.1', port: 0, secret: OPERATOR_SECRET, ...admin },
      database: { url: stand.database.url },
    }),
  });
async function withNode<T>(admin: object, work: (gateway: Gateway) => Promise<T>, listen: object = {}): Promise<T> {
  const gateway = await startGateway({ config: configOf(admin, listen) });
  try {
    return await work(gateway);
  } finally {
    await gateway.close();
  }
}

const signIn = async (body: object, at = url): Promise<Browser> => {
  const browser = new Browser();
  const { status, text } = await browser.api(at, 'POST', '/session', body);
  if (status !== 201) throw new Error(text);
  return browser;
};
const newMember = async (role: string): Promise<string> =>
  (await stand.admin('POST', '/accounts/acme/members', { name: 'Ann', role })).json['id'] as string;
const memberCode = async (id: string): Promise<string> =>
  (await stand.admin('POST', `/accounts/acme/members/${id}/sign-in-code`)).json['code'] as string;
const inDatabase = async (statement: string): Promise<void> => {
  const client = new Client({ connectionString: stand.database.url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};
const me = async (browser: Browser, at = url): Promise<number> => (await browser.api(at, 'GET', '/me')).status;

describe('signing in', () => {
  test('signing in with the secret gives an operator session, in a cookie that no script and no other site can use', async () => {
    const browser = new Browser();
    const { status, json, headers } = await browser.api(url, 'POST', '/session', { secret: OPERATOR_SECRET });
    expect(status).toBe(201);
    expect(json).toMatchObject({ actor: 'operator', role: 'operator', accountId: null, session: { method: 'secret' } });
    expect(headers.get('set-cookie')).toMatch(
      /^trivium-session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    expect((await browser.api(url, 'GET', '/me')).json).toEqual(json);
    expect((await browser.api(url, 'GET', '/accounts')).status).toBe(200);
  });

  test('signing in behind a TLS proxy gives a __Host- cookie, and requires the external origin', () =>
    withNode({ publicUrl: 'https://admin.example.com' }, async ({ adminUrl }) => {
      const browser = new Browser();
      const send = (origin: string) =>
        browser.api(adminUrl, 'POST', '/session', { secret: OPERATOR_SECRET }, { origin });
      expect((await send(adminUrl)).status).toBe(403);
      const { status, headers } = await send('https://admin.example.com');
      expect(status).toBe(201);
      expect(headers.get('set-cookie')).toMatch(/^__Host-trivium=[\w-]{43}; Path=\/; .*SameSite=Strict; Secure$/);
      expect(await me(browser, adminUrl)).toBe(200);
    }));

  test('the session says where callers reach the gateway: as configured, else at the listener', async () => {
    const gatewayOf = async (adminUrl: string) =>
      (await (await signIn({ secret: OPERATOR_SECRET }, adminUrl)).api(adminUrl, 'GET', '/me')).json['gateway'];
    expect(await gatewayOf(url)).toEqual({ url: stand.gateway.url, isConfigured: false });
    await withNode(
      {},
      async (node) => {
        const { port } = new URL(node.url);
        expect(await gatewayOf(node.adminUrl)).toEqual({ url: `http://127.0.0.1:${port}`, isConfigured: false });
      },
      { host: '0.0.0.0' },
    );
    await withNode(
      {},
      async ({ adminUrl }) =>
        expect(await gatewayOf(adminUrl)).toEqual({ url: 'https://gw.example.com', isConfigured: true }),
      { publicUrl: 'https://gw.example.com/' },
    );
  });

  test('signing in over plain HTTP at a remote address is refused', async () => {
    const body = JSON.stringify({ secret: OPERATOR_SECRET });
    const head = [
      'POST /admin/v1/session HTTP/1.1',
      'Host: gateway.internal:8081',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const { replies } = await sendRaw({ url }, `${head.join('\r\n')}\r\n\r\n${body}`);
    expect(replies[0]).toMatchObject({ status: 403, body: expect.stringContaining('Sign-in needs HTTPS') });
    expect(replies[0]?.head).not.toMatch(/set-cookie/i);
  });

  test('signing in with a managing key gives a session of that key, which ends with the key', async () => {
    const { json } = await stand.admin('POST', '/accounts/acme/keys', { name: 'm', rights: { manages: 'admin' } });
    const { id } = json['key'] as { id: string };
    const browser = await signIn({ secret: json['secret'] });
    const { json: shown } = await browser.api(url, 'GET', '/me');
    expect(shown).toMatchObject({ actor: `key:${id}`, role: 'admin', accountId: 'acme' });
    await stand.admin('POST', `/accounts/acme/keys/${id}/revoke`);
    expect(await me(browser)).toBe(401);
  });

  test('signing in with a non-managing key, a wrong secret or nothing is refused', async () => {
    const { json } = await stand.admin('POST', '/accounts/acme/keys', { name: 'plain' });
    const statusOf = async (body: object) => (await new Browser().api(url, 'POST', '/session', body)).status;
    expect(await statusOf({ secret: json['secret'] })).toBe(403);
    expect(await statusOf({ secret: `${OPERATOR_SECRET}x` })).toBe(401);
    expect(await statusOf({ code: 'made-up' })).toBe(401);
    expect(await statusOf({})).toBe(400);
    expect(await statusOf({ secret: OPERATOR_SECRET, code: 'x' })).toBe(400);
  });

  test('signing in after a wrong secret is delayed by a second, even with the right one', async () => {
    const browser = new Browser();
    const statusOf = async (secret: string) => (await browser.api(url, 'POST', '/session', { secret })).status;
    expect([await statusOf('wrong'), await statusOf(OPERATOR_SECRET)]).toEqual([401, 429]);
    expect(await me(await signIn({ secret: OPERATOR_SECRET }))).toBe(200);
  });

  test('a sign-in code works once, for an operator or for its member', async () => {
    const operator = await newOperatorCode(configOf());
    expect(operator.url).toMatch(new RegExp(`/console/sign-in#code=${operator.code}$`));
    const first = await signIn({ code: operator.code });
    expect((await first.api(url, 'GET', '/me')).json).toMatchObject({ role: 'operator', session: { method: 'code' } });
    expect((await new Browser().api(url, 'POST', '/session', { code: operator.code })).status).toBe(401);
    const id = await newMember('developer');
    const member = await signIn({ code: await memberCode(id) });
    expect((await member.api(url, 'GET', '/me')).json).toMatchObject({
      actor: `member:${id}`,
      role: 'developer',
      accountId: 'acme',
      name: 'Ann',
    });
  });

  test('signing in with an expired code is refused', async () => {
    const code = await memberCode(await newMember('viewer'));
    await inDatabase("update sign_in_codes set expires_at = now() - interval '1 second'");
    expect((await new Browser().api(url, 'POST', '/session', { code })).status).toBe(401);
  });

  test('the audit log has sign-ins with method and address, and sign-outs', async () => {
    const browser = await signIn({ secret: OPERATOR_SECRET });
    await browser.api(url, 'DELETE', '/session');
    const { items } = (await stand.admin('GET', '/audit?limit=2')).json as {
      items: { action: string; detail: object }[];
    };
    expect(items.map(({ action }) => action)).toEqual(['session.end', 'session.start']);
    expect(items[1]?.detail).toMatchObject({ method: 'secret', from: browser.address });
  });
});

describe('a change made with a session', () => {
  const body = { id: 'made', name: 'made', kind: 'unlimited' };
  const attempts: Record<string, Record<string, string>> = {
    'from another site': { origin: 'https://evil.example.com' },
    'from a page without an origin': { origin: 'null' },
    'without the token': { 'x-trivium-csrf': '' },
    'with a token of another session': { 'x-trivium-csrf': 'A'.repeat(43) },
  };

  test.each(Object.keys(attempts))('a change with a session is refused: %s', async (name) => {
    const browser = await signIn({ secret: OPERATOR_SECRET });
    expect((await browser.api(url, 'POST', '/accounts', body, attempts[name])).status).toBe(403);
    expect((await browser.api(url, 'DELETE', '/session', undefined, attempts[name])).status).toBe(403);
  });

  test('a change from the console is made in the name of the signed-in user', async () => {
    const id = await newMember('admin');
    const browser = await signIn({ code: await memberCode(id) });
    const made = await browser.api(url, 'POST', '/accounts/acme/members', { name: 'Bob', role: 'viewer' });
    expect(made.status).toBe(201);
    const { items } = (await stand.admin('GET', '/accounts/acme/audit?limit=1')).json as { items: object[] };
    expect(items[0]).toMatchObject({ action: 'member.add', actor: `member:${id}` });
    expect((await browser.api(url, 'POST', '/accounts', body)).status).toBe(403);
  });

  test('a change with a credential header needs neither origin nor CSRF token, and overrides the cookie', async () => {
    const browser = await signIn({ code: await memberCode(await newMember('viewer')) });
    const bearer = { authorization: `Bearer ${OPERATOR_SECRET}`, origin: 'https://evil.example.com' };
    expect((await browser.api(url, 'GET', '/accounts', undefined, bearer)).status).toBe(200);
    const wrong = { authorization: 'Bearer wrong' };
    expect((await browser.api(url, 'GET', '/me', undefined, wrong)).status).toBe(401);
  });
});

describe('a session ends', () => {
  test('a session ends on every node when it signs out', () =>
    withNode({}, async ({ adminUrl }) => {
      const browser = await signIn({ secret: OPERATOR_SECRET });
      const cookie = [...browser.cookies(url)].map(([name, value]) => `${name}=${value}`).join('');
      const elsewhere = async (): Promise<number> =>
        (await fetch(`${adminUrl}/admin/v1/me`, { headers: { cookie } })).status;
      expect(await elsewhere()).toBe(200);
      const { status, headers } = await browser.api(url, 'DELETE', '/session');
      expect([status, headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Max-Age=0')]);
      expect(await elsewhere()).toBe(401);
    }));

  test.each([
    ['12 hours without use', 'seen_at', '12 hours'],
    ['7 days in all', 'created_at', '7 days'],
  ])('a session ends after %s', async (_, column, age) => {
    const browser = await signIn({ secret: OPERATOR_SECRET });
    const set = (time: string) => inDatabase(`update sessions set ${column} = now() - ${time}`);
    await set(`interval '${age}' + interval '1 minute'`);
    expect(await me(browser)).toBe(200);
    await set(`interval '${age}'`);
    expect(await me(browser)).toBe(401);
  });

  test('a session ends with the membership, and has the member’s current role', async () => {
    const id = await newMember('admin');
    const browser = await signIn({ code: await memberCode(id) });
    await stand.admin('PATCH', `/accounts/acme/members/${id}`, { role: 'viewer' });
    expect((await browser.api(url, 'GET', '/me')).json).toMatchObject({ role: 'viewer' });
    await stand.admin('DELETE', `/accounts/acme/members/${id}`);
    expect(await me(browser)).toBe(401);
  });

  test('a session is suspended with its account', async () => {
    await stand.newAccount('umbrella');
    const made = await stand.admin('POST', '/accounts/umbrella/members', { name: 'Eve', role: 'owner' });
    const path = `/accounts/umbrella/members/${made.json['id']}/sign-in-code`;
    const browser = await signIn({ code: (await stand.admin('POST', path)).json['code'] });
    await stand.admin('PATCH', '/accounts/umbrella', { status: 'suspended' });
    expect(await me(browser)).toBe(403);
    await stand.admin('PATCH', '/accounts/umbrella', { status: 'active' });
    expect(await me(browser)).toBe(200);
  });

  test('a session ends when its secret is replaced', async () => {
    const secret = await newOperatorSecret(configOf());
    const [browser, byCode] = [
      await signIn({ secret }),
      await signIn({ code: (await newOperatorCode(configOf())).code }),
    ];
    expect([await me(browser), await me(byCode)]).toEqual([200, 200]);
    await newOperatorSecret(configOf());
    expect([await me(browser), await me(byCode)]).toEqual([401, 401]);
  });
});

test('a duplicated session cookie is refused', async () => {
  const browser = await signIn({ secret: OPERATOR_SECRET });
  const [[name, value] = ['', '']] = [...browser.cookies(url)];
  const send = async (cookie: string): Promise<number> =>
    (await fetch(`${url}/admin/v1/me`, { headers: { cookie } })).status;
  expect(await send(`${name}=${value}`)).toBe(200);
  expect(await send(`${name}=${value}; ${name}=${value}`)).toBe(401);
});

test('without a database an operator signs in with the configured secret, and other routes say what is missing', async () => {
  const plain = await openStand({
    config: () => ({ admin: { host: '127.0.0.1', port: 0, secret: OPERATOR_SECRET } }),
  });
  try {
    const at = plain.gateway.adminUrl;
    const browser = await signIn({ secret: OPERATOR_SECRET }, at);
    expect(await me(browser, at)).toBe(200);
    const { status, text } = await browser.api(at, 'GET', '/accounts');
    expect([status, text]).toEqual([503, expect.stringContaining('needs a database')]);
    await browser.api(at, 'DELETE', '/session');
    expect(await me(browser, at)).toBe(401);
  } finally {
    await plain.close();
  }
});

describe('the listener for members', () => {
  test('the member listener has no operator routes, credentials, probes or metrics', () =>
    withNode({ members: { port: 0 } }, async ({ membersUrl = '' }) => {
      const statusOf = async (path: string) => (await fetch(`${membersUrl}${path}`)).status;
      for (const path of ['/livez', '/readyz', '/metrics', '/payments/v1/x/events'])
        expect(await statusOf(path), path).toBe(404);
      const root = await fetch(membersUrl, { redirect: 'manual' });
      expect([root.status, root.headers.get('location')]).toEqual([302, '/console/']);
      const asOperator = { headers: { authorization: `Bearer ${OPERATOR_SECRET}` } };
      expect((await fetch(`${membersUrl}/admin/v1/accounts`, asOperator)).status).toBe(404);
      expect((await fetch(`${membersUrl}/admin/v1/me`, asOperator)).status).toBe(401);
      expect((await new Browser().api(membersUrl, 'POST', '/session', { secret: OPERATOR_SECRET })).status).toBe(401);
      const { code } = await newOperatorCode(configOf());
      expect((await new Browser().api(membersUrl, 'POST', '/session', { code })).status).toBe(401);
      const document = await (await fetch(`${membersUrl}/admin/v1/openapi.json`)).text();
      expect(document).not.toContain('/admin/v1/providers');
      expect(document).toContain('/admin/v1/accounts/{account}/keys');
    }));

  test('the member listener lets members sign in and manage their account', () =>
    withNode({ members: { port: 0 } }, async ({ membersUrl = '' }) => {
      const browser = await signIn({ code: await memberCode(await newMember('developer')) }, membersUrl);
      const made = await browser.api(membersUrl, 'POST', '/accounts/acme/keys', { name: 'own' });
      expect(made.status).toBe(201);
      expect((await stand.chat(made.json['secret'] as string)).status).toBe(200);
    }));
});
