/** Accounts in the database. */
import { type Selectable, sql } from 'kysely';
import type { AccountKind } from '../../ledger/core/ledger-state.ts';
import { type Db, OPERATOR, type Store } from './store.ts';
import type { AccountStatus, AccountsTable } from './tables.ts';

export type AccountRow = Selectable<AccountsTable>;

export type AccountChange = {
  readonly name?: string;
  readonly kind?: AccountKind;
  readonly status?: AccountStatus;
};

/** Undefined when the id is taken. */
export const insertAccount = (
  db: Db,
  account: { readonly id: string; readonly name: string; readonly kind: AccountKind },
): Promise<AccountRow | undefined> =>
  db
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const findAccount = (db: Db, id: string): Promise<AccountRow | undefined> =>
  db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();

export const updateAccount = (db: Db, id: string, change: AccountChange): Promise<AccountRow | undefined> =>
  db
    .updateTable('accounts')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

/** In the order of their ids, after `after`. */
export const listAccounts = (db: Db, after: string, limit: number): Promise<AccountRow[]> =>
  db.selectFrom('accounts').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute();

/** Those that are missing, as a team wants them: no holds, everything recorded. */
export async function ensureAccounts(store: Store, ids: readonly string[]): Promise<void> {
  const rows = [...new Set(ids)].map((id) => ({ id, name: id, kind: 'unlimited' as const }));
  if (rows.length === 0) return;
  await store.within(OPERATOR, (db) =>
    db
      .insertInto('accounts')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}
