/** Accounts in the database. */
import { type Selectable, sql } from 'kysely';
import type { RateRule } from '../../kernel/caller.ts';
import type { AccountKind } from '../../money/ledger/core/ledger-state.ts';
import { contains, followingPlace, type SortedPage } from '../../store/postgres/sorted-page.ts';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import type { AccountStatus, AccountsTable } from '../../store/postgres/tables.ts';

export type AccountRow = Selectable<AccountsTable>;

export type AccountChange = {
  readonly name?: string;
  readonly kind?: AccountKind;
  readonly status?: AccountStatus;
  /** Null: as configured. */
  readonly rateLimits?: RateRule | null;
};

/** Undefined if the id is taken. */
export const insertAccount = (
  db: Db,
  {
    rateLimits,
    ...account
  }: {
    readonly id: string;
    readonly name: string;
    readonly kind: AccountKind;
    readonly rateLimits?: RateRule | null;
  },
): Promise<AccountRow | undefined> =>
  db
    .insertInto('accounts')
    .values({ ...account, ...(rateLimits != null && { rate_limits: JSON.stringify(rateLimits) }) })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const findAccount = (db: Db, id: string): Promise<AccountRow | undefined> =>
  db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();

export const updateAccount = (
  db: Db,
  id: string,
  { rateLimits, ...change }: AccountChange,
): Promise<AccountRow | undefined> =>
  db
    .updateTable('accounts')
    .set({
      ...change,
      ...(rateLimits !== undefined && { rate_limits: rateLimits && JSON.stringify(rateLimits) }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export type AccountFilter = {
  /** Substring of the id or the name. */
  readonly q?: string | undefined;
  readonly kind?: AccountKind | undefined;
  readonly status?: AccountStatus | undefined;
};

export async function listAccounts(
  db: Db,
  { q, kind, status }: AccountFilter,
  page: SortedPage,
): Promise<readonly AccountRow[]> {
  const among = q === undefined ? undefined : await idsContaining(db, q);
  const { rows } = await sql<AccountRow>`
    select * from accounts where true
      ${among === undefined ? sql`` : sql`and id = any(${among})`}
      ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${q === undefined ? sql`` : sql`and (${contains('id', q)} or ${contains('name', q)})`}
      ${followingPlace(page, sql`accounts where true`)}`.execute(db);
  return rows;
}

/** Ids that may match; undefined if any may. */
async function idsContaining(db: Db, q: string): Promise<readonly string[] | undefined> {
  const { rows } = await sql<{ ids: readonly string[] | null }>`select trivium_search_accounts(${q}) as ids`.execute(
    db,
  );
  return rows[0]?.ids ?? undefined;
}

/** Creates the missing ones as unmetered accounts: no holds, all usage recorded. */
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
