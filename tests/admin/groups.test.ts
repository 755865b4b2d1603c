// A company account with team accounts below it: one budget limits them all, and refusals name it.
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

const put = (account: string, parentId: string | null, secret?: string) =>
  stand.admin('POST', `/accounts/${account}/parent`, { parentId }, secret);

test('a budget of the company limits its teams, and no other accounts', async () => {
  const company = await stand.newAccount('company');
  const [search, ads, apart] = await Promise.all(['search', 'ads', 'apart'].map((id) => stand.newAccount(id)));
  expect((await put('search', 'company')).json).toEqual({ parentId: 'company', above: ['company'], children: [] });
  expect((await put('ads', 'company')).status).toBe(200);
  expect((await stand.admin('GET', '/accounts/company/parent')).json).toEqual({
    parentId: null,
    above: [],
    children: ['ads', 'search'],
  });
  const { json: list } = await stand.admin('GET', '/accounts');
  const places = (list['items'] as { id: string; parentId: string | null }[]).map(({ id, parentId }) => [id, parentId]);
  expect(places).toEqual(
    expect.arrayContaining([...['ads', 'search'].map((id) => [id, 'company']), ['company', null]]),
  );
  expect((await stand.admin('GET', '/accounts/ads')).json['parentId']).toBe('company');
  expect((await stand.admin('PATCH', '/accounts/ads', { name: 'Ads' })).json['parentId']).toBe('company');
  const budget = { scope: 'group', span: 'month', usd: '0.000000001' };
  expect((await stand.admin('POST', '/accounts/company/budgets', budget, company.secret)).status).toBe(200);
  for (const { secret } of [search!, ads!, company])
    await vi.waitFor(async () => expect((await stand.chat(secret, MODEL)).status).toBe(402), WAIT);
  const refused = await stand.chat(search!.secret, MODEL);
  expect((refused.json['error'] as { message: string }).message).toContain('the group this account belongs to');
  expect((await stand.chat(apart!.secret, MODEL)).status).toBe(200);
  await stand.admin('POST', '/accounts/company/budgets', { ...budget, usd: '5' }, company.secret);
  for (const { secret } of [search!, ads!])
    await vi.waitFor(async () => expect((await stand.chat(secret, MODEL)).status).toBe(200), WAIT);
  await vi.waitFor(async () => {
    const spent = async (path: string, name: string) => Number((await stand.admin('GET', path)).json[name]);
    const { json } = await stand.admin('GET', '/accounts/company/budgets');
    const [group] = json['items'] as { spentUsd: string }[];
    const teams =
      (await spent('/accounts/search/credits', 'spentUsd')) + (await spent('/accounts/ads/credits', 'spentUsd'));
    expect(Number(group?.spentUsd)).toBeGreaterThan(0);
    expect(Number(group?.spentUsd)).toBeCloseTo(teams, 9);
  }, WAIT);
  expect((await put('search', null)).json).toMatchObject({ parentId: null });
});

test('only operators change the account tree, and cycles are refused', async () => {
  const { secret } = await stand.newAccount('top');
  await stand.newAccount('below');
  expect((await put('top', 'below', secret)).status).toBe(403);
  expect((await put('below', 'top')).status).toBe(200);
  expect(await put('top', 'below')).toMatchObject({ status: 409, json: { error: { field: 'parentId' } } });
  expect((await put('top', 'nowhere')).status).toBe(404);
});
