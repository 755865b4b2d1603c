/**
 * Users over SCIM 2.0 as Okta, Entra, SailPoint and others send them, with two gateways on one database and a real identity
 * provider: who is deactivated there is out here, and nothing but a directory's own token may say so.
 */
import { type Gateway, startGateway } from '@trivium/gateway';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { Browser } from '../support/browser.ts';
import { CLIENT, Issuer } from '../support/issuer.ts';
import { standConfig } from '../support/stand.ts';

const TOKEN = `scim-trivium-${'a'.repeat(40)}`;
const OTHER_TOKEN = `scim-trivium-${'b'.repeat(40)}`;
const WITHIN_MS = 1000;

let issuer: Issuer;
let stand: AdminStand;
let second: Gateway;
let url: string;

/** What the provider says of people besides their groups; changes while the tests run. */
const names: Record<string, string> = {};
const oids: Record<string, string> = {};

const PEOPLE = Object.fromEntries(
  ['ann', 'bob', 'cat', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'lea', 'mia', 'mia2'].map((name) => [
    name,
    ['staff'],
  ]),
);

const settings = () => ({
  listen: { host: '127.0.0.1', port: 0, trustedProxies: ['127.0.0.1'] },
  signIn: {
    issuers: {
      corp: {
        name: 'Example Corp',
        issuer: issuer.url,
        clientId: CLIENT.id,
        clientSecret: CLIENT.secret,
        externalIdClaim: 'department',
        grants: [
          { group: 'platform', role: 'operator' },
          { group: 'staff', account: 'data', role: 'developer' },
        ],
      },
    },
    directories: {
      corp: { issuer: 'corp', account: 'data', token: TOKEN },
      others: { issuer: 'corp', account: 'umbrella', token: OTHER_TOKEN },
    },
  },
});

beforeAll(async () => {
  for (const method of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(() => undefined);
  issuer = await Issuer.open();
  stand = await openAdminStand({ config: settings });
  url = stand.gateway.adminUrl;
  second = await startGateway({
    config: standConfig(stand.simulator.url, {
      config: () => ({
        ...settings(),
        admin: { host: '127.0.0.1', port: 0, secret: OPERATOR_SECRET },
        database: { url: stand.database.url },
      }),
    }),
  });
  await issuer.serve({ ...PEOPLE, root: ['platform'] }, [`${url}/admin/v1/session/oidc/corp/callback`], {
    claimsOf: (id) => ({
      preferred_username: names[id] ?? `${id}@example.com`,
      ...(oids[id] !== undefined && { department: oids[id] }),
    }),
  });
  for (const id of ['data', 'umbrella']) await stand.newAccount(id);
});
afterAll(async () => {
  await second.close();
  await stand.close();
  await issuer.close();
});

const scim = async (method: string, path: string, body?: unknown, token = TOKEN, at = url) => {
  const response = await fetch(`${at}/scim/v2${path}`, {
    method,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/scim+json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    json: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
};

const signInReply = (browser: Browser, person: string) =>
  issuer.signIn(browser, `${url}/admin/v1/session/oidc/corp/start`, person);
async function signedIn(person: string): Promise<{ browser: Browser; memberId: string }> {
  const browser = new Browser();
  await signInReply(browser, person);
  const { status, json } = await browser.api(url, 'GET', '/me');
  expect(status).toBe(200);
  return { browser, memberId: String(json['memberId']) };
}
const chatAt = async (at: string, secret: string): Promise<number> => {
  const response = await fetch(`${at}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await response.body?.cancel();
  return response.status;
};
const newKeyOf = async (browser: Browser): Promise<string> => {
  const made = await browser.api(url, 'POST', '/accounts/data/keys', { name: 'laptop' });
  return String(made.json['secret']);
};

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations });

/** Bodies that say that a person is out, by who sends them. */
const OUT: Readonly<Record<string, readonly ['PATCH' | 'PUT', object | string]>> = {
  'Okta, without a path': ['PATCH', patch({ op: 'replace', value: { active: false } })],
  'Okta, the whole user': [
    'PUT',
    { schemas: [USER], userName: 'x', name: { givenName: 'A', familyName: 'B' }, active: false, groups: [] },
  ],
  'Entra, a text': ['PATCH', patch({ op: 'Replace', path: 'active', value: 'False' })],
  'Entra, a boolean': ['PATCH', patch({ op: 'Replace', path: 'active', value: false })],
  'Entra, a list of values': [
    'PATCH',
    patch({ op: 'Replace', path: 'active', value: [{ $ref: null, value: 'False' }] }),
  ],
  'SailPoint, add': ['PATCH', patch({ op: 'add', path: 'active', value: false })],
  'SailPoint, add without a path': ['PATCH', patch({ op: 'add', value: { active: 'false' } })],
  'with the name of the schema in the path': ['PATCH', patch({ op: 'replace', path: `${USER}:active`, value: false })],
  'with the name of the schema in the value': ['PATCH', patch({ op: 'replace', value: { [USER]: { active: false } } })],
  'beside other changes': [
    'PATCH',
    patch(
      { op: 'replace', path: 'displayName', value: 'New Name' },
      { op: 'replace', path: 'active', value: false },
      { op: 'add', path: 'emails[type eq "work"].value', value: 'new@example.com' },
    ),
  ],
  'in other letters': ['PUT', { userName: 'x', Active: 'FALSE' }],
  removed: ['PATCH', patch({ op: 'remove', path: 'active' })],
  'a number': ['PATCH', patch({ op: 'replace', path: 'active', value: 0 })],
  null: ['PATCH', patch({ op: 'replace', value: { active: null } })],
  'an unknown word': ['PATCH', patch({ op: 'replace', path: 'active', value: 'disabled' })],
  'two that disagree': ['PUT', { userName: 'x', active: true, Active: false }],
  'a nested list': ['PATCH', patch({ op: 'replace', path: 'active', value: [[true]] })],
};

describe('a user of the directory', () => {
  test('a user that the directory creates is a member without a key, and the first sign-in finds it', async () => {
    const made = await scim('POST', '/Users', {
      schemas: [USER],
      userName: 'ann@example.com',
      externalId: '00u1',
      name: { givenName: 'Ann', familyName: 'Example' },
      emails: [{ value: 'ann@example.com', primary: true }],
      active: true,
    });
    expect(made).toMatchObject({
      status: 201,
      type: expect.stringContaining('application/scim+json'),
      json: { userName: 'ann@example.com', externalId: '00u1', displayName: 'Ann Example', active: true },
    });
    const { memberId } = await signedIn('ann');
    expect(memberId).toBe(made.json['id']);
    expect((await scim('GET', `/Users/${memberId}`)).json).toMatchObject({ id: memberId, active: true });
    expect(await scim('POST', '/Users', { userName: 'ANN@example.com' })).toMatchObject({
      status: 409,
      json: { scimType: 'uniqueness' },
    });
  });

  test('a person who has signed in before is found by name, and lists come in pages', async () => {
    const { memberId } = await signedIn('bob');
    const found = await scim('GET', `/Users?filter=${encodeURIComponent('userName eq "BOB@example.com"')}`);
    expect(found.json).toMatchObject({ totalResults: 1, Resources: [{ id: memberId }] });
    const byId = await scim('GET', `/Users?filter=${encodeURIComponent('externalId eq "bob"')}`);
    expect(byId.json).toMatchObject({ totalResults: 1, Resources: [{ id: memberId }] });
    const none = await scim('GET', `/Users?filter=${encodeURIComponent('userName eq "\\" or 1=1"')}`);
    expect(none).toMatchObject({ status: 200, json: { totalResults: 0, Resources: [] } });
    const [page, next] = [
      await scim('GET', '/Users?startIndex=1&count=1'),
      await scim('GET', '/Users?startIndex=2&count=1'),
    ];
    expect(page.json).toMatchObject({ itemsPerPage: 1, startIndex: 1 });
    expect((page.json['Resources'] as { id: string }[])[0]?.id).not.toBe(
      (next.json['Resources'] as { id: string }[])[0]?.id,
    );
  });

  test.each(Object.entries(OUT))('deactivates: %s', async (_, [method, body]) => {
    const created = await scim('POST', '/Users', { userName: `out-${Math.random()}@example.com`, externalId: 'x1' });
    const id = String(created.json['id']);
    const done = await scim(method, `/Users/${id}`, body);
    expect(done).toMatchObject({ status: 200, json: { id, active: false } });
    expect((await scim('GET', `/Users/${id}`)).json).toMatchObject({ active: false });
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
  });

  test.each([
    ['Okta', patch({ op: 'replace', value: { active: true } })],
    ['Entra', patch({ op: 'Replace', path: 'active', value: 'True' })],
    ['a boolean', patch({ op: 'add', path: 'active', value: true })],
  ])('activates: %s', async (_, body) => {
    const created = await scim('POST', '/Users', { userName: `in-${Math.random()}@example.com`, active: false });
    expect(created.json).toMatchObject({ active: false });
    expect((await scim('PATCH', `/Users/${created.json['id']}`, body)).json).toMatchObject({ active: true });
  });

  test('what is about other attributes is accepted and changes nothing', async () => {
    const { json } = await scim('POST', '/Users', { userName: 'still@example.com', displayName: 'Still' });
    const id = String(json['id']);
    for (const [method, body] of [
      ['PATCH', patch({ op: 'replace', path: 'userName', value: 'other@example.com' })],
      ['PATCH', patch({ op: 'add', path: 'activeDirectoryId', value: 'x' })],
      ['PUT', { userName: 'other@example.com', displayName: 'Other' }],
    ] as const)
      expect((await scim(method, `/Users/${id}`, body)).json).toMatchObject({
        userName: 'still@example.com',
        displayName: 'Still',
        active: true,
      });
  });
});

describe('a person who is out', () => {
  test('keys and sessions are refused on both nodes within a second, and so is the sign-in', async () => {
    const { browser, memberId } = await signedIn('cat');
    const secret = await newKeyOf(browser);
    const nodes = [stand.url, second.url];
    for (const node of nodes) expect(await chatAt(node, secret)).toBe(200);
    const sessionAt = async (at: string): Promise<number> => {
      const cookie = [...browser.cookies(url)].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(`${at}/admin/v1/me`, { headers: { cookie } });
      await response.body?.cancel();
      return response.status;
    };
    expect(await sessionAt(second.adminUrl)).toBe(200);
    expect((await scim('PATCH', `/Users/${memberId}`, OUT['Entra, a text']?.[1])).status).toBe(200);
    for (const node of nodes)
      await expect.poll(() => chatAt(node, secret), { timeout: WITHIN_MS, interval: 50 }).toBe(401);
    expect([await sessionAt(url), await sessionAt(second.adminUrl)]).toEqual([401, 401]);
    expect((await signInReply(new Browser(), 'cat')).headers.get('location')).toContain('#problem=forbidden');
    const code = await stand.admin('POST', `/accounts/data/members/${memberId}/sign-in-code`);
    expect(code.status).toBe(409);
    const key = await stand.admin('POST', '/accounts/data/keys', { name: 'later', memberId });
    expect(key.status).toBe(409);
  });

  test('who is back signs in again, and the keys of before stay ended', async () => {
    const { browser, memberId } = await signedIn('dan');
    const secret = await newKeyOf(browser);
    expect(await chatAt(stand.url, secret)).toBe(200);
    await scim('PATCH', `/Users/${memberId}`, OUT['Okta, without a path']?.[1]);
    expect(
      (await scim('PATCH', `/Users/${memberId}`, patch({ op: 'replace', value: { active: true } }))).json,
    ).toMatchObject({
      active: true,
    });
    expect((await browser.api(url, 'GET', '/me')).status).toBe(401);
    const again = await signedIn('dan');
    expect(again.memberId).toBe(memberId);
    expect(await chatAt(stand.url, secret)).toBe(401);
    expect(await chatAt(stand.url, await newKeyOf(again.browser))).toBe(200);
  });

  test('a deleted user is not found, and the same member when it is created again', async () => {
    const { memberId } = await signedIn('eve');
    expect((await scim('DELETE', `/Users/${memberId}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE'] as const)
      expect((await scim(method, `/Users/${memberId}`)).status).toBe(404);
    expect((await signInReply(new Browser(), 'eve')).headers.get('location')).toContain('#problem=forbidden');
    const again = await scim('POST', '/Users', { userName: 'eve@example.com' });
    expect(again).toMatchObject({ status: 201, json: { id: memberId, active: true } });
    expect((await signedIn('eve')).memberId).toBe(memberId);
  });

  test('an operator signed in by the same issuer is out, too', async () => {
    const { json } = await scim('POST', '/Users', { userName: 'root@example.com' });
    const browser = new Browser();
    await signInReply(browser, 'root');
    expect((await browser.api(url, 'GET', '/me')).json).toMatchObject({ role: 'operator' });
    await scim('PUT', `/Users/${json['id']}`, { userName: 'root@example.com', active: false });
    expect((await browser.api(url, 'GET', '/me')).status).toBe(401);
    expect((await signInReply(new Browser(), 'root')).headers.get('location')).toContain('#problem=forbidden');
  });

  test('a member that the directory made beside the one that the person had is the same person', async () => {
    // The directory knows the person by another name, and by an id that no sign-in had so far.
    const { browser, memberId } = await signedIn('lea');
    const secret = await newKeyOf(browser);
    expect(await chatAt(stand.url, secret)).toBe(200);
    const made = await scim('POST', '/Users', { userName: 'lea.married@example.com', externalId: 'oid-lea' });
    expect(made.json['id']).not.toBe(memberId);
    oids['lea'] = 'oid-lea';
    expect((await signedIn('lea')).memberId).toBe(memberId);
    await scim('PATCH', `/Users/${made.json['id']}`, OUT['Entra, a boolean']?.[1]);
    await expect.poll(() => chatAt(stand.url, secret), { timeout: WITHIN_MS, interval: 50 }).toBe(401);
    expect((await browser.api(url, 'GET', '/me')).status).toBe(401);
    expect((await signInReply(new Browser(), 'lea')).headers.get('location')).toContain('#problem=forbidden');
  });

  test('a name that was given to another person is out with it, whichever member the directory means', async () => {
    const { memberId } = await signedIn('mia');
    names['mia2'] = 'mia@example.com';
    const other = await signedIn('mia2');
    expect(other.memberId).not.toBe(memberId);
    const secret = await newKeyOf(other.browser);
    expect(await chatAt(stand.url, secret)).toBe(200);
    const found = await scim('GET', `/Users?filter=${encodeURIComponent('userName eq "mia@example.com"')}`);
    expect(found.json).toMatchObject({ totalResults: 1, Resources: [{ id: other.memberId }] });
    await scim('PATCH', `/Users/${memberId}`, OUT['Okta, without a path']?.[1]);
    await expect.poll(() => chatAt(stand.url, secret), { timeout: WITHIN_MS, interval: 50 }).toBe(401);
    expect((await other.browser.api(url, 'GET', '/me')).status).toBe(401);
    const back = await scim('PATCH', `/Users/${memberId}`, patch({ op: 'replace', value: { active: true } }));
    expect(back.json).toMatchObject({ active: true });
    expect((await signedIn('mia2')).memberId).toBe(other.memberId);
  });

  test('a directory does not bring back whom people have deactivated', async () => {
    const { memberId } = await signedIn('fay');
    expect((await stand.admin('POST', `/accounts/data/members/${memberId}/gone`)).status).toBe(200);
    for (const active of [true, false, true]) {
      const said = await scim('PUT', `/Users/${memberId}`, { userName: 'fay@example.com', active });
      expect(said.json).toMatchObject({ active: false });
    }
    expect((await signInReply(new Browser(), 'fay')).headers.get('location')).toContain('#problem=forbidden');
    expect((await stand.admin('POST', `/accounts/data/members/${memberId}/reactivate`)).status).toBe(200);
    expect((await signedIn('fay')).memberId).toBe(memberId);
  });

  test('an admin does not bring back whom the directory has deactivated', async () => {
    const { memberId } = await signedIn('gus');
    await scim('PATCH', `/Users/${memberId}`, OUT['SailPoint, add']?.[1]);
    const path = `/accounts/data/members/${memberId}/reactivate`;
    const { json } = await stand.admin('POST', '/accounts/data/keys', { name: 'admin', rights: { manages: 'admin' } });
    expect((await stand.admin('POST', path, undefined, String(json['secret']))).status).toBe(409);
  });

  test('what a directory does is in the audit log of its account, without its token', async () => {
    const { memberId } = await signedIn('hal');
    await scim('PATCH', `/Users/${memberId}`, OUT['Okta, without a path']?.[1]);
    const { text } = await stand.admin('GET', '/accounts/data/audit');
    const { items } = JSON.parse(text) as { items: { action: string; actor: string; subject: string }[] };
    expect(items).toContainEqual(
      expect.objectContaining({ action: 'member.deactivate', actor: 'scim:corp', subject: memberId }),
    );
    expect(text).not.toContain(TOKEN.slice(13));
  });
});

describe('who may', () => {
  const ENDPOINTS = [
    ['GET', '/Users'],
    ['POST', '/Users'],
    ['GET', '/Users/none'],
    ['PUT', '/Users/none'],
    ['PATCH', '/Users/none'],
    ['DELETE', '/Users/none'],
    ['GET', '/Groups'],
    ['GET', '/Schemas'],
    ['GET', '/ResourceTypes'],
    ['GET', '/ServiceProviderConfig'],
    ['GET', '/nothing'],
  ] as const;

  test('only the token of a directory is accepted', async () => {
    const { browser } = await signedIn('ida');
    const plain = await stand.admin('POST', '/accounts/data/keys', { name: 'plain' });
    const owner = await stand.admin('POST', '/accounts/data/keys', { name: 'o', rights: { manages: 'owner' } });
    const secrets = {
      none: '',
      plain: String(plain.json['secret']),
      owner: String(owner.json['secret']),
      member: await newKeyOf(browser),
      operator: OPERATOR_SECRET,
      'another token': `scim-trivium-${'c'.repeat(40)}`,
      'a part of it': TOKEN.slice(0, -1),
    };
    for (const [who, secret] of Object.entries(secrets))
      for (const [method, path] of ENDPOINTS) {
        const { status, json } = await scim(method, path, method === 'GET' ? undefined : {}, secret);
        expect([who, method, path, status]).toEqual([who, method, path, 401]);
        expect(JSON.stringify(json)).not.toContain(secret.slice(15) || '-');
      }
    const cookie = [...browser.cookies(url)].map(([name, value]) => `${name}=${value}`).join('; ');
    expect((await fetch(`${url}/scim/v2/Users`, { headers: { cookie } })).status).toBe(401);
  });

  test('the token of a directory is good for nothing else', async () => {
    expect((await stand.admin('GET', '/accounts/data', undefined, TOKEN)).status).toBe(401);
    expect((await stand.admin('GET', '/me', undefined, TOKEN)).status).toBe(401);
    expect(await chatAt(stand.url, TOKEN)).toBe(401);
    expect((await new Browser().api(url, 'POST', '/session', { secret: TOKEN })).status).toBe(401);
  });

  test('users of another account, and members whom the issuer does not know, are not found', async () => {
    const { json } = await scim('POST', '/Users', { userName: 'theirs@example.com' }, OTHER_TOKEN);
    const local = await stand.admin('POST', '/accounts/data/members', { name: 'Local', role: 'owner' });
    for (const id of [json['id'], local.json['id'], 'mem_none', '%00', "'%20or%201=1--", '*']) {
      const answers = [];
      for (const [method, body] of [
        ['GET', undefined],
        ['PUT', { active: false }],
        ['PATCH', OUT['Okta, without a path']?.[1]],
        ['DELETE', undefined],
      ] as const)
        answers.push((await scim(method, `/Users/${id}`, body)).status);
      expect([id, ...answers]).toEqual([id, 404, 404, 404, 404]);
    }
    expect((await scim('GET', `/Users/${json['id']}`, undefined, OTHER_TOKEN)).json).toMatchObject({ active: true });
    const all = await scim('GET', '/Users?count=200');
    expect(JSON.stringify(all.json)).not.toContain('theirs@example.com');
  });

  test('without a directory in the configuration there is no SCIM', async () => {
    const config = stand.config();
    await stand.gateway.reload({ ...config, signIn: { ...config.signIn, directories: [] } });
    for (const [method, path] of ENDPOINTS) expect((await scim(method, path)).status).toBe(404);
    await stand.gateway.reload(config);
    expect((await scim('GET', '/Users')).status).toBe(200);
  });
});

describe('what cannot be read', () => {
  test.each([
    ['POST', '/Users', {}, 'invalidValue'],
    ['POST', '/Users', { userName: '' }, 'invalidValue'],
    ['POST', '/Users', { userName: 'x'.repeat(321) }, 'invalidValue'],
    ['PATCH', '/Users/none', {}, 'invalidSyntax'],
    ['PATCH', '/Users/none', { Operations: [] }, 'invalidSyntax'],
    ['PATCH', '/Users/none', { Operations: Array(101).fill({ op: 'add', value: {} }) }, 'invalidSyntax'],
    ['PATCH', '/Users/none', { Operations: [{ op: 'move', path: 'active' }] }, 'invalidSyntax'],
    ['PATCH', '/Users/none', { Operations: [{ op: 'remove' }] }, 'noTarget'],
    ['PATCH', '/Users/none', { Operations: [{ op: 'replace', path: ['active'], value: false }] }, 'invalidPath'],
    ['GET', '/Users?filter=active%20eq%20true', undefined, 'invalidFilter'],
    ['GET', '/Users?filter=userName%20sw%20%22a%22', undefined, 'invalidFilter'],
    ['GET', '/Users?count=many', undefined, 'invalidValue'],
  ])('%s %s is refused in the form of SCIM (%#)', async (method, path, body, scimType) => {
    const { status, type, json } = await scim(method, path, body);
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '400', scimType },
    });
    expect(type).toContain('application/scim+json');
  });

  test.each([
    ['no JSON', '{'],
    ['a name twice', '{"userName":"a@example.com","userName":"b@example.com"}'],
    ['a prototype', '{"userName":"a@example.com","__proto__":{"active":true}}'],
    ['a list', '[]'],
    ['too long', `{"userName":"${'x'.repeat(300_000)}"}`],
  ])('a body with %s is refused', async (_, body) => {
    expect((await scim('POST', '/Users', body)).status).toBe(400);
  });
});
