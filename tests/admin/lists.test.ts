/** Lists of accounts, members and audit entries: searched, filtered and sorted by the server, in pages. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';

type Row = Record<string, string>;

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand();
  for (const [id, name, kind] of [
    ['a1', 'Zebra', 'prepaid'],
    ['b2', 'Antelope', 'unlimited'],
    ['c3', 'antler 100%', 'unlimited'],
  ])
    await stand.admin('POST', '/accounts', { id, name, kind });
  await stand.admin('PATCH', '/accounts/b2', { status: 'suspended' });
  for (const [name, email, role] of [
    ['Ann', 'ann@example.com', 'admin'],
    ['Bob', 'bob@example.org', 'viewer'],
    ['Cleo', undefined, 'viewer'],
  ])
    await stand.admin('POST', '/accounts/a1/members', { name, email, role });
});
afterAll(() => stand.close());

const list = async (path: string, query: Row = {}): Promise<Row[]> => {
  const { status, json, text } = await stand.admin('GET', `${path}?${new URLSearchParams(query)}`);
  if (status !== 200) throw new Error(text);
  return json['items'] as Row[];
};
const paged = async (path: string, query: Row): Promise<Row[]> => {
  const seen: Row[] = [];
  let after: string | null = '';
  while (after !== null) {
    const asked = new URLSearchParams({ ...query, limit: '1', ...(after !== '' && { after }) });
    const { json } = await stand.admin('GET', `${path}?${asked}`);
    seen.push(...(json['items'] as Row[]));
    after = json['next'] as string | null;
  }
  return seen;
};
const own = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id).filter((id) => /^[abc]\d$/.test(id ?? ''));

test('accounts are found by id and name, kind and status', async () => {
  expect(own(await list('/accounts', { q: 'ANT' }))).toEqual(['b2', 'c3']);
  expect(own(await list('/accounts', { q: '%' }))).toEqual(['c3']);
  expect(own(await list('/accounts', { q: 'a1' }))).toEqual(['a1']);
  expect(own(await list('/accounts', { kind: 'prepaid' }))).toEqual(['a1']);
  expect(own(await list('/accounts', { status: 'suspended' }))).toEqual(['b2']);
  expect((await stand.admin('GET', '/accounts?sort=kind')).status).toBe(400);
});

test('every order has each account once, whatever the size of its pages', async () => {
  for (const sort of ['id', 'name', 'createdAt'])
    for (const order of ['asc', 'desc']) {
      const whole = await list('/accounts', { sort, order, limit: '200' });
      expect(await paged('/accounts', { sort, order }), `${sort} ${order}`).toEqual(whole);
    }
  expect(own(await list('/accounts', { sort: 'createdAt', order: 'desc' }))).toEqual(['c3', 'b2', 'a1']);
  expect(own(await list('/accounts', { sort: 'name', q: 'e' }))).toEqual(['b2', 'c3', 'a1']);
});

test('members are found by name, mail address and role', async () => {
  const names = async (query: Row): Promise<unknown[]> =>
    (await list('/accounts/a1/members', { sort: 'name', ...query })).map(({ name }) => name);
  expect(await names({})).toEqual(['Ann', 'Bob', 'Cleo']);
  expect(await names({ q: 'EXAMPLE.org' })).toEqual(['Bob']);
  expect(await names({ role: 'viewer' })).toEqual(['Bob', 'Cleo']);
  expect((await paged('/accounts/a1/members', { sort: 'name', order: 'desc' })).map(({ name }) => name)).toEqual([
    'Cleo',
    'Bob',
    'Ann',
  ]);
});

test('audit entries are found by account, actor, action, subject, text and time', async () => {
  const actions = async (query: Row, path = '/audit'): Promise<unknown[]> =>
    (await list(path, query)).map(({ action }) => action);
  expect(await actions({ account: 'b2', action: 'account.change' })).toEqual(['account.change']);
  expect(await actions({ action: 'member.*' })).toEqual(['member.add', 'member.add', 'member.add']);
  expect(await actions({ action: 'member.*', q: 'cleo' })).toEqual(['member.add']);
  expect(await actions({ actor: 'key:none' })).toEqual([]);
  expect(await actions({ subject: 'b2', q: 'SUSPENDED' })).toEqual(['account.change']);
  const [changed] = await list('/audit', { subject: 'b2', action: 'account.change' });
  expect(await actions({ until: changed?.['at'] ?? '', subject: 'b2' })).not.toContain('account.change');
  expect(await actions({ from: changed?.['at'] ?? '', subject: 'b2' })).toContain('account.change');
  expect(await actions({ action: 'member.*' }, '/accounts/b2/audit')).toEqual([]);
  expect((await stand.admin('GET', '/accounts/b2/audit?account=a1')).status).toBe(400);
});

test('operators find members of all accounts by name and address, in pages', async () => {
  await stand.admin('POST', '/accounts/b2/members', { name: 'Annabel', email: 'x@example.org', role: 'viewer' });
  const found = (rows: readonly Row[]): unknown[] => rows.map(({ name, accountId }) => `${name} of ${accountId}`);
  expect(found(await list('/members', { q: 'aNN' }))).toEqual(['Ann of a1', 'Annabel of b2']);
  expect(found(await list('/members', { q: 'example.org' }))).toEqual(['Annabel of b2', 'Bob of a1']);
  expect(await paged('/members', { q: 'ann' })).toHaveLength(2);
});
