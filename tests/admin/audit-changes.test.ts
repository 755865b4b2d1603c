/** The audit log tells what a change set, and what was there before; in the API and on the command line. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';

type Entry = { readonly id: string; readonly action: string; readonly detail: Readonly<Record<string, unknown>> };

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand();
  for (const id of ['acme', 'other']) await stand.admin('POST', '/accounts', { id, name: id, kind: 'unlimited' });
});
afterAll(() => stand.close());

const done = async (method: 'POST' | 'PATCH', path: string, body: object): Promise<Record<string, unknown>> => {
  const { status, json } = await stand.admin(method, path, body);
  expect(status, JSON.stringify(json)).toBeLessThan(300);
  return json;
};

async function latest(action: string): Promise<Entry> {
  const { json } = await stand.admin('GET', `/audit?action=${action}&limit=1`);
  const [entry] = json['items'] as readonly Entry[];
  if (entry === undefined) throw new Error(`${action} is not in the log`);
  return entry;
}

test('a change keeps the members that it set as they were, and no others', async () => {
  const { id } = (await done('POST', '/accounts/acme/members', { name: 'Ann', role: 'viewer' })) as { id: string };
  await done('PATCH', `/accounts/acme/members/${id}`, { role: 'developer' });
  expect((await latest('member.change')).detail).toEqual({ role: 'developer', before: { role: 'viewer' } });

  await done('PATCH', '/accounts/acme', { name: 'Acme', rateLimits: { requestsPerMinute: 9 } });
  expect((await latest('account.change')).detail).toEqual({
    name: 'Acme',
    rateLimits: { requestsPerMinute: 9 },
    before: { name: 'acme', rateLimits: null },
  });

  await done('PATCH', '/alerts/rules/key.expiring', { keyExpiryDays: [3] });
  const { detail } = await latest('alert-rule.change');
  expect(detail).toMatchObject({ keyExpiryDays: [3], before: { keyExpiryDays: expect.any(Array) } });
  expect(detail['before']).not.toEqual({ keyExpiryDays: [3] });
});

test('what replaces something keeps the whole of it, and what is new has no before', async () => {
  const budget = { scope: 'account', span: 'day', usd: '5' };
  await done('POST', '/accounts/acme/budgets', budget);
  expect((await latest('budget.set')).detail).toEqual(budget);
  await done('POST', '/accounts/acme/budgets', { ...budget, usd: '7' });
  expect((await latest('budget.set')).detail).toEqual({ ...budget, usd: '7', before: budget });

  await done('POST', '/policies', { name: 'eu', retention: 0 });
  await done('POST', '/policies', { name: 'eu', region: ['eu'] });
  expect((await latest('policy.save')).detail).toEqual({
    version: 2,
    name: 'eu',
    region: ['eu'],
    before: { version: 1, name: 'eu', retention: 0 },
  });
});

test('one entry is read by its id, in its account only', async () => {
  const { id } = await latest('account.change');
  expect((await stand.admin('GET', `/audit/${id}`)).json).toMatchObject({ id, action: 'account.change' });
  expect((await stand.admin('GET', `/accounts/acme/audit/${id}`)).status).toBe(200);
  const [foreign, unknown] = [
    await stand.admin('GET', `/accounts/other/audit/${id}`),
    await stand.admin('GET', '/accounts/other/audit/999999'),
  ];
  expect([foreign.status, unknown.status, (await stand.admin('GET', '/audit/x')).status]).toEqual([404, 404, 404]);
});

test('the command line shows both sides, and marks what differs', async () => {
  const { id } = await latest('account.change');
  const env = { TRIVIUM_ADMIN_URL: stand.gateway.adminUrl ?? '', TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET };
  const terminal = fakeTerminal(env);
  await runCommandLine(['audit', 'show', id], terminal);
  expect(terminal.output.slice(1).map((line) => line.split(/ {2,}/).filter((word) => word !== ''))).toEqual([
    ['before', 'after'],
    ['* name', 'acme', 'Acme'],
    ['* rateLimits', '-', '{"requestsPerMinute":9}'],
  ]);
});
