/** Members of accounts in the database. A removed member stays as a row, for the records that name it. */
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Static } from 'typebox';
import { contains, followingPlace, type SortedPage } from '../../store/postgres/sorted-page.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { LaterStamp } from '../../store/postgres/tables.ts';
import { storedAs, type TableOf } from '../api/shown.ts';
import type { Member, MemberChange, MemberQuery, MemberSearch } from './member-contract.ts';

type MembersTable = TableOf<typeof Member, { readonly account_id: string; readonly removed_at: LaterStamp }>;

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly members: MembersTable;
  }
}

export type MemberRow = Selectable<MembersTable>;

export const insertMember = (db: Db, member: Insertable<MembersTable>): Promise<MemberRow> =>
  db.insertInto('members').values(member).returningAll().executeTakeFirstOrThrow();

export const findMember = (db: Db, accountId: string, id: string): Promise<MemberRow | undefined> =>
  db
    .selectFrom('members')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();

export async function listMembers(
  db: Db,
  accountId: string,
  { q, role }: Static<typeof MemberSearch>,
  page: SortedPage,
): Promise<readonly MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select * from members where account_id = ${accountId} and removed_at is null
      ${role === undefined ? sql`` : sql`and role = ${role}`}
      ${q === undefined ? sql`` : sql`and (${contains('name', q)} or ${contains('email', q)})`}
      ${followingPlace(page, sql`members where account_id = ${accountId}`)}`.execute(db);
  return rows;
}

/** Of all accounts, by name. */
export async function findMembers(
  db: Db,
  { q }: Static<typeof MemberQuery>,
  page: SortedPage,
): Promise<readonly MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select * from members where removed_at is null
      ${q === undefined ? sql`` : sql`and (${contains('name', q)} or ${contains('email', q)})`}
      ${followingPlace(page, sql`members where true`)}`.execute(db);
  return rows;
}

export const updateMember = (
  db: Db,
  accountId: string,
  id: string,
  change: Static<typeof MemberChange>,
): Promise<MemberRow | undefined> =>
  db
    .updateTable('members')
    .set(storedAs(change))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

export const removeMember = (db: Db, accountId: string, id: string): Promise<MemberRow | undefined> =>
  db
    .updateTable('members')
    .set({ removed_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
