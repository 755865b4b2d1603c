/** Keys created at the admin API, for callers and operators. */
import { startGateway } from '@trivium/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../rt/parts/wait.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { freshDatabase } from '../support/database.ts';
import { sendRaw } from '../support/raw-bytes.ts';
import { KEY, standConfig } from '../support/stand.ts';

let stand: AdminStand;
let acme: { keyId: string; secret: string };
beforeAll(async () => {
  stand = await openAdminStand();
  acme = await stand.newAccount('acme');
});
afterAll(() => stand.close());

const newKey = async (rights: object, as = OPERATOR_SECRET): Promise<{ id: string; secret: string }> => {
  const { status, json, text } = await stand.admin('POST', '/accounts/acme/keys', { name: 'k', rights }, as);
  if (status !== 201) throw new Error(text);
  return { id: (json['key'] as { id: string }).id, secret: json['secret'] as string };
};

test('Expect: 100-continue gets 100 only with a valid credential (S11)', async () => {
  const body = JSON.stringify({ name: 'k', rights: {} });
  const ask = (secret: string): string =>
    [
      'POST /admin/v1/accounts/acme/keys HTTP/1.1',
      'Host: gateway',
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      '',
      '',
    ].join('\r\n');
  const statuses = async (secret: string): Promise<readonly number[]> => {
    const { replies } = await sendRaw({ url: stand.gateway.adminUrl }, ask(secret));
    return replies.map(({ status }) => status);
  };
  expect(await statuses('sk-wrong')).toEqual([401]);
  expect(await statuses(OPERATOR_SECRET)).toEqual([100]);
});

describe('a key of the database', () => {
  test('a database key works at once, beside keys of the file, and is recorded under its account', async () => {
    const { id, secret } = await newKey({});
    expect((await stand.chat(secret)).status).toBe(200);
    expect(stand.records.at(-1)).toMatchObject({ accountId: 'acme', keyId: id });
    expect((await stand.chat(KEY)).status).toBe(200);
  });

  test('a database key is shown only by its prefix after its creation', async () => {
    const { id, secret } = await newKey({});
    const { text, json } = await stand.admin('GET', `/accounts/acme/keys/${id}`);
    expect(json).toMatchObject({ id, prefix: secret.slice(0, 19), rights: {}, revokedAt: null });
    expect(text).not.toContain(secret.slice(19));
    expect((await stand.admin('GET', '/accounts/acme/keys')).text).not.toContain(secret.slice(19));
  });

  test('a database key is limited to its rights', async () => {
    const cases: [object, number, object?][] = [
      [{ models: ['openai/*'] }, 200],
      [{ models: ['anthropic/*'] }, 403],
      [{ providers: ['openai'] }, 200],
      [{ providers: ['anthropic'] }, 403],
      [{ protocols: ['chat'] }, 200],
      [{ protocols: ['messages', 'genai'] }, 403],
      [{ endpoints: ['text'] }, 200],
      [{ endpoints: ['embed', 'count'] }, 403],
      [{ addresses: ['127.0.0.0/8'] }, 200],
      [{ addresses: ['10.0.0.0/8', '2001:db8::/32'] }, 401],
      [{ expiresAt: '2099-01-01T00:00:00Z' }, 200],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, 401],
      [{ strict: true }, 200],
      [{ strict: true }, 400, { seed: 7 }],
      [{ strict: true, tolerates: ['seed'] }, 200, { seed: 7 }],
      [{ strict: true, tolerates: ['user'] }, 400, { seed: 7 }],
    ];
    const seen = await Promise.all(
      cases.map(async ([rights, , more]) => (await stand.chat((await newKey(rights)).secret, { ...more })).status),
    );
    expect(seen).toEqual(cases.map(([, status]) => status));
  });

  test('the rate limits of a database key apply, whatever the configuration has (U6)', async () => {
    const { id, secret } = await newKey({ rateLimits: { requestsPerMinute: 2 } });
    const statuses: number[] = [];
    for (let call = 0; call < 3; call++) statuses.push((await stand.chat(secret)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await stand.chat((await newKey({})).secret)).status).toBe(200);
    const { json } = await stand.admin('GET', `/accounts/acme/keys/${id}`);
    expect(json).toMatchObject({ rights: { rateLimits: { requestsPerMinute: 2 } } });
    const wrong = { name: 'k', rights: { rateLimits: { requestsPerMinute: 0 } } };
    expect((await stand.admin('POST', '/accounts/acme/keys', wrong)).status).toBe(400);
  });

  test('a key limited to text may not count tokens', async () => {
    const count = async (secret: string): Promise<number> => {
      const response = await fetch(`${stand.url}/api/anthropic/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await count((await newKey({ endpoints: ['count'] })).secret)).toBe(200);
    expect(await count((await newKey({ endpoints: ['text'] })).secret)).toBe(403);
  });

  test('a rotated key accepts its old secret for the grace time or not at all', async () => {
    const { id, secret } = await newKey({});
    expect((await stand.chat(secret)).status).toBe(200);
    const rotate = async (body: object): Promise<string> =>
      (await stand.admin('POST', `/accounts/acme/keys/${id}/rotate`, body)).json['secret'] as string;
    const second = await rotate({ graceSeconds: 600 });
    expect([(await stand.chat(secret)).status, (await stand.chat(second)).status]).toEqual([200, 200]);
    const third = await rotate({});
    expect([(await stand.chat(secret)).status, (await stand.chat(second)).status]).toEqual([401, 401]);
    expect((await stand.chat(third)).status).toBe(200);
  });

  test('a revoked key stops working, with the keys it created; its account can be suspended and restored', async () => {
    const parent = await newKey({ manages: 'developer' });
    const child = await newKey({}, parent.secret);
    expect((await stand.chat(child.secret)).status).toBe(200);
    const { json } = await stand.admin('POST', `/accounts/acme/keys/${parent.id}/revoke`, {});
    expect([...(json['revoked'] as string[])].sort()).toEqual([child.id, parent.id].sort());
    expect([(await stand.chat(parent.secret)).status, (await stand.chat(child.secret)).status]).toEqual([401, 401]);
    const { secret } = await newKey({});
    await stand.admin('PATCH', '/accounts/acme', { status: 'suspended' });
    expect((await stand.chat(secret)).status).toBe(403);
    await stand.admin('PATCH', '/accounts/acme', { status: 'active' });
    expect((await stand.chat(secret)).status).toBe(200);
  });
});

describe('a key that manages', () => {
  test('a managing key creates keys with at most its own rights', async () => {
    const parent = await newKey({ manages: 'admin', models: ['openai/*'], addresses: ['127.0.0.0/8'] });
    const child = await newKey({ models: ['openai/gpt-4o'] }, parent.secret);
    const { json } = await stand.admin('GET', `/accounts/acme/keys/${child.id}`);
    expect(json['rights']).toEqual({ models: ['openai/gpt-4o'], addresses: ['127.0.0.0/8'] });
    for (const [rights, field] of [
      [{ models: ['*'] }, 'rights.models'],
      [{ addresses: ['0.0.0.0/0'] }, 'rights.addresses'],
      [{ manages: 'owner' }, 'rights.manages'],
    ] as const) {
      const reply = await stand.admin('POST', '/accounts/acme/keys', { name: 'k', rights }, parent.secret);
      expect(reply).toMatchObject({ status: 403, json: { error: { code: 'forbidden', field } } });
    }
  });

  test('a managing key cannot rotate the secret of a key with more rights', async () => {
    const wide = await newKey({});
    const manager = await newKey({ manages: 'admin', models: ['openai/*'] });
    const own = await newKey({ models: ['openai/gpt-4o'] }, manager.secret);
    const rotate = async (id: string): Promise<number> =>
      (await stand.admin('POST', `/accounts/acme/keys/${id}/rotate`, {}, manager.secret)).status;
    expect(await rotate(wide.id)).toBe(403);
    expect((await stand.chat(wide.secret, { model: 'anthropic/claude-sonnet-4-5' })).status).toBe(200);
    expect([await rotate(own.id), await rotate(manager.id)]).toEqual([200, 200]);
  });

  test.each([
    ['viewer', { read: 200, make: 403, members: 403, audit: 403, accounts: 403 }],
    ['developer', { read: 200, make: 201, members: 403, audit: 403, accounts: 403 }],
    ['admin', { read: 200, make: 201, members: 201, audit: 200, accounts: 403 }],
    ['owner', { read: 200, make: 201, members: 201, audit: 200, accounts: 403 }],
  ])('a managing key as %s has the permissions of that role', async (role, may) => {
    const { secret } = await newKey({ manages: role });
    const status = async (...args: [string, string, unknown?]): Promise<number> =>
      (await stand.admin(args[0], args[1], args[2], secret)).status;
    expect({
      read: await status('GET', '/accounts/acme/keys'),
      make: await status('POST', '/accounts/acme/keys', { name: 'k' }),
      members: await status('POST', '/accounts/acme/members', { name: 'm', role: 'viewer' }),
      audit: await status('GET', '/accounts/acme/audit'),
      accounts: await status('GET', '/accounts'),
    }).toEqual(may);
  });

  test('a managing key grants no role above its own, and loses rights with its member at once', async () => {
    const add = async (role: string, secret?: string) =>
      stand.admin('POST', '/accounts/acme/members', { name: 'm', role }, secret);
    const member = (await add('admin')).json['id'];
    const made = await stand.admin('POST', '/accounts/acme/keys', {
      name: 'k',
      memberId: member,
      rights: { manages: 'admin' },
    });
    const secret = made.json['secret'] as string;
    expect([(await add('admin', secret)).status, (await add('owner', secret)).status]).toEqual([201, 403]);
    await stand.admin('PATCH', `/accounts/acme/members/${member}`, { role: 'viewer' });
    expect((await add('viewer', secret)).status).toBe(403);
    expect((await stand.admin('GET', '/accounts/acme/keys', undefined, secret)).status).toBe(200);
    await stand.admin('DELETE', `/accounts/acme/members/${member}`);
    expect((await stand.admin('GET', '/accounts/acme/keys', undefined, secret)).status).toBe(401);
  });

  test('values that the database cannot store are refused with 400', async () => {
    const reply = await stand.admin('POST', '/accounts/acme/keys', { name: 'a\u0000b' });
    expect(reply).toMatchObject({ status: 400, json: { error: { code: 'invalid' } } });
    expect((await stand.admin('GET', '/accounts/acme/keys/%00')).status).toBe(404);
  });

  test('a key without the manages right cannot use the admin API', async () => {
    const { secret } = await newKey({});
    expect((await stand.admin('GET', '/accounts/acme', undefined, secret)).status).toBe(403);
    expect((await stand.admin('GET', '/accounts/acme', undefined, KEY)).status).toBe(401);
  });
});

describe('the audit log', () => {
  test('the audit log has every change and its actor, holds no secret, and verifies', async () => {
    const { id, secret } = await newKey({ manages: 'admin' }, acme.secret);
    await stand.admin('POST', `/accounts/acme/keys/${id}/revoke`, {}, acme.secret);
    const { json, text } = await stand.admin('GET', '/accounts/acme/audit?limit=2');
    expect(json['items']).toMatchObject([
      { action: 'key.revoke', subject: id, actor: `key:${acme.keyId}`, accountId: 'acme' },
      { action: 'key.create', subject: id, actor: `key:${acme.keyId}`, detail: { rights: { manages: 'admin' } } },
    ]);
    expect(text).not.toContain(secret.slice(19));
    const older = await stand.admin('GET', `/accounts/acme/audit?limit=2&after=${json['next']}`);
    expect(older.json['items']).toHaveLength(2);
    await Promise.all(Array.from({ length: 12 }, () => newKey({})));
    expect((await stand.admin('GET', '/audit/verify')).json).toEqual({ intact: true, broken: [] });
  });
});

describe('a body', () => {
  const post = (body: string) =>
    fetch(`${stand.gateway.adminUrl}/admin/v1/accounts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_SECRET}`, 'content-type': 'application/json' },
      body,
    });

  // S11: was a 500.
  test.each([
    ['of 100,000 levels', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'deeper than 64 levels'],
    ['of 20,000 members', `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":1`).join()}}`, '10000 members'],
    ['that is no object', '[]', 'must be a JSON object'],
    ['that is no JSON', '{', 'not valid JSON'],
  ])('the error for %s names the field', async (_what, body, problem) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { code: 'invalid', message: expect.stringContaining(problem) },
    });
  });
});

describe('the first start', () => {
  test('the first start generates an operator secret and shows it once', async () => {
    const database = await freshDatabase();
    const shown: string[] = [];
    const config = standConfig(stand.simulator.url, { config: () => ({ database: { url: database.url } }) });
    const start = () => startGateway({ config, showFirstSecret: (secret) => shown.push(secret) });
    const gateways = await Promise.all([start(), start()]);
    gateways.push(await start());
    expect(shown).toHaveLength(1);
    for (const { adminUrl } of gateways) {
      const list = (secret: string) =>
        fetch(`${adminUrl}/admin/v1/accounts`, { headers: { authorization: `Bearer ${secret}` } });
      expect([(await list(shown[0] ?? '')).status, (await list(OPERATOR_SECRET)).status]).toEqual([200, 401]);
    }
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await database.drop();
  });
});

describe('with the database gone', () => {
  test('without the database, cached keys work for the grace time, others get a retryable error, and the admin API reports it', async () => {
    const own = await openAdminStand({ config: () => ({ database: { keyGraceMs: 10_000 } }) });
    const { secret } = await own.newAccount('acme');
    expect((await own.chat(secret)).status).toBe(200);
    await own.database.drop();
    const known = [(await own.chat(secret)).status];
    const unknown = await newKey({});
    await waitFor('the loss is noticed', async () => (await own.chat(unknown.secret)).status === 503, 10_000);
    expect((await own.chat(unknown.secret)).headers.get('retry-after')).not.toBeNull();
    expect((await own.admin('GET', '/accounts')).status).toBe(503);
    const askAgain = async (): Promise<boolean> =>
      known.push((await own.chat(secret)).status) > 0 && known.at(-1) === 503;
    await waitFor('the grace is over', askAgain, 30_000);
    expect(new Set(known)).toEqual(new Set([200, 503]));
    expect(known[0]).toBe(200);
    expect((await own.chat(secret)).status).toBe(503);
    expect((await own.chat(KEY)).status).toBe(200);
    await own.close().catch(() => undefined);
  }, 60_000);
});
