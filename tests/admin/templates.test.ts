// Budget templates at the admin API: one row for each member or value of a tag, with what each has spent.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const MODEL = { model: 'priced/flat', max_tokens: 10 };
const WAIT = { timeout: 20_000, interval: 50 };

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand({ alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }) });
});
afterAll(() => stand.close());

const LIST = '/accounts/acme/budget-templates';
const messageOf = ({ json }: { json: Record<string, unknown> }): string =>
  (json['error'] as { message: string }).message;

test('a template bounds each key of an account, shows what each has spent, and is audited', async () => {
  const { keyId, secret } = await stand.newAccount('acme');
  const template = { each: 'key', per: 'week', usd: '0.000000001', timeZone: 'Europe/Berlin', softPercent: [95, 75] };
  const set = await stand.admin('POST', LIST, template);
  const shown = {
    ...template,
    softPercent: [75, 95],
    weekStartsOn: 'monday',
    anchorDay: 1,
    missing: 'refuse',
    onLimit: 'refuse',
    setBy: 'operator',
  };
  expect([set.status, set.json]).toEqual([200, shown]);
  expect((await stand.admin('GET', LIST, undefined, secret)).json).toEqual({ items: [shown], next: null });
  await vi.waitFor(async () => expect((await stand.chat(secret, MODEL)).status).toBe(402), WAIT);
  expect(messageOf(await stand.chat(secret, MODEL))).toBe('The budget of this key does not cover this request.');
  // The account's own manager changes nothing that the operator has set, by no other row either.
  for (const [path, body] of [
    [LIST, { ...template, usd: '9' }],
    [LIST, { ...template, each: `key:${keyId}`, usd: '9' }],
  ] as const)
    expect((await stand.admin('POST', path, body, secret)).status).toBe(403);
  const month = { each: 'key', per: 'month', usd: '5' };
  await stand.admin('POST', LIST, month);
  const budget = { scope: `key:${keyId}`, span: 'month', usd: '9' };
  expect((await stand.admin('POST', '/accounts/acme/budgets', budget, secret)).status).toBe(403);
  // Nor by a document: nothing of it is applied.
  expect((await stand.admin('POST', '/accounts/acme/keys', { name: 'app' }, secret)).status).toBe(201);
  for (const declared of [
    { keys: [{ name: 'app', budgets: { month: '9' } }] },
    { budgetTemplates: [{ ...template, usd: '9' }] },
    { budgetTemplates: [{ ...template, each: 'key:app', usd: '9' }] },
  ]) {
    const body = { declared: { id: 'acme', kind: 'unlimited', ...declared } };
    const { status, json } = await stand.admin('POST', '/accounts/acme/declared', body, secret);
    expect([status, messageOf({ json })]).toEqual([400, expect.stringContaining('the operator has set this budget')]);
  }
  // What no apply of its own has made is not pruned.
  const pruned = { declared: { id: 'acme', kind: 'unlimited', budgetTemplates: [] }, prune: true };
  expect((await stand.admin('POST', '/accounts/acme/declared', pruned, secret)).status).toBe(200);
  expect((await stand.admin('GET', LIST)).json['items']).toHaveLength(2);
  expect((await stand.admin('DELETE', `${LIST}?each=key&per=week`, undefined, secret)).status).toBe(403);
  expect((await stand.admin('DELETE', `${LIST}?each=key&per=week`)).status).toBe(200);
  expect((await stand.admin('DELETE', `${LIST}?each=key&per=week`)).status).toBe(404);
  await vi.waitFor(async () => expect((await stand.chat(secret, MODEL)).status).toBe(200), WAIT);
  await vi.waitFor(async () => {
    const { json } = await stand.admin('GET', `${LIST}/values?each=key&per=month`);
    const [value] = json['items'] as Record<string, string>[];
    expect(value).toMatchObject({ scope: `key:${keyId}`, usd: '5' });
    expect(Number(value?.['spentUsd'])).toBeGreaterThan(0);
    expect(new Date(value?.['resetsAt'] ?? '').toISOString()).toMatch(/-01T00:00:00.000Z$/);
  }, WAIT);
  const { json: audit } = await stand.admin('GET', '/accounts/acme/audit');
  const actions = (audit['items'] as { action: string }[]).map(({ action }) => action);
  expect(actions.filter((action) => action.startsWith('budget.'))).toEqual([
    'budget.remove-template',
    'budget.set-template',
    'budget.set-template',
  ]);
});

test.each([
  [{ each: 'team' }, 'each'],
  [{ each: 'tag:undeclared' }, 'each'],
  [{ each: 'member:nobody' }, 'each'],
  [{ timeZone: 'Europe/Atlantis' }, 'timeZone'],
  [{ timeZone: 'CET' }, 'timeZone'],
  [{ usd: '-1' }, 'usd'],
  [{ per: 'year' }, 'per'],
  [{ anchorDay: 32 }, 'anchorDay'],
  [{ softPercent: [100] }, 'softPercent.0'],
])('a template with %j is refused, and nothing is set', async (wrong, field) => {
  const { status, json } = await stand.admin('POST', '/accounts/acme/budget-templates', {
    each: 'member',
    per: 'total',
    usd: '1',
    ...wrong,
  });
  expect([status, (json['error'] as { field: string }).field]).toEqual([400, field]);
  const { json: list } = await stand.admin('GET', LIST);
  expect((list['items'] as { per: string }[]).filter(({ per }) => per === 'total')).toEqual([]);
});

test('a document with a template of what the account does not have is refused, by its path', async () => {
  for (const each of ['team', 'tag:undeclared', 'member:nobody', 'key:nobody', 'tag:undeclared=x', 'team:red']) {
    const template = { each, per: 'total', usd: '1' };
    const declared = { accounts: [{ id: 'acme', kind: 'prepaid', budgetTemplates: [template] }] };
    const { status, json } = await stand.admin('POST', '/declared', { declared, dryRun: true });
    expect([status, (json['error'] as { field: string }).field]).toEqual([400, 'accounts.0.budgetTemplates.0.each']);
  }
});
