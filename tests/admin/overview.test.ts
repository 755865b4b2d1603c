// The overview: one answer with totals, series, warnings, top keys and budgets, for operators and for one account.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const WAIT = { timeout: 20_000, interval: 100 };
const DAY_MS = 86_400_000;

type Shown = {
  readonly now: { requests: number; costUsd: string; firstTokenMs: object | null };
  readonly before: { requests: number; costUsd: string };
  readonly bucket: string;
  readonly spendByModel: readonly { at: string; model: string; requests: number; costUsd: string }[];
  readonly errors: readonly { requests: number }[];
  readonly needsALook: readonly { kind: string; subject: string; requests: number | null }[];
  readonly topKeys: readonly { accountId: string; name: string | null; requests: number }[];
  readonly budgets: readonly { accountId: string; scope: string; spentUsd: string }[];
};

let stand: AdminStand;
let secret: string;
let expiring: string;

const read = async (query = '', as?: string): Promise<Shown> => {
  const { status, text, json } = await stand.admin('GET', `/overview${query}`, undefined, as);
  expect(status, text).toBe(200);
  return json as unknown as Shown;
};

beforeAll(async () => {
  stand = await openAdminStand({ alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }) });
  ({ secret } = await stand.newAccount('seen'));
  const other = await stand.newAccount('unseen');
  const expiresAt = new Date(Date.now() + 2 * DAY_MS).toISOString();
  const made = await stand.admin('POST', '/accounts/seen/keys', { name: 'ci', rights: { expiresAt } });
  expiring = (made.json['key'] as { id: string }).id;
  const chat = (key: string, model: string) => stand.chat(key, { model, max_tokens: 10 });
  for (let at = 0; at < 3; at++) expect((await chat(secret, 'priced/flat')).status).toBe(200);
  expect((await chat(secret, 'priced/unpriced')).status).toBe(200);
  expect((await chat(other.secret, 'priced/tiered')).status).toBe(200);
  const bounded = await stand.newAccount('bounded');
  await stand.admin('POST', '/accounts/bounded/budgets', { scope: 'account', span: 'day', usd: '1' });
  expect((await chat(bounded.secret, 'priced/flat')).status).toBe(200);
  await vi.waitFor(async () => {
    expect((await read()).now.requests).toBe(6);
    expect((await read()).budgets).toHaveLength(1);
  }, WAIT);
});
afterAll(() => stand.close());

test('the overview of an operator covers all accounts', async () => {
  const { now, before, bucket, spendByModel, errors, needsALook, topKeys, budgets } = await read();
  expect(now).toMatchObject({ requests: 6, failed: 0 });
  expect(Number(now.costUsd)).toBeGreaterThan(0);
  expect(now.firstTokenMs).not.toBeNull();
  expect(before).toMatchObject({ requests: 0, costUsd: '0' });
  expect(bucket).toBe('hour');
  expect(spendByModel.reduce((sum, { requests }) => sum + requests, 0)).toBe(6);
  expect(new Set(spendByModel.map(({ model }) => model))).toEqual(
    new Set(['priced/flat', 'priced/tiered', 'priced/unpriced']),
  );
  expect(errors.reduce((sum, { requests }) => sum + requests, 0)).toBe(6);
  expect(needsALook).toMatchObject([
    { kind: 'unpriced', subject: 'priced/unpriced', requests: 1 },
    { kind: 'key-expiring', subject: expiring, accountId: 'seen', name: 'ci' },
  ]);
  expect(topKeys[0]).toMatchObject({ accountId: 'seen', name: 'first', requests: 4 });
  expect(topKeys).toHaveLength(3);
  expect(budgets).toMatchObject([{ accountId: 'bounded', scope: 'account', span: 'day', usd: '1' }]);
});

test('the overview of an account covers only that account', async () => {
  const shown = await read('', secret);
  expect(shown.now.requests).toBe(4);
  expect(shown.topKeys).toMatchObject([{ accountId: 'seen', name: 'first', requests: 4 }]);
  expect((await stand.admin('GET', '/overview?account=unseen', undefined, secret)).status).toBe(404);
  expect((await read('?account=unseen')).now.requests).toBe(1);
  expect((await read('?account=unseen')).budgets).toEqual([]);
});

test('the comparison range has the same length, and longer ranges are split into days', async () => {
  const tomorrow = new Date(Date.now() + DAY_MS).toISOString();
  const shown = await read(`?until=${tomorrow}&from=${new Date(Date.now() + 2 * 3_600_000).toISOString()}`);
  expect(shown).toMatchObject({ now: { requests: 0 }, before: { requests: 6 }, spendByModel: [] });
  const week = await read(`?from=${new Date(Date.now() - 7 * DAY_MS).toISOString()}`);
  expect(week).toMatchObject({ bucket: 'day', now: { requests: 6 } });
});

test('an invalid time range is refused with the reason', async () => {
  expect(await stand.admin('GET', '/overview?from=noon')).toMatchObject({
    status: 400,
    json: { error: { field: 'from' } },
  });
});
