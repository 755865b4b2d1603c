/** Sign-in with a real OpenID Connect provider: roles by group, members at the first sign-in, and what happens when it is down. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { Browser } from '../support/browser.ts';
import { CLIENT, Issuer } from '../support/issuer.ts';

const PEOPLE = {
  ann: ['team-data', 'everyone'],
  bob: ['platform', 'team-data'],
  cat: ['readers'],
  dan: ['strangers'],
  eve: ['nowhere'],
  fay: ['team-data'],
};

let issuer: Issuer;
let second: Issuer;
let stand: AdminStand;
let url: string;

const issuerSettings = (at: string) => ({
  name: 'Example Corp',
  issuer: at,
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  grants: [
    { group: 'platform', role: 'operator' },
    { group: 'team-data', account: 'data', role: 'developer' },
    { group: 'readers', account: 'data', role: 'viewer' },
    { group: 'nowhere', account: 'missing', role: 'viewer' },
  ],
});

beforeAll(async () => {
  // The provider warns about its development keys and pages, which this test uses on purpose.
  for (const method of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(() => undefined);
  [issuer, second] = await Promise.all([Issuer.open(), Issuer.open()]);
  stand = await openAdminStand({
    config: () => ({
      listen: { host: '127.0.0.1', port: 0, trustedProxies: ['127.0.0.1'] },
      signIn: {
        issuers: { corp: issuerSettings(issuer.url), other: issuerSettings(second.url) },
        keys: { developer: { models: ['openai/*'], rateLimits: { requestsPerMinute: 60 }, maxDays: 30, maxKeys: 3 } },
      },
    }),
  });
  url = stand.gateway.adminUrl;
  const callback = (id: string): string[] => [`${url}/admin/v1/session/oidc/${id}/callback`];
  await Promise.all([issuer.serve(PEOPLE, callback('corp')), second.serve(PEOPLE, callback('other'))]);
  await stand.newAccount('data');
});
afterAll(async () => {
  await stand.close();
  await Promise.all([issuer.close(), second.close()]);
});

const startOf = (id: string): string => `${url}/admin/v1/session/oidc/${id}/start`;
const signedIn = async (person: string, at: Issuer = issuer, id = 'corp'): Promise<Browser> => {
  const browser = new Browser();
  const reply = await at.signIn(browser, startOf(id), person);
  expect(reply.headers.get('location')).toBe('/console/');
  await browser.api(url, 'GET', '/me');
  return browser;
};
const whoIs = async (browser: Browser) => (await browser.api(url, 'GET', '/me')).json;

test('a member sees the most that its keys may have, and a key that asks for nothing has just that', async () => {
  const dev = await signedIn('ann');
  const { keys, accountId } = await whoIs(dev);
  expect(keys).toMatchObject({ rights: { models: ['openai/*'], rateLimits: { requestsPerMinute: 60 } }, maxKeys: 3 });
  const { expiresAt } = (keys as { rights: { expiresAt: string } }).rights;
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(30 * 86_400_000);
  const made = await dev.api(url, 'POST', `/accounts/${accountId}/keys`, { name: 'ceiling' });
  expect((made.json['key'] as { rights: object }).rights).toMatchObject({ models: ['openai/*'] });
});

describe('sign-in with an issuer', () => {
  test('sign-in lists the configured issuers by name', async () => {
    const { json } = await new Browser().api(url, 'GET', '/session/providers');
    expect(json['items']).toEqual([
      { id: 'corp', name: 'Example Corp' },
      { id: 'other', name: 'Example Corp' },
    ]);
  });

  test('sign-in gives the role of the first grant that matches a group, and creates the member once', async () => {
    const first = await whoIs(await signedIn('ann'));
    expect(first).toMatchObject({
      role: 'developer',
      accountId: 'data',
      name: 'Name of ann',
      session: { method: 'oidc' },
    });
    expect((await whoIs(await signedIn('ann')))['memberId']).toBe(first['memberId']);
    expect(await whoIs(await signedIn('cat'))).toMatchObject({ role: 'viewer', accountId: 'data' });
    expect(await whoIs(await signedIn('bob'))).toMatchObject({ role: 'operator', accountId: null });
    const { items } = (await stand.admin('GET', '/accounts/data/members')).json as { items: { email: string }[] };
    expect(items.map(({ email }) => email).sort()).toEqual(['ann@example.com', 'cat@example.com']);
  });

  test('people of different issuers are different members, even with the same subject', async () => {
    const [one, other] = [await whoIs(await signedIn('ann')), await whoIs(await signedIn('ann', second, 'other'))];
    expect(other).toMatchObject({ accountId: 'data' });
    expect(other['memberId']).not.toBe(one['memberId']);
  });

  test('the role follows the groups at the next sign-in', async () => {
    const browser = await signedIn('fay');
    const { memberId } = await whoIs(browser);
    await stand.admin('PATCH', `/accounts/data/members/${memberId}`, { role: 'viewer' });
    expect(await whoIs(browser)).toMatchObject({ role: 'viewer' });
    expect(await whoIs(await signedIn('fay'))).toMatchObject({ memberId, role: 'developer' });
  });

  test.each([
    ['without a group that fits', 'dan'],
    ['for an account that does not exist', 'eve'],
  ])('%s is refused and leaves no session', async (_, person) => {
    const browser = new Browser();
    const reply = await issuer.signIn(browser, startOf('corp'), person);
    expect(reply.headers.get('location')).toBe('/console/sign-in#problem=forbidden');
    expect((await browser.api(url, 'GET', '/me')).status).toBe(401);
  });

  test('sign-in refuses a removed member', async () => {
    const { memberId } = await whoIs(await signedIn('fay'));
    await stand.admin('DELETE', `/accounts/data/members/${memberId}`);
    const reply = await issuer.signIn(new Browser(), startOf('corp'), 'fay');
    expect(reply.headers.get('location')).toBe('/console/sign-in#problem=forbidden');
  });

  test('sign-in refuses a callback that this browser did not start', async () => {
    const start = await new Browser().send(startOf('corp'));
    const state = new URL(start.headers.get('location') ?? '').searchParams.get('state');
    const forged = `${url}/admin/v1/session/oidc/corp/callback?code=x&state=${state}&iss=${encodeURIComponent(issuer.url)}`;
    for (const browser of [new Browser(), await signedIn('ann')]) {
      const { headers } = await browser.send(forged);
      expect(headers.get('location')).toBe('/console/sign-in#problem=unauthenticated');
    }
    const begun = new Browser();
    await begun.send(startOf('corp'));
    expect((await begun.send(forged)).headers.get('location')).toBe('/console/sign-in#problem=unauthenticated');
  });

  test('sign-in redirects to a page of the console only', async () => {
    const to = async (page: string) =>
      (await new Browser().send(`${startOf('corp')}?to=${encodeURIComponent(page)}`)).status;
    expect(await to('/console/requests?model=openai/*')).toBe(400);
    for (const page of ['https://evil.example.com', '//evil.example.com', '/console/../x\\', '/admin/v1'])
      expect(await to(page), page).toBe(400);
    const browser = new Browser();
    const reply = await issuer.signIn(browser, `${startOf('corp')}?to=/console/keys`, 'ann');
    expect(reply.headers.get('location')).toBe('/console/keys');
  });

  test('sign-in with an unconfigured issuer is 404', async () => {
    expect((await new Browser().send(startOf('nobody'))).status).toBe(404);
  });
});

describe('keys of a member', () => {
  test('a member creates, uses, lists, rotates and revokes only their own keys', async () => {
    const browser = await signedIn('ann');
    const keys = '/accounts/data/keys';
    const made = await browser.api(url, 'POST', keys, { name: 'laptop' });
    expect(made.status).toBe(201);
    const { id, rights } = made.json['key'] as { id: string; rights: Record<string, unknown> };
    expect(rights).toMatchObject({ models: ['openai/*'], rateLimits: { requestsPerMinute: 60 } });
    const daysLeft = (Date.parse(String(rights['expiresAt'])) - Date.now()) / 86_400_000;
    expect(daysLeft).toBeGreaterThan(29.9);
    expect(daysLeft).toBeLessThan(30.1);
    expect((await stand.chat(made.json['secret'] as string)).status).toBe(200);
    expect((await stand.chat(made.json['secret'] as string, { model: 'anthropic/claude-sonnet-4-5' })).status).toBe(
      403,
    );
    const rotated = await browser.api(url, 'POST', `${keys}/${id}/rotate`, {});
    expect((await stand.chat(rotated.json['secret'] as string)).status).toBe(200);
    expect((await browser.api(url, 'POST', `${keys}/${id}/revoke`, {})).json).toEqual({ revoked: [id] });
    expect((await stand.chat(rotated.json['secret'] as string)).status).toBe(401);
  });

  test('keys of a member have at most the rights that the role allows', async () => {
    const browser = await signedIn('ann');
    const beyond: Record<string, object> = {
      models: { models: ['anthropic/*'] },
      'all models': { models: ['*'] },
      rateLimits: { rateLimits: { requestsPerMinute: 61 } },
      expiresAt: { expiresAt: new Date(Date.now() + 31 * 86_400_000).toISOString() },
      manages: { manages: 'admin' },
    };
    for (const [name, rights] of Object.entries(beyond)) {
      const { status } = await browser.api(url, 'POST', '/accounts/data/keys', { name, rights });
      expect(status, name).toBe(403);
    }
    const { status } = await browser.api(url, 'POST', '/accounts/data/keys', { name: 'x', memberId: 'mem_other' });
    expect(status).toBe(400);
    const viewer = await signedIn('cat');
    expect((await viewer.api(url, 'POST', '/accounts/data/keys', { name: 'x' })).status).toBe(403);
  });

  test('a member has at most as many keys as the role allows', async () => {
    const browser = await signedIn('ann', second, 'other');
    const make = async () => browser.api(url, 'POST', '/accounts/data/keys', { name: 'one of many' });
    const statuses = [await make(), await make(), await make(), await make()].map(({ status }) => status);
    expect(statuses).toEqual([201, 201, 201, 409]);
  });
});

test('while the provider is down, the operator and the local administrator can still sign in', async () => {
  const { memberId } = await whoIs(await signedIn('ann'));
  const session = await signedIn('ann');
  await issuer.close();
  // The issuer's metadata is cached; its own page fails in the browser.
  expect((await new Browser().send(startOf('corp'))).headers.get('location')).toContain(issuer.url);
  await stand.gateway.reload(stand.config());
  expect((await new Browser().send(startOf('corp'))).headers.get('location')).toBe(
    '/console/sign-in#problem=unavailable',
  );
  expect((await session.api(url, 'GET', '/me')).status).toBe(200);
  const local = new Browser();
  expect((await local.api(url, 'POST', '/session', { secret: OPERATOR_SECRET })).status).toBe(201);
  const code = await local.api(url, 'POST', `/accounts/data/members/${memberId}/sign-in-code`);
  expect((await new Browser().api(url, 'POST', '/session', { code: code.json['code'] })).status).toBe(201);
});
