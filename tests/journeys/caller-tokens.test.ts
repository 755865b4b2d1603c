/** Callers with a JWT of a trusted issuer instead of a key: what is accepted, and every attack that is refused. */
import { createHmac, KeyObject, randomUUID, sign as signBytes } from 'node:crypto';
import { exportSPKI, importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyGroups } from '../../packages/gateway/src/control/sessions/identity-rows.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { openStand, postChat } from '../support/stand.ts';
import { AUDIENCE, newPair, type Pair, TokenIssuer } from '../support/token-issuer.ts';

let issuer: TokenIssuer;
let stand: AdminStand;
let store: Store;
let rsa: Pair;
let ec: Pair;
let stranger: Pair;

const issuers = () => ({
  ci: {
    issuer: issuer.url,
    audience: AUDIENCE,
    requires: { repository: ['acme/app', 'acme/tools-*'] },
    account: 'builds',
    rights: { models: ['openai/*'] },
  },
  people: { issuer: issuer.url, audience: AUDIENCE, requires: { kind: ['person'] }, account: 'staff', member: true },
  teams: { issuer: issuer.url, audience: AUDIENCE, requires: { kind: ['team'] }, accountClaim: 'team' },
});

beforeAll(async () => {
  issuer = await TokenIssuer.open();
  [rsa, ec, stranger] = await Promise.all([newPair('rsa-1'), newPair('ec-1', 'ES256'), newPair('rsa-1')]);
  issuer.shown.push(rsa, ec);
  stand = await openAdminStand({ config: () => ({ callerTokens: { issuers: issuers() } }) });
  store = new Store(stand.database.settings);
  await stand.newAccount('red');
});
afterAll(async () => {
  await store.close();
  await stand.close();
  await issuer.close();
});
beforeEach(() => {
  issuer.isDown = false;
});

const CI = { repository: 'acme/app' };
const ci = (more: Record<string, unknown> = {}) => issuer.claims({ ...CI, jti: randomUUID(), ...more });
const statusOf = async (token: string): Promise<number> => (await stand.chat(token)).status;
const nowS = (): number => Math.floor(Date.now() / 1000);
const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
/** Signs arbitrary header and payload texts, which no library would write. */
const signText = (header: string, payload: string): string => {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${signBytes('sha256', Buffer.from(input), KeyObject.from(rsa.privateKey)).toString('base64url')}`;
};

describe('a token of a trusted issuer', () => {
  test.each(['rsa', 'ec'])(
    'a token is accepted like a key, and the request is recorded for its account (%s)',
    async (kind) => {
      expect(await statusOf(await issuer.sign(kind === 'rsa' ? rsa : ec, ci()))).toBe(200);
      expect(stand.records.at(-1)).toMatchObject({ accountId: 'builds', keyId: 'jwt:ci' });
    },
  );

  test('a token is verified once, and then cached', async () => {
    const token = await issuer.sign(rsa, ci());
    expect(await statusOf(token)).toBe(200);
    issuer.isDown = true;
    expect([await statusOf(token), await statusOf(token)]).toEqual([200, 200]);
  });

  test('a token has only the permissions in the configuration', async () => {
    const token = await issuer.sign(rsa, ci());
    expect((await stand.chat(token, { model: 'anthropic/claude-sonnet-4-5' })).status).toBe(403);
    const admin = await stand.admin('GET', '/accounts/builds', undefined, token);
    expect(admin.status).toBe(403);
  });

  test('a token is refused once it has expired, even when cached', async () => {
    const token = await issuer.sign(rsa, ci({ exp: nowS() + 2 }));
    expect(await statusOf(token)).toBe(200);
    await expect.poll(() => statusOf(token), { timeout: 4000 }).toBe(401);
  });

  test('a token may name its account, and is refused once the account is suspended', async () => {
    const token = await issuer.sign(rsa, issuer.claims({ kind: 'team', team: 'red' }));
    expect(await statusOf(token)).toBe(200);
    expect(stand.records.at(-1)).toMatchObject({ accountId: 'red' });
    await stand.admin('PATCH', '/accounts/red', { status: 'suspended' });
    await expect.poll(() => statusOf(token)).toBe(403);
    expect(await statusOf(await issuer.sign(rsa, issuer.claims({ kind: 'team', team: 'unknown' })))).toBe(401);
    expect(await statusOf(await issuer.sign(rsa, issuer.claims({ kind: 'team', team: ['red', 'staff'] })))).toBe(401);
  });

  test('a token acts as the member who signed in with the same issuer, until the member is removed', async () => {
    const person = { issuer: issuer.url, subject: 'ann', name: 'Ann', email: null };
    const token = await issuer.sign(rsa, issuer.claims({ kind: 'person', sub: 'ann' }));
    expect(await statusOf(token)).toBe(401);
    const found = await store.within('staff', (db) =>
      applyGroups(db, person, { account: 'staff', role: 'developer' }, () => 'mem_ann'),
    );
    expect(found).toEqual({ memberId: 'mem_ann' });
    await expect.poll(() => statusOf(token), { timeout: 3000 }).toBe(200);
    expect(stand.records.at(-1)).toMatchObject({ accountId: 'staff', keyId: 'jwt:people:mem_ann' });
    await stand.admin('DELETE', '/accounts/staff/members/mem_ann');
    await expect.poll(() => statusOf(token)).toBe(401);
    expect(await statusOf(await issuer.sign(rsa, issuer.claims({ kind: 'person', sub: 'ann', jti: 'new' })))).toBe(401);
  });

  test('a token has the rights and tags of its member, and is refused once the person is gone', async () => {
    const person = { issuer: issuer.url, subject: 'bob', name: 'Bob', email: null };
    const grant = { account: 'staff', role: 'developer', rights: { models: ['openai/gpt-5'] } } as const;
    await store.within('staff', (db) => applyGroups(db, person, grant, () => 'mem_bob'));
    const token = await issuer.sign(rsa, issuer.claims({ kind: 'person', sub: 'bob' }));
    expect(await statusOf(token)).toBe(403);
    expect((await stand.chat(token, { model: 'openai/gpt-5' })).status).toBe(200);
    expect((await stand.admin('POST', '/accounts/staff/members/mem_bob/gone')).status).toBe(200);
    await expect.poll(() => statusOf(token), { timeout: 1000 }).toBe(401);
  });

  test('a token is refused once its issuer is removed from the configuration', async () => {
    const token = await issuer.sign(rsa, ci());
    expect(await statusOf(token)).toBe(200);
    const { ci: _gone, ...others } = issuers();
    const config = stand.config();
    await stand.gateway.reload({ ...config, callerIssuers: config.callerIssuers.filter(({ id }) => id in others) });
    expect(await statusOf(token)).toBe(401);
    await stand.gateway.reload(config);
    expect(await statusOf(token)).toBe(200);
  });
});

/** Each makes a token that must be refused. */
const ATTACKS: Readonly<Record<string, () => string | Promise<string>>> = {
  'alg none, without a signature': () => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(ci())}.`,
  'alg none, with some signature': () => `${encode({ alg: 'none' })}.${encode(ci())}.${encode('signature')}`,
  'alg None in other letters': () => `${encode({ alg: 'nOnE', kid: 'rsa-1' })}.${encode(ci())}.${encode('signature')}`,
  'another audience': () => issuer.sign(rsa, ci({ aud: 'somewhere-else' })),
  'no audience': () => issuer.sign(rsa, ci({ aud: undefined })),
  'another issuer': () => issuer.sign(rsa, ci({ iss: 'https://evil.example.com' })),
  'an issuer that only begins alike': () => issuer.sign(rsa, ci({ iss: `${issuer.url}.evil.example.com` })),
  'no issuer': () => issuer.sign(rsa, ci({ iss: undefined })),
  expired: () => issuer.sign(rsa, ci({ exp: nowS() - 60 })),
  'no expiry': () => issuer.sign(rsa, ci({ exp: undefined })),
  'an expiry that is no number': () => issuer.sign(rsa, ci({ exp: '9999999999' })),
  'not valid yet': () => issuer.sign(rsa, ci({ nbf: nowS() + 600 })),
  'no subject': () => issuer.sign(rsa, ci({ sub: undefined })),
  'key confusion: HS256 with the public key as PEM': async () => {
    const publicKey = (await importJWK(rsa.jwk, 'RS256', { extractable: true })) as CryptoKey;
    return new SignJWT(ci())
      .setProtectedHeader({ alg: 'HS256', kid: 'rsa-1' })
      .sign(new TextEncoder().encode(await exportSPKI(publicKey)));
  },
  'key confusion: HS256 with the modulus': () => {
    const input = `${encode({ alg: 'HS256', kid: 'rsa-1' })}.${encode(ci())}`;
    const key = Buffer.from(String(rsa.jwk.n), 'base64url');
    return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
  },
  'a signature that is allowed, with a key for another': () => {
    const input = `${encode({ alg: 'ES256', kid: 'rsa-1' })}.${encode(ci())}`;
    return `${input}.${signBytes('sha256', Buffer.from(input), KeyObject.from(rsa.privateKey)).toString('base64url')}`;
  },
  'an algorithm that is not allowed': () => signAs('RS512'),
  'an unknown key id': () => issuer.sign({ ...stranger, kid: 'unknown' }, ci()),
  "a stranger's key under a known id": () => issuer.sign(stranger, ci()),
  'no key id, signed by a stranger': () => issuer.sign(stranger, ci(), { kid: undefined }),
  'its own key in the header (jwk)': () => issuer.sign(stranger, ci(), { jwk: stranger.jwk }),
  'the address of its own keys (jku)': () => issuer.sign(stranger, ci(), { jku: `${issuer.url}/evil` }),
  'the address of its own certificate (x5u)': () => issuer.sign(stranger, ci(), { x5u: `${issuer.url}/evil` }),
  'its own certificate (x5c)': () => issuer.sign(stranger, ci(), { x5c: [Buffer.from('evil').toString('base64')] }),
  'an unknown critical extension': () =>
    signText(JSON.stringify({ alg: 'RS256', kid: 'rsa-1', crit: ['x'], x: 1 }), JSON.stringify(ci())),
  'an unencoded payload (b64)': () =>
    signText(JSON.stringify({ alg: 'RS256', kid: 'rsa-1', crit: ['b64'], b64: false }), JSON.stringify(ci())),
  'a changed payload': async () => {
    const [header, , signature] = (await issuer.sign(rsa, ci())).split('.');
    return `${header}.${encode(ci({ sub: 'root' }))}.${signature}`;
  },
  'a cut signature': async () => (await issuer.sign(rsa, ci())).slice(0, -8),
  'a name that stands twice in the payload': () =>
    signText(JSON.stringify({ alg: 'RS256', kid: 'rsa-1' }), `{"aud":"other",${JSON.stringify(ci()).slice(1)}`),
  'a name that stands twice in the header': () =>
    signText('{"alg":"none","alg":"RS256","kid":"rsa-1"}', JSON.stringify(ci())),
  'a type for another use': () => issuer.sign(rsa, ci(), { typ: 'logout+jwt' }),
  'claims that are not required ones': () => issuer.sign(rsa, ci({ repository: 'evil/app' })),
  'a required claim hidden in an object': () => issuer.sign(rsa, ci({ repository: { toString: 'acme/app' } })),
  'longer than any token': () => issuer.sign(rsa, ci({ padding: 'x'.repeat(9000) })),
  'an encrypted token': () => [0, 1, 2, 3, 4].map(() => encode({ alg: 'RSA-OAEP' })).join('.'),
  'no JSON in it': () => `eyJ${encode('not json')}.eyJ${encode('not json')}.${encode('signature')}`,
};

const signAs = (alg: string): string => {
  const input = `${encode({ alg, kid: 'rsa-1' })}.${encode(ci())}`;
  return `${input}.${signBytes('sha512', Buffer.from(input), KeyObject.from(rsa.privateKey)).toString('base64url')}`;
};

describe('a token is refused for', () => {
  test.each(Object.keys(ATTACKS))('a token is refused for %s', async (name) => {
    const token = await (ATTACKS[name] as () => string | Promise<string>)();
    const { status, text } = await stand.chat(token);
    expect(status).toBe(401);
    expect(text).not.toContain(token);
    // The gateway still accepts a valid token.
    expect(await statusOf(await issuer.sign(rsa, ci()))).toBe(200);
  });
});

describe('the keys of an issuer', () => {
  test('the keys of an issuer are fetched once, and for unknown key ids at a limited rate', async () => {
    const before = issuer.asked;
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, at) => issuer.sign({ ...stranger, kid: `made-up-${at}` }, ci())),
    );
    expect(await Promise.all(tokens.map(statusOf))).toEqual(tokens.map(() => 401));
    expect(issuer.asked - before).toBeLessThanOrEqual(1);
  });

  test('while the keys of an issuer are unreachable, a new caller gets 503, and database keys work', async () => {
    const other = await TokenIssuer.open();
    other.shown.push(rsa);
    const plain = await openStand({
      config: () => ({
        callerTokens: { issuers: { ci: { issuer: other.url, audience: AUDIENCE, account: 'builds' } } },
      }),
    });
    try {
      const send = async (token: string) => (await postChat(plain, CHAT, { authorization: `Bearer ${token}` })).status;
      other.isDown = true;
      expect(await send(await other.sign(rsa, other.claims()))).toBe(503);
      expect((await postChat(plain, CHAT)).status).toBe(200);
    } finally {
      await plain.close();
      await other.close();
    }
  });
});

const CHAT = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };

test('without a database, tokens act for the account in the configuration', async () => {
  const plain = await openStand({
    config: () => ({
      callerTokens: { issuers: { ci: { issuer: issuer.url, audience: AUDIENCE, account: 'builds' } } },
    }),
  });
  try {
    const token = await issuer.sign(rsa, issuer.claims());
    expect((await postChat(plain, CHAT, { authorization: `Bearer ${token}` })).status).toBe(200);
    expect(plain.records.at(-1)).toMatchObject({ accountId: 'builds', keyId: 'jwt:ci' });
    const wrong = await issuer.sign(stranger, issuer.claims());
    expect((await postChat(plain, CHAT, { authorization: `Bearer ${wrong}` })).status).toBe(401);
  } finally {
    await plain.close();
  }
});
