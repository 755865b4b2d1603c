/** Keys are searched, renamed, and narrowed but never widened. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const PRICED = { model: 'priced/flat', max_tokens: 100 };
let stand: AdminStand;
let acme: { keyId: string; secret: string };
beforeAll(async () => {
  stand = await openAdminStand({ alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }) });
  acme = await stand.newAccount('acme');
  await stand.newAccount('umbrella');
});
afterAll(() => stand.close());

type Made = { readonly id: string; readonly secret: string };
const make = async (account: string, name: string, rights: object = {}, memberId?: string): Promise<Made> => {
  const { json } = await stand.admin('POST', `/accounts/${account}/keys`, { name, rights, memberId });
  return { id: (json['key'] as { id: string }).id, secret: json['secret'] as string };
};
const find = async (query: Record<string, string>, as = OPERATOR_SECRET) => {
  const { json } = await stand.admin('GET', `/keys?${new URLSearchParams(query)}`, undefined, as);
  return { items: json['items'] as Record<string, unknown>[], next: json['next'] as string | null };
};
const names = async (query: Record<string, string>, as?: string): Promise<unknown[]> =>
  (await find(query, as)).items.map(({ name }) => name).sort();
const change = (id: string, body: object, as?: string) => stand.admin('PATCH', `/accounts/acme/keys/${id}`, body, as);

describe('keys are found', () => {
  test('keys are found by name, secret prefix, member, model, expiry and state', async () => {
    const member = await stand.admin('POST', '/accounts/acme/members', { name: 'Ann', role: 'developer' });
    const ann = member.json['id'] as string;
    const backend = await make('acme', 'Backend', { models: ['openai/*'] });
    await make('acme', 'laptop of Ann', { models: ['anthropic/claude-sonnet-4-5'] }, ann);
    await make('umbrella', 'backend-2', { expiresAt: '2099-01-01T00:00:00Z' });
    await make('acme', 'old', { expiresAt: '2020-01-01T00:00:00Z' });
    const gone = await make('acme', 'gone');
    await stand.admin('POST', `/accounts/acme/keys/${gone.id}/revoke`);
    expect(await names({ q: 'BACK' })).toEqual(['Backend', 'backend-2']);
    expect(await names({ q: backend.secret.slice(0, 19) })).toEqual(['Backend']);
    expect(await names({ q: backend.secret })).toEqual([]);
    expect(await names({ member: ann })).toEqual(['laptop of Ann']);
    expect(await names({ account: 'acme', state: 'active', model: 'openai/gpt-4o' })).toEqual(['Backend', 'first']);
    expect(await names({ expiringBefore: '2100-01-01T00:00:00Z' })).toEqual(['backend-2', 'old']);
    expect(await names({ state: 'expired' })).toEqual(['old']);
    expect(await names({ state: 'revoked' })).toEqual(['gone']);
    expect(await names({ q: '%' })).toEqual([]);
  });

  test('callers other than operators find only keys of their own account', async () => {
    expect(await names({ q: 'back' }, acme.secret)).toEqual(['Backend']);
    const other = await stand.admin('GET', '/keys?account=umbrella', undefined, acme.secret);
    expect(other.status).toBe(404);
  });

  test('pages hold each key once', async () => {
    const all = await names({});
    const seen: unknown[] = [];
    let after: string | null = '';
    while (after !== null) {
      const page = await find({ limit: '2', ...(after !== '' && { after }) });
      seen.push(...page.items.map(({ name }) => name));
      after = page.next;
    }
    expect(seen.sort()).toEqual(all);
  });

  test('keys are listed with the hour of their last request', async () => {
    const { id, secret } = await make('acme', 'used');
    expect((await find({ q: id })).items[0]).toMatchObject({ lastUsedAt: null, state: 'active' });
    await stand.chat(secret);
    await expect
      .poll(async () => (await find({ q: id })).items[0]?.['lastUsedAt'], { timeout: 5000 })
      .toMatch(/^2\d{3}-\d\d-\d\dT\d\d:00:00\.000Z$/);
  });
});

test('keys of the configuration are found too, by those with access to their account', async () => {
  const file = await find({ q: 'limited' });
  expect(file.items).toMatchObject([
    {
      id: 'limited',
      source: 'file',
      createdAt: null,
      prefix: '',
      state: 'active',
      rights: { models: ['openai/gpt-4o'] },
    },
  ]);
  expect(JSON.stringify(file)).not.toMatch(/hash|[0-9a-f]{64}/);
  expect(await names({ q: 'limited' }, acme.secret)).toEqual([]);
  expect(await names({ state: 'revoked', q: 'limited' })).toEqual([]);
});

test('the 30-day spend of a key is the sum of its requests', async () => {
  const { id, secret } = await make('acme', 'spending');
  const replies = [await stand.chat(secret, PRICED), await stand.chat(secret, PRICED)];
  const spent = replies.reduce((sum, { headers }) => sum + Number(headers.get('x-trivium-cost')), 0);
  expect(spent).toBeGreaterThan(0);
  await expect
    .poll(async () => Number((await find({ q: id })).items[0]?.['spent30dUsd']), { timeout: 10_000 })
    .toBeCloseTo(spent, 9);
});

describe('a key is changed', () => {
  test('a key can be renamed and narrowed, with immediate effect', async () => {
    const { id, secret } = await make('acme', 'wide', { models: ['openai/*', 'anthropic/*'] });
    expect((await stand.chat(secret)).status).toBe(200);
    const { status, json } = await change(id, { name: 'narrow', rights: { models: ['anthropic/*'] } });
    expect([status, json['name'], json['rights']]).toEqual([200, 'narrow', { models: ['anthropic/*'] }]);
    await expect.poll(async () => (await stand.chat(secret)).status).toBe(403);
    const later = await change(id, { rights: { expiresAt: '2020-01-01T00:00:00Z' } });
    expect(later.json['rights']).toEqual({ models: ['anthropic/*'], expiresAt: '2020-01-01T00:00:00Z' });
    await expect.poll(async () => (await stand.chat(secret)).status).toBe(401);
  });

  test.each([
    ['models', { models: ['openai/*', 'anthropic/*'] }],
    ['rateLimits', { rateLimits: { requestsPerMinute: 11 } }],
    ['expiresAt', { expiresAt: '2099-01-02T00:00:00Z' }],
    ['strict', { strict: false }],
    ['manages', { manages: 'owner' }],
  ])('a key cannot be widened in %s, not even by an operator', async (right, rights) => {
    const { id } = await make('acme', 'bounded', {
      models: ['openai/*'],
      rateLimits: { requestsPerMinute: 10 },
      expiresAt: '2099-01-01T00:00:00Z',
      strict: true,
      manages: 'viewer',
    });
    const { status, json } = await change(id, { rights });
    expect([status, json]).toEqual([400, { error: expect.objectContaining({ field: `rights.${right}` }) }]);
  });

  test('a developer may change only their own keys', async () => {
    const developer = await make('acme', 'developer', { manages: 'developer' });
    const { id } = await make('acme', 'of another');
    expect((await change(id, { name: 'taken' }, developer.secret)).status).toBe(403);
    const own = await stand.admin('POST', '/accounts/acme/keys', { name: 'own' }, developer.secret);
    const { id: ownId } = own.json['key'] as { id: string };
    expect((await change(ownId, { name: 'renamed' }, developer.secret)).status).toBe(200);
  });
});
