/** Members of accounts in the database. One who was removed stays as a row, for what was done in the name. */
import { type Selectable, sql } from 'kysely';
import type { Role } from '../../accounts/rights.ts';
import type { Db } from './store.ts';
import type { MembersTable } from './tables.ts';

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

export const listMembers = (db: Db, accountId: string, after: string, limit: number): Promise<MemberRow[]> =>
  db
    .selectFrom('members')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

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
