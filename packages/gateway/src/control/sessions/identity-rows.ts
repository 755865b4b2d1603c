/**
 * Members' identities at issuers. A member is created at the first sign-in, and gets the role of the issuer's groups at
 * every later one.
 */
import { sql } from 'kysely';
import type { RateRule } from '../../kernel/caller.ts';
import type { Role } from '../../people/accounts/rights.ts';
import type { Db } from '../../store/postgres/store.ts';
import { insertMember, type MemberRow, updateMember } from '../accounts/member-rows.ts';
import { findAccount } from '../accounts/rows.ts';
import { appendAudit } from '../api/change.ts';

export type ForeignPerson = {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
};

export type MemberFound = { readonly memberId: string } | { readonly refused: 'no-account' | 'removed' };

type KnownMember = Pick<MemberRow, 'id' | 'name' | 'role' | 'removed_at'>;

async function knownMember(
  db: Db,
  accountId: string,
  { issuer, subject }: Pick<ForeignPerson, 'issuer' | 'subject'>,
): Promise<KnownMember | undefined> {
  const { rows } = await sql<KnownMember>`
    select m.id, m.name, m.role, m.removed_at from member_identities i
    join members m on m.account_id = i.account_id and m.id = i.member_id
    where i.issuer = ${issuer} and i.subject = ${subject} and i.account_id = ${accountId}`.execute(db);
  return rows[0];
}

/** In a transaction that sees the account. Two concurrent first sign-ins create one member. */
export async function memberOf(
  db: Db,
  accountId: string,
  person: ForeignPerson,
  role: Role,
  newId: () => string,
): Promise<MemberFound> {
  if ((await findAccount(db, accountId)) === undefined) return { refused: 'no-account' };
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${person.issuer} ${person.subject}`}, 7214311))`.execute(
    db,
  );
  const known = await knownMember(db, accountId, person);
  const { issuer, subject, name, email } = person;
  if (known === undefined) {
    const { id } = await insertMember(db, { account_id: accountId, id: newId(), name, email, role });
    await sql`insert into member_identities (account_id, issuer, subject, member_id)
      values (${accountId}, ${issuer}, ${subject}, ${id})`.execute(db);
    await note(db, accountId, 'member.add', id, { name, role, issuer });
    return { memberId: id };
  }
  if (known.removed_at !== null) return { refused: 'removed' };
  if (known.role !== role || known.name !== name) {
    await updateMember(db, accountId, known.id, { name, role });
    await note(db, accountId, 'member.change', known.id, { name, role, roleBefore: known.role, issuer });
  }
  return { memberId: known.id };
}

type CallerAccount = {
  readonly isSuspended: boolean;
  readonly memberId: string | undefined;
  readonly accountRates?: RateRule;
};

/** For callers with tokens; undefined if the account does not exist, or the person is not a member of it. */
export async function callerAccount(
  db: Db,
  accountId: string,
  person: Pick<ForeignPerson, 'issuer' | 'subject'> | undefined,
): Promise<CallerAccount | undefined> {
  const account = await findAccount(db, accountId);
  if (account === undefined) return undefined;
  const facts = {
    isSuspended: account.status === 'suspended',
    ...(account.rate_limits !== null && { accountRates: account.rate_limits }),
  };
  if (person === undefined) return { ...facts, memberId: undefined };
  const member = await knownMember(db, accountId, person);
  return member === undefined || member.removed_at !== null ? undefined : { ...facts, memberId: member.id };
}

const note = (db: Db, accountId: string, action: string, subject: string, detail: Readonly<Record<string, unknown>>) =>
  appendAudit(db, { accountId, actor: 'sign-in', action, subject, detail });
