import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Backing } from '../../packages/gateway/src/app/backing.ts';
import { creditIn } from '../../packages/gateway/src/app/open-ledger.ts';
import { Credits, DoesNotFitError } from '../../packages/gateway/src/money/ledger/credits.ts';
import { PostgresLedger } from '../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { kyselyOn, openPool, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import type { Tables } from '../../packages/gateway/src/store/postgres/tables.ts';
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
  expect(await money.removeBudget('noted', 'account', 'month', unnoted)).toBe('none');
});

test('the terms of an account include the budgets of groups above it, and no other group is looked at', async () => {
  const credits = new Credits(store.writer);
  for (const group of ['company', 'other', 'third']) await credits.setBudget(group, 'group', 'day', 5n);
  await credits.setBudget('team', 'key:k', 'day', 5n);
  await credits.setBudget('company', 'key:other', 'day', 5n);
  await credits.setParent('team', 'company');
  const owner = kyselyOn(openPool(database.settings, undefined, () => undefined));
  try {
    await owner.transaction().execute(async (db) => {
      await sql`set local track_functions = 'all'`.execute(db);
      const [terms] = await new PostgresLedger<Tables>(db).termsOf(['team']);
      expect(terms).toEqual({ unlimited: true, budgeted: new Set(['group', 'key:k']) });
      const { rows } = await sql<{ calls: bigint }>`
        select calls from pg_stat_xact_user_functions where funcname = 'ledger_line'`.execute(db);
      expect(rows).toEqual([{ calls: 1n }]);
    });
  } finally {
    await owner.destroy();
  }
});
