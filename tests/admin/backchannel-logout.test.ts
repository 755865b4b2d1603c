/**
 * Back-channel logout: a real identity provider that tells of a logout ends the sessions it has signed in, and every token that
 * is not genuine, or was used before, ends none.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { exportSPKI, importJWK } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { storedSessions } from '../../packages/gateway/src/control/sessions/rows.ts';
import { hashSecret } from '../../packages/gateway/src/people/accounts/key-secret.ts';
import { newSessionId, type SessionSubject } from '../../packages/gateway/src/people/accounts/sessions.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { createLog } from '../../packages/gateway/src/telemetry/log.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { Browser } from '../support/browser.ts';
import { CLIENT, Issuer } from '../support/issuer.ts';
import { newPair, type Pair, TokenIssuer } from '../support/token-issuer.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

let provider: Issuer;
let issuer: TokenIssuer;
let stand: AdminStand;
let store: Store;
let url: string;
let rsa: Pair;
let stranger: Pair;
const lines: string[] = [];

const settingsOf = (at: string) => ({
  name: 'Example Corp',
  issuer: at,
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  grants: [{ account: 'data', role: 'developer' }],
});

beforeAll(async () => {
  for (const method of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(() => undefined);
  [provider, issuer, rsa, stranger] = await Promise.all([
    Issuer.open(),
    TokenIssuer.open(),
    newPair('rsa-1'),
    newPair('rsa-1'),
  ]);
  issuer.shown.push(rsa);
  stand = await openAdminStand({
    log: createLog({ level: 'info', write: (line) => lines.push(line) }),
    config: () => ({
      // Every forged token comes from an address of its own, as far as the gateway sees.
      listen: { host: '127.0.0.1', port: 0, trustedProxies: ['127.0.0.1'] },
      signIn: { issuers: { corp: settingsOf(provider.url), made: settingsOf(issuer.url) } },
    }),
  });
  url = stand.gateway.adminUrl;
  store = new Store(stand.database.settings);
  await provider.serve({ ann: [] }, [`${url}/admin/v1/session/oidc/corp/callback`], {
    logoutUri: `${url}/admin/v1/session/oidc/corp/backchannel-logout`,
  });
  await stand.newAccount('data');
});
afterAll(async () => {
  await store.close();
  await stand.close();
  await Promise.all([provider.close(), issuer.close()]);
});

let addresses = 0;
function post(token: string, id = 'made', body = `logout_token=${token}`): Promise<Response> {
  addresses += 1;
  return fetch(`${url}/admin/v1/session/oidc/${id}/backchannel-logout`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': `192.0.2.${addresses % 250}`,
    },
    body,
  });
}

const claims = (more: Record<string, unknown> = {}): Record<string, unknown> => {
  const { exp: _exp, sub: _sub, ...own } = issuer.claims({ aud: CLIENT.id, jti: randomUUID() });
  return { ...own, sub: 'cat', events: { [EVENT]: {} }, ...more };
};

/** A session as a sign-in opens it; whether it lives on. */
async function sessionOf(subject: SessionSubject): Promise<() => Promise<boolean>> {
  const hash = hashSecret(newSessionId());
  const sessions = storedSessions(store);
  await sessions.open(hash, subject, 'oidc');
  return async () => (await sessions.find(hash)) !== undefined;
}
/** A person who is signed in from a program, as a sign-in leaves it; whether the program still is. */
async function programOf(subject: string): Promise<() => Promise<boolean>> {
  const id = `grant_${subject}`;
  await store.within(OPERATOR, async (db) => {
    await sql`insert into members (account_id, id, name, role) values ('data', ${`mem_${subject}`}, ${subject}, 'developer')`.execute(
      db,
    );
    await sql`insert into member_identities (account_id, issuer, subject, member_id)
      values ('data', ${issuer.url}, ${subject}, ${`mem_${subject}`})`.execute(db);
    await sql`insert into grants (account_id, id, member_id, client, label, issuer, subject, scope, selector, verifier)
      values ('data', ${id}, ${`mem_${subject}`}, 'trivium-cli', 'l', 'made', ${subject}, 'calls',
        sha256(convert_to(${id}::text, 'UTF8')), sha256('v'))`.execute(db);
  });
  return async () => {
    const { json } = await stand.admin('GET', '/grants?state=active');
    return (json['items'] as { id: string }[]).some((one) => one.id === id);
  };
}
const operatorOf = (subject: string, sid?: string, at = issuer.url): SessionSubject => ({
  kind: 'operator',
  foreign: { issuer: at, subject, ...(sid !== undefined && { sid }) },
});

test('a logout at the identity provider ends the session here, and not the keys', async () => {
  const browser = new Browser();
  await provider.signIn(browser, `${url}/admin/v1/session/oidc/corp/start`, 'ann');
  await browser.api(url, 'GET', '/me');
  const made = await browser.api(url, 'POST', '/accounts/data/keys', { name: 'laptop' });
  expect(made.status).toBe(201);
  const page = await browser.send(`${provider.url}/session/end`);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const form = new URLSearchParams({ xsrf, logout: 'yes' });
  await browser.send(`${provider.url}/session/end/confirm`, { method: 'POST', body: form });
  await expect.poll(async () => (await browser.api(url, 'GET', '/me')).status).toBe(401);
  expect((await stand.chat(String(made.json['secret']))).status).toBe(200);
  const { text } = await stand.admin('GET', '/accounts/data/audit');
  expect(JSON.parse(text).items).toContainEqual(
    expect.objectContaining({
      action: 'session.end',
      actor: 'issuer:corp',
      detail: { method: 'backchannel-logout' },
    }),
  );
});

describe('a genuine token', () => {
  test('ends every session of the person that the issuer signed in, and no other', async () => {
    const own = [await sessionOf(operatorOf('cat', 's1')), await sessionOf(operatorOf('cat'))];
    const others = [
      await sessionOf(operatorOf('dan', 's1')),
      await sessionOf(operatorOf('cat', 's1', 'https://elsewhere.example.com')),
      await sessionOf({ kind: 'operator' }),
    ];
    const reply = await post(await issuer.sign(rsa, claims(), { typ: 'logout+jwt' }));
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await Promise.all(own.map((isAlive) => isAlive()))).toEqual([false, false]);
    expect(await Promise.all(others.map((isAlive) => isAlive()))).toEqual([true, true, true]);
  });

  test('of the whole person signs programs out, and of one session does not', async () => {
    const [fox, gnu] = [await programOf('fox'), await programOf('gnu')];
    expect((await post(await issuer.sign(rsa, claims({ sub: 'fox', sid: 's9' })))).status).toBe(200);
    expect([await fox(), await gnu()]).toEqual([true, true]);
    expect((await post(await issuer.sign(rsa, claims({ sub: 'fox' })))).status).toBe(200);
    expect([await fox(), await gnu()]).toEqual([false, true]);
    const { items } = (await stand.admin('GET', '/accounts/data/audit')).json as { items: { action: string }[] };
    expect(items.filter(({ action }) => action === 'grant.end')).toEqual([
      expect.objectContaining({
        actor: 'issuer:made',
        subject: 'grant_fox',
        detail: { method: 'backchannel-logout', memberId: 'mem_fox' },
      }),
    ]);
  });

  test('with the id of a session ends that session', async () => {
    const [one, other] = [await sessionOf(operatorOf('eve', 's1')), await sessionOf(operatorOf('eve', 's2'))];
    const { sub: _sub, ...bySid } = claims({ sid: 's1' });
    expect((await post(await issuer.sign(rsa, bySid))).status).toBe(200);
    expect([await one(), await other()]).toEqual([false, true]);
    // Another person's session with this id stays.
    expect((await post(await issuer.sign(rsa, claims({ sub: 'fay', sid: 's2' })))).status).toBe(200);
    expect(await other()).toBe(true);
  });

  test('works once, however often it comes', async () => {
    const token = await issuer.sign(rsa, claims({ sub: 'gus' }));
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await post(token)).status));
    expect(statuses.sort()).toEqual([200, 400, 400, 400, 400]);
    const isAlive = await sessionOf(operatorOf('gus'));
    expect((await post(token)).status).toBe(400);
    expect(await isAlive()).toBe(true);
  });
});

const nowS = (): number => Math.floor(Date.now() / 1000);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = (header: object, more: Record<string, unknown> = {}): string =>
  `${encode(header)}.${encode(claims(more))}.`;

/** Each is one change to a genuine token. */
const FORGED: Readonly<Record<string, () => string | Promise<string>>> = {
  'alg none': () => unsigned({ alg: 'none' }),
  'alg None, with a signature': () => `${unsigned({ alg: 'None' })}c2ln`,
  'no signature': async () => (await issuer.sign(rsa, claims())).split('.').slice(0, 2).join('.'),
  'an empty signature': async () => `${(await issuer.sign(rsa, claims())).split('.').slice(0, 2).join('.')}.`,
  'the key of a stranger': () => issuer.sign(stranger, claims()),
  'the public key as a shared secret': async () => {
    const pem = await exportSPKI((await importJWK(rsa.jwk, 'RS256')) as never);
    const input = `${encode({ alg: 'HS256', kid: rsa.kid })}.${encode(claims())}`;
    return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
  },
  'the client secret as a shared secret': () => {
    const input = `${encode({ alg: 'HS256' })}.${encode(claims())}`;
    return `${input}.${createHmac('sha256', CLIENT.secret).update(input).digest('base64url')}`;
  },
  'other claims under its signature': async () => {
    const [header, , signature] = (await issuer.sign(rsa, claims({ sub: 'dan' }))).split('.');
    return `${header}.${encode(claims())}.${signature}`;
  },
  'another issuer': () => issuer.sign(rsa, claims({ iss: 'https://elsewhere.example.com' })),
  'another audience': () => issuer.sign(rsa, claims({ aud: 'another-client' })),
  'no audience': () => issuer.sign(rsa, claims({ aud: undefined })),
  'a nonce': () => issuer.sign(rsa, claims({ nonce: 'n' })),
  'a nonce of null': () => issuer.sign(rsa, claims({ nonce: null })),
  'no events': () => issuer.sign(rsa, claims({ events: undefined })),
  'another event': () => issuer.sign(rsa, claims({ events: { 'http://schemas.openid.net/event/other': {} } })),
  'an event that is no object': () => issuer.sign(rsa, claims({ events: { [EVENT]: 'yes' } })),
  'events that are a list': () => issuer.sign(rsa, claims({ events: [EVENT] })),
  'neither person nor session': () => issuer.sign(rsa, claims({ sub: undefined })),
  'a person that is a list': () => issuer.sign(rsa, claims({ sub: ['hal'] })),
  'an empty person': () => issuer.sign(rsa, claims({ sub: '' })),
  'a session that is an object': () => issuer.sign(rsa, claims({ sid: {} })),
  'no jti': () => issuer.sign(rsa, claims({ jti: undefined })),
  'a jti that is a number': () => issuer.sign(rsa, claims({ jti: 7 })),
  'no iat': () => issuer.sign(rsa, claims({ iat: undefined })),
  'an old iat': () => issuer.sign(rsa, claims({ iat: nowS() - 700 })),
  'an iat of tomorrow': () => issuer.sign(rsa, claims({ iat: nowS() + 86_400 })),
  'a past exp': () => issuer.sign(rsa, claims({ exp: nowS() - 60 })),
  'the type of an access token': () => issuer.sign(rsa, claims(), { typ: 'at+jwt' }),
  'a critical header': () => issuer.sign(rsa, claims(), { crit: ['b64'], b64: true } as never).catch(() => 'x.y.z'),
  'an ID token': () => issuer.sign(rsa, issuer.claims({ aud: CLIENT.id, sub: 'hal', nonce: 'n' })),
  'no token': () => '',
  'a text': () => 'logout',
  'too much of it': () => `eyJ${'a'.repeat(10_000)}.e30.x`,
};

describe('a forged token', () => {
  test.each(Object.entries(FORGED))('with %s ends nothing', async (_, forge) => {
    const isAlive = await sessionOf(operatorOf('cat', 's1'));
    const reply = await post(await forge());
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error: 'invalid_request' });
    expect(await isAlive()).toBe(true);
  });

  test('two tokens, another form and another issuer are refused', async () => {
    const isAlive = await sessionOf(operatorOf('ida'));
    const tokenOf = () => issuer.sign(rsa, claims({ sub: 'ida' }));
    expect((await post('', 'made', `logout_token=${await tokenOf()}&logout_token=x`)).status).toBe(400);
    expect((await post(await tokenOf(), 'corp')).status).toBe(400);
    expect((await post(await tokenOf(), 'nobody')).status).toBe(404);
    const asJson = await fetch(`${url}/admin/v1/session/oidc/made/backchannel-logout`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ logout_token: await tokenOf() }),
    });
    expect(asJson.status).toBe(400);
    expect((await fetch(`${url}/admin/v1/session/oidc/made/backchannel-logout`)).status).toBe(404);
    expect((await post('', 'made', `logout_token=${'x'.repeat(20_000)}`)).status).toBe(400);
    expect(await isAlive()).toBe(true);
  });

  test('nothing of a token is in the log', async () => {
    const token = await issuer.sign(stranger, claims());
    await post(token);
    const logged = lines.join('\n');
    expect(logged).toContain('logout token rejected');
    for (const part of token.split('.').slice(1)) expect(logged).not.toContain(part.slice(0, 40));
  });
});

test('while the issuer is unreachable nothing ends, and the issuer is told to come again', async () => {
  const isAlive = await sessionOf(operatorOf('jon'));
  issuer.isDown = true;
  const fresh = stand.config();
  await stand.gateway.reload(fresh);
  const reply = await post(await issuer.sign(rsa, claims({ sub: 'jon' })));
  issuer.isDown = false;
  expect(reply.status).toBe(503);
  expect(await isAlive()).toBe(true);
});
