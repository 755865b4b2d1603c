/** Members of accounts in the database. A removed member stays as a row, for the records that name it. */
import { type Selectable, sql } from 'kysely';
import type { Role } from '../../people/accounts/rights.ts';
import { contains, followingPlace, type SortedPage } from '../../store/postgres/sorted-page.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { MembersTable } from '../../store/postgres/tables.ts';

export type MemberRow = Selectable<MembersTable>;

export const insertMember = (
  db: Db,
  member: Pick<MemberRow, 'account_id' | 'id' | 'name' | 'email' | 'role'>,
): Promise<MemberRow> => db.insertInto('members').values(member).returningAll().executeTakeFirstOrThrow();

export const findMember = (db: Db, accountId: string, id: string): Promise<MemberRow | undefined> =>
  db
    .selectFrom('members')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();

export type MemberFilter = {
  /** Substring of the name or the e-mail address. */
  readonly q?: string | undefined;
  readonly role?: Role | undefined;
};

export async function listMembers(
  db: Db,
  accountId: string,
  { q, role }: MemberFilter,
  page: SortedPage,
): Promise<readonly MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select * from members where account_id = ${accountId} and removed_at is null
      ${role === undefined ? sql`` : sql`and role = ${role}`}
      ${q === undefined ? sql`` : sql`and (${contains('name', q)} or ${contains('email', q)})`}
      ${followingPlace(page, sql`members where account_id = ${accountId}`)}`.execute(db);
  return rows;
}

export const updateMember = (
  db: Db,
  accountId: string,
  id: string,
  change: { readonly name?: string; readonly role?: Role },
): Promise<MemberRow | undefined> =>
  db
    .updateTable('members')
    .set(change)
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
