/** Members of accounts in the database. A removed member stays as a row, for the records that name it. */
import { type ColumnType, type Generated, type Insertable, type Selectable, sql } from 'kysely';
import type { Static } from 'typebox';
import type { Tags } from '../../kernel/tags.ts';
import type { MemberRights } from '../../people/accounts/rights.ts';
import { contains, followingPlace, type SortedPage } from '../../store/postgres/sorted-page.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { LaterStamp } from '../../store/postgres/tables.ts';
import { storedAs, type TableOf } from '../api/shown.ts';
import type { Member, MemberChange, MemberQuery, MemberSearch } from './member-contract.ts';

/** What the groups of an identity provider give a member besides its role. */
export type MemberGranted = { readonly rights?: MemberRights; readonly tags?: Tags };

type MembersTable = TableOf<
  typeof Member,
  {
    readonly account_id: string;
    readonly removed_at: LaterStamp;
    readonly is_service_account: Generated<boolean>;
    /** The directory that did. Null: people. */
    readonly deactivated_by: ColumnType<string | null, never, never>;
    readonly granted: ColumnType<MemberGranted | null, string | null, string | null>;
  }
>;

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

/** More members of one person than any installation has accounts for. */
const MAX_MEMBERS_OF_PERSON = 1000;

/** By id, or by mail address in all accounts. */
export async function membersOfPerson(db: Db, person: string): Promise<readonly MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select * from members where removed_at is null and (id = ${person} or lower(email) = lower(${person}))
    order by account_id, id limit ${MAX_MEMBERS_OF_PERSON}`.execute(db);
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

/** More often, a proof would only cost writes: its age counts in days. */
const PROOF_EVERY = sql`interval '1 hour'`;

/** The person behind a member has shown to be there: by a sign-in, or a refresh of one. Its keys live on. */
export async function noteProof(db: Db, accountId: string, memberId: string): Promise<void> {
  await sql`update members set last_proof_at = now() where account_id = ${accountId} and id = ${memberId}
    and (last_proof_at is null or last_proof_at < now() - ${PROOF_EVERY})`.execute(db);
}

/** `by`: the directory that does, and may bring the member back; null: people do, and no directory undoes that. */
export async function deactivateMember(db: Db, accountId: string, id: string, by: string | null): Promise<void> {
  await sql`update members set deactivated_at = coalesce(deactivated_at, now()),
      deactivated_by = case when deactivated_at is null or ${by}::text is null then ${by} else deactivated_by end
    where account_id = ${accountId} and id = ${id}`.execute(db);
}

/** What ended with it stays ended. `by`: only if it is out by this directory. */
export async function reactivateMember(
  db: Db,
  accountId: string,
  id: string,
  by?: string,
): Promise<MemberRow | undefined> {
  const { rows } = await sql<MemberRow>`update members set deactivated_at = null, deactivated_by = null
    where account_id = ${accountId} and id = ${id} and removed_at is null
      and (${by ?? null}::text is null or deactivated_by = ${by ?? null}) returning *`.execute(db);
  return rows[0];
}
