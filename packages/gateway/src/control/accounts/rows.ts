/** Accounts in the database. */
import { type ColumnType, type Generated, type RawBuilder, sql } from 'kysely';
import type { Static } from 'typebox';
import { contains, followingPlace, type SortedPage } from '../../store/postgres/sorted-page.ts';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import { type RowOf, storedAs, type TableOf } from '../api/shown.ts';
import type { Account, AccountChange, AccountSearch, NewAccount } from './contract.ts';

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly accounts: Omit<
      TableOf<
        typeof Account,
        { readonly status: Generated<Account['status']>; readonly updated_at: ColumnType<Date, never, Date> }
      >,
      'parent_id'
    >;
  }
}

/** The ledger has the account above it. */
export type AccountRow = RowOf<typeof Account, 'parentId'>;

/** Undefined if the id is taken. */
export const insertAccount = (
  db: Db,
  account: Omit<Static<typeof NewAccount>, 'creditLimitUsd'> & Pick<Account, 'id'>,
): Promise<AccountRow | undefined> =>
  db
    .insertInto('accounts')
    .values(storedAs(account))
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const findAccount = (db: Db, id: string): Promise<AccountRow | undefined> =>
  db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();

export const updateAccount = (
  db: Db,
  id: string,
  change: Omit<Static<typeof AccountChange>, 'creditLimitUsd'>,
): Promise<AccountRow | undefined> =>
  db
    .updateTable('accounts')
    .set({ ...storedAs(change), updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export async function listAccounts(db: Db, search: Search, page: SortedPage): Promise<readonly AccountRow[]> {
  const { rows } = await sql<AccountRow>`
    select * from accounts where ${await matching(db, search)}
      ${followingPlace(page, sql`accounts where true`)}`.execute(db);
  return rows;
}

type Search = Pick<Static<typeof AccountSearch>, 'q' | 'kind' | 'status'>;

async function matching(db: Db, { q, kind, status }: Search): Promise<RawBuilder<unknown>> {
  const among = q === undefined ? undefined : await idsContaining(db, q);
  return sql`true
    ${among === undefined ? sql`` : sql`and id = any(${among})`}
    ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${q === undefined ? sql`` : sql`and (${contains('id', q)} or ${contains('name', q)})`}`;
}

/** Those that are ranked in this order, then the others by id; `after`: the last one of the page before. */
export async function listAccountsInOrder(
  db: Db,
  { after, ...search }: Search & { readonly after?: string },
  ranked: readonly string[],
  limit: number,
): Promise<readonly AccountRow[]> {
  const place = after === undefined ? -1 : ranked.indexOf(after);
  const isAmongOthers = after !== undefined && place < 0;
  const left = isAmongOthers ? [] : ranked.slice(place + 1);
  const isMatching = await matching(db, search);
  const { rows: first } = await sql<AccountRow>`
    select a.* from unnest(${left}::text[]) with ordinality r (ranked, place) join accounts a on a.id = r.ranked
    where ${isMatching} order by place limit ${limit}`.execute(db);
  if (first.length === limit) return first;
  const { rows: others } = await sql<AccountRow>`
    select * from accounts where ${isMatching} and id <> all(${ranked})
      ${isAmongOthers ? sql`and id > ${after}` : sql``} order by id limit ${limit - first.length}`.execute(db);
  return [...first, ...others];
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
