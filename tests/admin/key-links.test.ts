/** Keys handed over by a link: the secret is shown once to whoever opens it, and to nobody else. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { type AdminStand, callAdmin, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';

const SECRETS = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

let stand: AdminStand;
let store: Store;
let admin: string;
const proxied = { listen: { host: '127.0.0.1', port: 0, trustedProxies: ['127.0.0.1'] } };
beforeAll(async () => {
  stand = await openAdminStand({ config: () => ({ ...proxied, secrets: { keys: [SECRETS[0]] } }) });
  store = new Store({ url: stand.database.url, maxConnections: 2, connectMs: 5000, statementMs: 5000 });
  admin = (await stand.newAccount('acme', { manages: 'admin' })).secret;
});
afterAll(async () => {
  await Promise.all([store.app.destroy(), store.writer.destroy()]);
  await stand.close();
});

// Failures of one test must not slow down the next.
let address = '';
let tested = 0;
beforeEach(() => {
  address = `192.0.2.${++tested}`;
});

type Made = { readonly id: string; readonly keyId: string; readonly url: string };

const handOver = async (more: object = {}, path = '/accounts/acme/key-links'): Promise<Made> => {
  const { status, json, text } = await stand.admin('POST', path, { name: 'laptop', ...more }, admin);
  expect(status, text).toBe(201);
  return json as Made;
};
const codeOf = ({ url }: Made): string => url.split('#code=')[1] ?? '';
const open = (code: string, at: AdminStand = stand) =>
  callAdmin(at.gateway.adminUrl, 'POST', '/key-links/open', { code }, { 'x-forwarded-for': address });
const linkOf = async ({ id }: Made): Promise<Record<string, unknown> | undefined> => {
  const { json } = await stand.admin('GET', '/accounts/acme/key-links', undefined, admin);
  return (json['items'] as Record<string, unknown>[]).find((link) => link['id'] === id);
};
const rowOf = async ({ id }: Made) =>
  store.within('*', async (db) => {
    const { rows } = await sql<Record<string, unknown>>`select * from key_links where id = ${id}`.execute(db);
    return rows[0] ?? {};
  });

test('a link shows the secret once, without a credential, and then it is erased', async () => {
  const made = await handOver({ rights: { models: ['openai/*'] } });
  expect(made.url).toMatch(/\/console\/key#code=[\w-]{43}$/);
  expect(await linkOf(made)).toMatchObject({ state: 'waiting', keyName: 'laptop', openedAt: null });
  expect(await rowOf(made)).toMatchObject({ sealed: expect.any(Buffer) });

  const { status, json } = await open(codeOf(made));
  expect([status, json['keyName'], json['accountName']]).toEqual([200, 'laptop', 'acme']);
  const secret = json['secret'] as string;
  expect((await stand.chat(secret)).status).toBe(200);
  expect(await linkOf(made)).toMatchObject({ state: 'opened', openedAt: expect.any(String) });
  expect(await rowOf(made)).toMatchObject({ sealed: null, wrapped_key: null, wrapping: null });
  expect((await open(codeOf(made))).status).toBe(404);

  // The key itself is like any other.
  const { json: key } = await stand.admin('GET', `/accounts/acme/keys/${made.keyId}`, undefined, admin);
  expect(key).toMatchObject({
    rights: { models: ['openai/*'] },
    prefix: secret.slice(0, String(key['prefix']).length),
  });
  const { text: audit } = await stand.admin('GET', '/accounts/acme/audit', undefined, admin);
  expect(['key.create', 'key-link.create', 'key-link.open'].filter((action) => !audit.includes(`"${action}"`))).toEqual(
    [],
  );
  expect([secret, codeOf(made)].filter((text) => audit.includes(text))).toEqual([]);
});

test('of two who open it at once, one gets the secret', async () => {
  const code = codeOf(await handOver());
  const statuses = (await Promise.all([open(code), open(code), open(code)])).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
});

test('a link that was withdrawn, whose time is over or whose key was revoked or rotated does not open', async () => {
  const withdrawn = await handOver();
  const path = `/accounts/acme/key-links/${withdrawn.id}`;
  expect((await stand.admin('DELETE', path, undefined, admin)).json).toMatchObject({ state: 'withdrawn' });
  expect((await stand.admin('DELETE', path, undefined, admin)).status).toBe(409);
  expect(await rowOf(withdrawn)).toMatchObject({ sealed: null });

  const expired = await handOver();
  await store.within('*', (db) => sql`update key_links set expires_at = now() where id = ${expired.id}`.execute(db));
  const revoked = await handOver();
  await stand.admin('POST', `/accounts/acme/keys/${revoked.keyId}/revoke`, {}, admin);
  const rotated = await handOver();
  await stand.admin('POST', `/accounts/acme/keys/${rotated.keyId}/rotate`, {}, admin);
  for (const [turn, made] of [withdrawn, expired, revoked, rotated].entries()) {
    address = `198.51.100.${turn}`;
    expect((await open(codeOf(made))).status).toBe(404);
  }
  expect([(await linkOf(expired))?.['state'], (await linkOf(revoked))?.['state']]).toEqual(['expired', 'withdrawn']);
  expect(await rowOf(expired)).toMatchObject({ sealed: null });
});

test('an address that guessed wrong waits; others do not', async () => {
  const made = await handOver();
  expect([(await open('wrong')).status, (await open(codeOf(made))).status]).toEqual([404, 429]);
  address = '203.0.113.9';
  expect((await open(codeOf(made))).status).toBe(200);
});

test('a page of another site cannot open a link', async () => {
  const made = await handOver();
  const headers = { origin: 'https://elsewhere.example' };
  const { status } = await callAdmin(
    stand.gateway.adminUrl,
    'POST',
    '/key-links/open',
    { code: codeOf(made) },
    headers,
  );
  expect(status).toBe(403);
  expect((await open(codeOf(made))).status).toBe(200);
});

test('its time is bounded, and so is the number of links that wait', async () => {
  for (const validSeconds of [1, 8 * 86_400])
    expect((await stand.admin('POST', '/accounts/acme/key-links', { name: 'k', validSeconds }, admin)).status).toBe(
      400,
    );
  const crowd = (await stand.newAccount('crowd', { manages: 'admin' })).secret;
  const ask = () => stand.admin('POST', '/accounts/crowd/key-links', { name: 'k' }, crowd);
  for (let count = 0; count < 100; count += 20) await Promise.all(Array.from({ length: 20 }, ask));
  expect((await ask()).status).toBe(409);
});

test('a secret stays readable when secrets.keys are rotated', async () => {
  const made = await handOver();
  const keys = [SECRETS[1], SECRETS[0]];
  const rotating = await openAdminStand({ config: () => ({ ...proxied, secrets: { keys } }) }, stand.database);
  const { json } = await rotating.admin('POST', '/providers/rewrap', {});
  expect(json['moved']).toBeGreaterThan(0);
  await rotating.close();
  const only = { ...proxied, secrets: { keys: [SECRETS[1]] } };
  const rotated = await openAdminStand({ config: () => only }, stand.database);
  try {
    await vi.waitFor(async () => expect((await open(codeOf(made), rotated)).status).toBe(200));
  } finally {
    await rotated.close();
  }
});

test('without secrets.keys no key is made', async () => {
  const plain = await openAdminStand();
  try {
    const { secret } = await plain.newAccount('bare', { manages: 'admin' });
    expect((await plain.admin('POST', '/accounts/bare/key-links', { name: 'k' }, secret)).status).toBe(409);
    const { json } = await plain.admin('GET', '/accounts/bare/keys', undefined, secret);
    expect(json['items']).toHaveLength(1);
  } finally {
    await plain.close();
  }
});

test('the command line hands a key over, lists links and withdraws them', async () => {
  const run = async (line: string): Promise<Record<string, unknown>> => {
    const env = { TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET };
    const terminal = fakeTerminal(env);
    await runCommandLine(`${line} --json`.split(' '), terminal);
    expect(terminal.errors).toEqual([]);
    return JSON.parse(terminal.output.join('\n'));
  };
  const { id, keyId } = await run('keys hand-over acme --name shell --models openai/* --valid 600');
  expect(await run(`keys links acme --key ${keyId}`)).toEqual([expect.objectContaining({ id, state: 'waiting' })]);
  expect(await run(`keys withdraw acme ${id}`)).toMatchObject({ state: 'withdrawn' });
});
