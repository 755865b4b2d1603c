/**
 * What people's sign-ins, groups and leaving do to their keys, with a real identity provider: keys that live while their person
 * signs in, groups that limit keys and tag calls, and the one action for a person who is gone.
 */
import { type Gateway, startGateway } from '@trivium/gateway';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { noteProof } from '../../packages/gateway/src/control/accounts/member-rows.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { Browser } from '../support/browser.ts';
import { CLIENT, Issuer, type People } from '../support/issuer.ts';
import { standConfig } from '../support/stand.ts';

const PROOF_DAYS = 30;
const WITHIN_MS = 1000;

let issuer: Issuer;
let stand: AdminStand;
let second: Gateway;
let store: Store;
let url: string;

/** Changes while the tests run, as at a real provider. */
const groups: Record<string, readonly string[]> = {
  ann: ['team'],
  bob: ['team'],
  cat: ['team'],
  dan: ['contractors', 'team'],
  eve: ['team'],
  fay: ['team'],
  root: ['platform'],
  many: Array.from({ length: 3000 }, (_, index) => `group-${index}`),
};
const departments: Record<string, unknown> = { ann: '4711', dan: '4711' };

const settings = () => ({
  listen: { host: '127.0.0.1', port: 0, trustedProxies: ['127.0.0.1'] },
  signIn: {
    proofDays: PROOF_DAYS,
    issuers: {
      corp: {
        name: 'Example Corp',
        issuer: issuer.url,
        clientId: CLIENT.id,
        clientSecret: CLIENT.secret,
        grants: [
          { group: 'platform', role: 'operator' },
          { group: 'contractors', account: 'data', role: 'developer', rights: { models: ['openai/gpt-5'] } },
          {
            group: 'team',
            account: 'data',
            role: 'developer',
            tags: { 'cost-centre': { claim: 'department' }, team: { value: 'data' } },
          },
          { account: 'data', role: 'viewer' },
        ],
      },
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
  store = new Store(stand.database.settings);
  await issuer.serve(groups as People, [`${url}/admin/v1/session/oidc/corp/callback`], {
    claimsOf: (id) => ({
      ...(departments[id] !== undefined && { department: departments[id] }),
    }),
  });
  await stand.newAccount('data');
  for (const key of ['cost-centre', 'team'])
    expect((await stand.admin('POST', '/accounts/data/tags', { key })).status).toBe(200);
});
afterAll(async () => {
  await store.close();
  await second.close();
  await stand.close();
  await issuer.close();
});

const signInReply = (browser: Browser, person: string) =>
  issuer.signIn(browser, `${url}/admin/v1/session/oidc/corp/start`, person);
async function signedIn(person: string) {
  const browser = new Browser();
  await signInReply(browser, person);
  const { status, json } = await browser.api(url, 'GET', '/me');
  expect(status).toBe(200);
  return { browser, memberId: String(json['memberId']), me: json };
}
async function newKeyOf(browser: Browser, rights = {}): Promise<string> {
  const made = await browser.api(url, 'POST', '/accounts/data/keys', { name: 'laptop', rights });
  if (made.status !== 201) throw new Error(made.text);
  return String(made.json['secret']);
}
async function chatAt(at: string, secret: string, more: object = {}) {
  const response = await fetch(`${at}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }], ...more }),
  });
  return { status: response.status, text: await response.text() };
}
const statusAt = async (at: string, secret: string): Promise<number> => (await chatAt(at, secret)).status;
/** As if the last proof, and the creation, were so long ago. */
async function ageProof(memberId: string, days: number): Promise<void> {
  await store.within(OPERATOR, (db) =>
    sql`update members set last_proof_at = last_proof_at - ${days} * interval '1 day',
        proof_from = proof_from - ${days} * interval '1 day' where id = ${memberId}`.execute(db),
  );
}

describe('keys that live while their person signs in', () => {
  test('a key of a person who has not signed in for too long is refused with what to do, and works after the sign-in', async () => {
    const { browser, memberId } = await signedIn('bob');
    const secret = await newKeyOf(browser);
    for (const node of [stand.url, second.url]) expect(await statusAt(node, secret)).toBe(200);
    await ageProof(memberId, PROOF_DAYS - 1);
    expect(await statusAt(stand.url, secret)).toBe(200);
    await ageProof(memberId, 1);
    for (const node of [stand.url, second.url])
      await expect.poll(() => statusAt(node, secret), { timeout: WITHIN_MS, interval: 50 }).toBe(403);
    expect((await chatAt(stand.url, secret)).text).toContain('Sign in in the console, and the key works again.');
    await signedIn('bob');
    for (const node of [stand.url, second.url])
      await expect.poll(() => statusAt(node, secret), { timeout: WITHIN_MS, interval: 50 }).toBe(200);
  });

  test('a key that manages is refused at the admin API, and by the playground, too', async () => {
    const member = await stand.admin('POST', '/accounts/data/members', { name: 'Admin', role: 'admin' });
    const memberId = String(member.json['id']);
    const made = await stand.admin('POST', '/accounts/data/keys', {
      name: 'k',
      memberId,
      rights: { manages: 'admin' },
    });
    const secret = String(made.json['secret']);
    expect((await stand.admin('GET', '/accounts/data', undefined, secret)).status).toBe(200);
    await ageProof(memberId, PROOF_DAYS);
    const refused = () => stand.admin('GET', '/accounts/data', undefined, secret);
    await expect.poll(async () => (await refused()).status).toBe(403);
    expect((await refused()).text).toContain('not signed in for too long');
    const played = await stand.admin('POST', '/playground', {
      keyId: (made.json['key'] as { id: string }).id,
      path: '/v1/chat/completions',
      body: { model: 'openai/gpt-4o', messages: [] },
    });
    expect(played).toMatchObject({ status: 403, text: expect.stringContaining('not signed in for too long') });
    // A local member proves to be there with a link that an admin gives.
    const code = await stand.admin('POST', `/accounts/data/members/${memberId}/sign-in-code`);
    expect((await new Browser().api(url, 'POST', '/session', { code: code.json['code'] })).status).toBe(201);
    await expect.poll(async () => (await refused()).status).toBe(200);
  });

  test('a local member has the time from its creation, and service accounts and keys of nobody do not depend on it', async () => {
    const people = await Promise.all(
      [{ name: 'Local' }, { name: 'Service', isServiceAccount: true }].map((own) =>
        stand.admin('POST', '/accounts/data/members', { role: 'developer', ...own }),
      ),
    );
    const ids = people.map(({ json }) => String(json['id']));
    const bodies = [...ids.map((memberId) => ({ name: 'k', memberId })), { name: 'nobody' }];
    const secrets: string[] = [];
    for (const body of bodies)
      secrets.push(String((await stand.admin('POST', '/accounts/data/keys', body)).json['secret']));
    const all = () => Promise.all(secrets.map((secret) => statusAt(stand.url, secret)));
    expect(await all()).toEqual([200, 200, 200]);
    for (const id of ids) await ageProof(id, PROOF_DAYS);
    const changed = await stand.admin('PATCH', `/accounts/data/members/${ids[0]}`, { name: 'Local person' });
    expect(changed.json).toMatchObject({ lastProofAt: null, isServiceAccount: false });
    await expect.poll(all).toEqual([403, 200, 200]);
    await stand.admin('PATCH', `/accounts/data/members/${ids[0]}`, { isServiceAccount: true });
    await expect.poll(all).toEqual([200, 200, 200]);
  });

  test('a proof is written once an hour, and tells nodes of the keys of its member alone', async () => {
    const { memberId } = await signedIn('cat');
    const proofOf = async () => {
      const { items } = (await stand.admin('GET', '/accounts/data/members?limit=200')).json as {
        items: { id: string; lastProofAt: string }[];
      };
      return items.find(({ id }) => id === memberId)?.lastProofAt;
    };
    const before = await proofOf();
    expect(before).toBeTypeOf('string');
    await store.within('data', (db) => noteProof(db, 'data', memberId));
    expect(await proofOf()).toBe(before);
    await ageProof(memberId, 1);
    await store.within('data', (db) => noteProof(db, 'data', memberId));
    expect(Date.parse(String(await proofOf()))).toBeGreaterThanOrEqual(Date.parse(String(before)));
  });

  test('without the setting, keys do not depend on sign-ins', async () => {
    const { browser, memberId } = await signedIn('eve');
    const secret = await newKeyOf(browser);
    await ageProof(memberId, 10 * PROOF_DAYS);
    await expect.poll(() => statusAt(stand.url, secret)).toBe(403);
    const config = stand.config();
    const { proofDays: _off, ...signIn } = config.signIn;
    await stand.gateway.reload({ ...config, signIn });
    await stand.admin('PATCH', `/accounts/data/members/${memberId}`, { name: 'Eve' });
    await expect.poll(() => statusAt(stand.url, secret)).toBe(200);
    await stand.gateway.reload(config);
  });
});

describe('groups decide', () => {
  test('tags of the calls come from groups and claims, whatever the caller sends', async () => {
    const { browser } = await signedIn('ann');
    const secret = await newKeyOf(browser);
    const spoofed = await chatAt(stand.url, secret, { metadata: { 'cost-centre': 'theirs', team: 'theirs' } });
    expect(spoofed.status).toBe(200);
    expect(stand.records.at(-1)?.tags).toEqual({ 'cost-centre': '4711', team: 'data' });
    departments['ann'] = ['a', 'b'];
    await signedIn('ann');
    await expect
      .poll(async () => {
        await chatAt(stand.url, secret, { metadata: { 'cost-centre': 'own' } });
        return stand.records.at(-1)?.tags;
      })
      .toEqual({ 'cost-centre': 'own', team: 'data' });
  });

  test('a budget for a group refuses its members and no one else', async () => {
    const { browser } = await signedIn('ann');
    const secret = await newKeyOf(browser);
    const budget = { scope: 'tag:team=data', span: 'total', usd: '0.000000001' };
    const set = await stand.admin('POST', '/accounts/data/budgets', budget);
    expect([200, 201]).toContain(set.status);
    const other = String((await stand.admin('POST', '/accounts/data/keys', { name: 'x' })).json['secret']);
    await expect.poll(() => statusAt(stand.url, secret)).toBe(402);
    expect(await statusAt(stand.url, other)).toBe(200);
    const query = new URLSearchParams({ scope: 'tag:team=data', span: 'total' });
    expect((await stand.admin('DELETE', `/accounts/data/budgets?${query}`)).status).toBe(200);
    await expect.poll(() => statusAt(stand.url, secret)).toBe(200);
  });

  test('rights of a group are the most that keys may do: new ones, and those made before', async () => {
    groups['fay'] = ['team'];
    const { browser, memberId } = await signedIn('fay');
    const before = await newKeyOf(browser);
    expect(await statusAt(stand.url, before)).toBe(200);
    groups['fay'] = ['contractors'];
    const { browser: later, me } = await signedIn('fay');
    expect(me).toMatchObject({ memberId, keys: { rights: { models: ['openai/gpt-5'] } } });
    await expect.poll(() => statusAt(stand.url, before)).toBe(403);
    expect((await chatAt(stand.url, before, { model: 'openai/gpt-5' })).status).toBe(200);
    const beyond = await later.api(url, 'POST', '/accounts/data/keys', { name: 'x', rights: { models: ['openai/*'] } });
    expect(beyond.status).toBe(403);
    // A key from before the ceiling is still the member's own to rotate.
    const { json } = await later.api(url, 'GET', '/keys?limit=200');
    const own = (json['items'] as { id: string; memberId: string }[]).filter((key) => key.memberId === memberId);
    const rotated = await later.api(url, 'POST', `/accounts/data/keys/${own[0]?.id}/rotate`, { graceSeconds: 600 });
    expect(rotated.status).toBe(200);
    expect(await statusAt(stand.url, String(rotated.json['secret']))).toBe(403);
    const fresh = await newKeyOf(later);
    expect(await statusAt(stand.url, fresh)).toBe(403);
    groups['fay'] = ['team'];
    await signedIn('fay');
    await expect.poll(() => statusAt(stand.url, before)).toBe(200);
    expect(await statusAt(stand.url, fresh)).toBe(403);
  });

  test('a change of what groups give is in the audit log', async () => {
    const { memberId } = await signedIn('dan');
    groups['dan'] = ['team'];
    await signedIn('dan');
    const { items } = (await stand.admin('GET', '/accounts/data/audit')).json as {
      items: { subject: string; action: string; detail: object }[];
    };
    const own = items.filter(({ subject, action }) => subject === memberId && action === 'member.change');
    expect(own[0]?.detail).toMatchObject({
      tags: { 'cost-centre': '4711', team: 'data' },
      before: { rights: { models: ['openai/gpt-5'] } },
    });
  });

  test('who is in too many groups to read may not sign in, although everyone else may', async () => {
    const reply = await signInReply(new Browser(), 'many');
    expect(reply.headers.get('location')).toBe('/console/sign-in#problem=forbidden');
    groups['many'] = [];
    expect((await signedIn('many')).me).toMatchObject({ role: 'viewer' });
  });
});

describe('a person who is gone', () => {
  test('everything ends on both nodes within a second, is named once, and is in the audit log', async () => {
    groups['gia'] = ['team'];
    const { browser, memberId } = await signedIn('gia');
    const secret = await newKeyOf(browser);
    for (const node of [stand.url, second.url]) expect(await statusAt(node, secret)).toBe(200);
    const code = await stand.admin('POST', `/accounts/data/members/${memberId}/sign-in-code`);
    const path = `/accounts/data/members/${memberId}/gone`;
    const gone = await stand.admin('POST', path);
    expect(gone).toMatchObject({
      status: 200,
      json: { accountId: 'data', memberId, keys: [{ name: 'laptop' }], sessions: 1, signInCodes: 1 },
    });
    for (const node of [stand.url, second.url])
      await expect.poll(() => statusAt(node, secret), { timeout: WITHIN_MS, interval: 50 }).toBe(401);
    expect((await browser.api(url, 'GET', '/me')).status).toBe(401);
    expect((await new Browser().api(url, 'POST', '/session', { code: code.json['code'] })).status).toBe(401);
    expect((await signInReply(new Browser(), 'gia')).headers.get('location')).toContain('#problem=forbidden');
    const again = await stand.admin('POST', path);
    expect(again).toMatchObject({ status: 200, json: { memberId, keys: [], sessions: 0, signInCodes: 0 } });
    const audit = (await stand.admin('GET', '/accounts/data/audit')).json as { items: { action: string }[] };
    expect(audit.items).toContainEqual(expect.objectContaining({ action: 'member.gone', subject: memberId }));
    const member = await stand.admin('GET', '/accounts/data/members?limit=200');
    expect(member.json['items']).toContainEqual(
      expect.objectContaining({ id: memberId, deactivatedAt: expect.any(String) }),
    );
  });

  test('an operator ends a person in every account, by mail address in any case of letters', async () => {
    await stand.newAccount('umbrella');
    const secrets: string[] = [];
    for (const account of ['data', 'umbrella']) {
      const body = { name: 'Ivy', email: 'ivy@example.com', role: 'admin' };
      const { json } = await stand.admin('POST', `/accounts/${account}/members`, body);
      const made = await stand.admin('POST', `/accounts/${account}/keys`, { name: 'k', memberId: json['id'] });
      secrets.push(String(made.json['secret']));
    }
    for (const secret of secrets) expect(await statusAt(stand.url, secret)).toBe(200);
    const gone = await stand.admin('POST', '/people/gone', { person: 'IVY@example.com' });
    expect(gone.json['items']).toMatchObject([
      { accountId: 'data', keys: [{ name: 'k' }] },
      { accountId: 'umbrella', keys: [{ name: 'k' }] },
    ]);
    for (const secret of secrets) await expect.poll(() => statusAt(stand.url, secret)).toBe(401);
    expect((await stand.admin('POST', '/people/gone', { person: 'nobody@example.com' })).status).toBe(404);
  });

  test('nobody ends a person above their own role, or of another account', async () => {
    const { json: owner } = await stand.admin('POST', '/accounts/data/members', { name: 'Owner', role: 'owner' });
    const admin = await stand.admin('POST', '/accounts/data/keys', { name: 'a', rights: { manages: 'admin' } });
    const secret = String(admin.json['secret']);
    for (const action of ['gone', 'reactivate'])
      expect(
        (await stand.admin('POST', `/accounts/data/members/${owner['id']}/${action}`, undefined, secret)).status,
      ).toBe(403);
    const { browser, memberId } = await signedIn('ann');
    expect((await browser.api(url, 'POST', `/accounts/data/members/${memberId}/gone`)).status).toBe(403);
    expect((await browser.api(url, 'GET', '/me')).status).toBe(200);
  });

  test('who is reactivated signs in again, without the keys of before', async () => {
    groups['kim'] = ['team'];
    const { browser, memberId } = await signedIn('kim');
    const secret = await newKeyOf(browser);
    await stand.admin('POST', `/accounts/data/members/${memberId}/gone`);
    const back = await stand.admin('POST', `/accounts/data/members/${memberId}/reactivate`);
    expect(back.json).toMatchObject({ id: memberId, deactivatedAt: null });
    expect((await signedIn('kim')).memberId).toBe(memberId);
    expect(await statusAt(stand.url, secret)).toBe(401);
  });
});
