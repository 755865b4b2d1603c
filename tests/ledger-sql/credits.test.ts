import { afterAll, beforeAll, expect, test } from 'vitest';
import { creditIn } from '../../packages/gateway/src/app/open-ledger.ts';
import { Credits, DoesNotFitError } from '../../packages/gateway/src/ledger/credits.ts';
import type { Backing } from '../../packages/gateway/src/store/postgres/backing.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

test('the same deposit counts once, and a withdrawal above the balance is refused', async () => {
  const credits = new Credits(store.writer);
  await credits.setTerms('acme', 'prepaid', 0n);
  const paid = { accountId: 'acme', id: 'order:1', nano: 700n, memo: 'by hand' };
  await Promise.all([credits.deposit(paid), credits.deposit(paid)]);
  await expect(credits.deposit({ ...paid, id: 'back', nano: -701n })).rejects.toThrow(DoesNotFitError);
  await credits.deposit({ ...paid, id: 'back', nano: -200n });
  expect(await credits.balance('acme')).toMatchObject({ kind: 'prepaid', credit: 500n, posted: 0n, pending: 0n });
});

test('without an audit entry nothing is done: no payment, no budget, no removal of a budget', async () => {
  const money = creditIn({ store } as Backing);
  const unnoted = () => Promise.reject(new Error('no room for a note'));
  await money.setBudget('noted', 'account', 'day', 5n, async () => undefined);
  await expect(money.deposit({ accountId: 'noted', id: 'p', nano: 1n, memo: '' }, unnoted)).rejects.toThrow('no room');
  await expect(money.setBudget('noted', 'account', 'day', 9n, unnoted)).rejects.toThrow('no room');
  await expect(money.removeBudget('noted', 'account', 'day', unnoted)).rejects.toThrow('no room');
  expect(await money.budgets('noted')).toMatchObject([{ scope: 'account', span: 'day', mostNano: 5n }]);
  expect(await money.credit('noted')).toMatchObject({ creditNano: 0n });
  expect(await money.removeBudget('noted', 'account', 'month', unnoted)).toBe(false);
});
