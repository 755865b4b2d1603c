/** Credentials of hosts in the database: encrypted, used where the file has none, loaded by running nodes. */

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../rt/parts/wait.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { standConfig, UPSTREAM_SECRET } from '../support/stand.ts';

const [FIRST_KEY, SECOND_KEY] = ['the first key of thirty-two characters', 'the second key of thirty-two characters'];
const STORED = 'sk-upstream-canary-stored-0123456789';

/** `late` is a host without a credential in the file. */
const configOf = (keys: readonly string[]) => (simulatorUrl: string) => ({
  secrets: { keys },
  providers: {
    openai: { credential: UPSTREAM_SECRET, baseUrl: `${simulatorUrl}/openai/v1` },
    late: { dialect: 'openai-chat', baseUrl: `${simulatorUrl}/openai/v1` },
    gone: { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1', credential: UPSTREAM_SECRET },
  },
  models: [
    { id: 'openai/gpt-4o', endpoints: [{ provider: 'openai' }] },
    { id: 'late/any', endpoints: [{ provider: 'late', upstreamModel: 'gpt-4o-mini' }] },
  ],
});

let stand: AdminStand;
let adminSecret: string;
beforeAll(async () => {
  stand = await openAdminStand({ config: configOf([FIRST_KEY]) });
  adminSecret = (await stand.newAccount('acme')).secret;
});
afterAll(() => stand.close());

const asksLate = async (): Promise<number> => (await stand.chat(adminSecret, { model: 'late/any' })).status;

const rows = async (): Promise<string> => {
  const client = new Client({ connectionString: stand.database.url });
  await client.connect();
  const { rows: found } = await client.query(
    "select provider, encode(sealed, 'escape') as sealed, wrapping from provider_credentials",
  );
  await client.end();
  return JSON.stringify(found);
};

describe('a stored credential', () => {
  test('a stored credential is used by running nodes where the file has none, until it is deleted', async () => {
    // The simulator requires a credential on this route and accepts any.
    expect(await asksLate()).toBe(502);
    const set = await stand.admin('POST', '/providers/late/credential', { credential: STORED });
    expect(set).toMatchObject({ status: 200, json: { id: 'late', credential: 'database' } });
    await waitFor('the credential is taken up', async () => (await asksLate()) === 200, 10_000);
    expect((await stand.admin('GET', '/providers')).json['items']).toMatchObject([
      { id: 'gone', credential: 'file', storedAt: null },
      { id: 'late', credential: 'database' },
      { id: 'openai', credential: 'file', storedAt: null },
    ]);
    expect(await rows()).not.toContain(STORED);
    expect((await stand.admin('GET', '/audit?limit=1')).text).not.toContain(STORED);
  });

  test('all providers are listed with those built in, which can be given a credential', async () => {
    const { items } = (await stand.admin('GET', '/providers?all=true')).json as {
      items: { id: string; credential: string; configured: boolean }[];
    };
    const found = (id: string) => items.find((each) => each.id === id);
    expect(found('groq')).toMatchObject({ displayName: 'Groq', credential: 'none', configured: false });
    expect(found('late')).toMatchObject({ credential: 'database' });
    const { json: page } = await stand.admin('GET', '/providers?all=true&limit=2');
    expect(page).toMatchObject({ items: items.slice(0, 2), next: items[1]?.id });
    expect((await stand.admin('POST', '/providers/mistral/credential', { credential: STORED })).status).toBe(200);
    expect(JSON.stringify((await stand.admin('GET', '/providers')).json)).toContain('"mistral"');
    await stand.admin('DELETE', '/providers/mistral/credential');
  });

  test('a stored credential does not override one in the file', async () => {
    const set = await stand.admin('POST', '/providers/openai/credential', { credential: STORED });
    expect(set.json).toMatchObject({ id: 'openai', credential: 'file' });
    await stand.admin('DELETE', '/providers/openai/credential');
    expect((await stand.admin('DELETE', '/providers/openai/credential')).status).toBe(404);
  });

  test('a credential can be tested at its host, also before it is stored, and is never returned', async () => {
    const trial = async (id: string, body: object = {}) => {
      const { status, text, json } = await stand.admin('POST', `/providers/${id}/test`, body);
      expect(text).not.toMatch(/canary/);
      return status === 200 ? { verdict: json['verdict'], status: json['status'] } : status;
    };
    expect(await trial('late')).toEqual({ verdict: 'works', status: 200 });
    expect(await trial('openai', { credential: 'sk-canary-to-be-tried-only' })).toEqual({
      verdict: 'works',
      status: 200,
    });
    stand.simulator.arm('status=401', { path: '/v1/models' });
    expect(await trial('openai')).toEqual({ verdict: 'refused', status: 401 });
    stand.simulator.arm('status=401', { path: '/v1/models' });
    expect((await stand.admin('POST', '/providers/openai/test', {})).json['error']).toMatchObject({
      status: 401,
      text: expect.stringMatching(/\w/),
    });
    stand.simulator.arm('status=503', { path: '/v1/models' });
    expect(await trial('openai')).toEqual({ verdict: 'unclear', status: 503 });
    expect(await trial('gone')).toEqual({ verdict: 'unreachable', status: null });
    expect((await stand.admin('POST', '/providers/gone/test', {})).json['error']).toMatchObject({
      code: 'ECONNREFUSED',
    });
    expect(await trial('groq')).toEqual({ verdict: 'none', status: null });
    expect(await trial('no-such-host')).toBe(404);
    expect(await trial('groq', { credential: 'two\nlines' })).toBe(400);
    expect(await rows()).not.toContain('tried');
  });

  test('a stored credential is re-encrypted with a new operator key, after which the old key can be removed', async () => {
    const before = await rows();
    await stand.gateway.reload(reloaded([SECOND_KEY, FIRST_KEY]));
    expect((await stand.admin('POST', '/providers/rewrap', {})).json).toEqual({ moved: 1 });
    expect((await stand.admin('POST', '/providers/rewrap', {})).json).toEqual({ moved: 0 });
    expect(await rows()).not.toBe(before);
    await stand.gateway.reload(reloaded([SECOND_KEY]));
    expect(await asksLate()).toBe(200);
    await stand.admin('DELETE', '/providers/late/credential');
    await waitFor('the credential is gone', async () => (await asksLate()) === 502, 10_000);
  });

  test('with the key of secrets lost a stored credential is unreadable until it is stored anew; all else goes on', async () => {
    await stand.gateway.reload(reloaded([FIRST_KEY]));
    await stand.admin('POST', '/providers/late/credential', { credential: STORED });
    await waitFor('the credential is taken up', async () => (await asksLate()) === 200, 10_000);
    // A new node, for one that runs has read it already.
    const config = (url: string) => ({ ...configOf([SECOND_KEY])(url), database: { url: stand.database.url } });
    const without = await openAdminStand({ config }, stand.database);
    try {
      const ask = async (model: string): Promise<number> => (await without.chat(adminSecret, { model })).status;
      expect(await ask('late/any')).toBe(502);
      expect(await ask('openai/gpt-4o')).toBe(200);
      expect((await without.admin('GET', '/accounts')).status).toBe(200);
      expect((await without.admin('POST', '/providers/late/credential', { credential: STORED })).status).toBe(200);
      await waitFor('it is used again', async () => (await ask('late/any')) === 200, 10_000);
    } finally {
      await without.close();
    }
  });

  test('a stored credential needs a known host, a valid form and an encryption key', async () => {
    const set = (id: string, credential: string) => stand.admin('POST', `/providers/${id}/credential`, { credential });
    expect((await set('no-such-host', 'x')).status).toBe(404);
    expect(await set('groq', 'two\nlines')).toMatchObject({ status: 400, json: { error: { field: 'credential' } } });
    await stand.gateway.reload(reloaded([]));
    expect((await set('late', STORED)).status).toBe(409);
  });
});

const reloaded = (keys: readonly string[]) =>
  standConfig(stand.simulator.url, {
    config: (url) => ({
      ...configOf(keys)(url),
      admin: { host: '127.0.0.1', port: 0, secret: 'sk-operator-canary-0123456789abcdefghijklmnopqrstuv' },
      database: { url: stand.database.url },
    }),
  });
