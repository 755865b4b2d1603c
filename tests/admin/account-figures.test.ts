/** Accounts with their figures: sorted by spend in pages, with what is left and what belongs to each. */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';

type Row = Record<string, unknown>;

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand();
  for (const [id, kind] of [
    ['small', 'prepaid'],
    ['large', 'unlimited'],
    ['idle', 'prepaid'],
    ['quiet', 'unlimited'],
  ])
    await stand.admin('POST', '/accounts', { id, name: `The ${id}`, kind });
  await stand.admin('POST', '/accounts/small/credits', { usd: '25', id: 'first' });
  await stand.admin('POST', '/accounts/small/budgets', { scope: 'account', span: 'month', usd: '0' });
  await stand.admin('POST', '/accounts/small/budgets', { scope: 'account', span: 'day', usd: '10' });
  await stand.admin('POST', '/accounts/small/members', { name: 'Ann', role: 'viewer' });
  await stand.admin('POST', '/accounts/small/keys', { name: 'app' });
  const client = new Client({ connectionString: stand.database.url });
  await client.connect();
  for (const [account, nano] of [
    ['small', 2_000_000_000],
    ['large', 30_000_000_000],
  ] as const)
    await client.query(
      `insert into usage_hourly (account_id, key_id, model_id, provider, hour, requests, failed, input_tokens, output_tokens, cost_nano)
       values ($1, 'k', 'm', 'p', date_trunc('hour', now()) - interval '2 hours', 1, 0, 0, 0, $2)`,
      [account, nano],
    );
  await client.end();
});
afterAll(() => stand.close());

const list = async (query: Readonly<Record<string, string>>): Promise<{ items: Row[]; next: string | null }> => {
  const { status, json, text } = await stand.admin('GET', `/account-figures?${new URLSearchParams(query)}`);
  if (status !== 200) throw new Error(text);
  return json as { items: Row[]; next: string | null };
};
const MADE = /^(small|large|idle|quiet)$/;
const made = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id).filter((id) => MADE.test(String(id)));

test('an account has its spend, what is left, and the numbers of what belongs to it', async () => {
  const { items } = await list({ q: 'small' });
  expect(items).toMatchObject([
    {
      id: 'small',
      name: 'The small',
      kind: 'prepaid',
      spent30dUsd: '2',
      availableUsd: '25',
      budgets: 2,
      budgetsNearEnd: 1,
      members: 1,
      keys: 1,
    },
  ]);
  expect((await list({ q: 'large' })).items).toMatchObject([{ spent30dUsd: '30', availableUsd: null, budgets: 0 }]);
});

test('by spend the highest come first and those without any last, also in pages and filtered', async () => {
  const whole = await list({ sort: 'spend' });
  expect(made(whole.items)).toEqual(['large', 'small', 'idle', 'quiet']);
  const seen: Row[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page = await list({ sort: 'spend', limit: '1', ...(after !== '' && { after }) });
    seen.push(...page.items);
    after = page.next;
  }
  expect(seen).toEqual(whole.items);
  expect(made((await list({ sort: 'spend', kind: 'prepaid' })).items)).toEqual(['small', 'idle']);
  expect(made((await list({ sort: 'name' })).items)).toEqual(['idle', 'large', 'quiet', 'small']);
});
