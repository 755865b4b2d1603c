/**
 * Members' identities at issuers. A member is created at the first sign-in, or by the issuer's directory before it, and gets
 * what the issuer's groups give at every sign-in.
 */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { RateRule } from '../../kernel/caller.ts';
import type { MemberGrant } from '../../people/identity/grants.ts';
import type { Db } from '../../store/postgres/store.ts';
import { insertMember, type MemberGranted, type MemberRow, noteProof, updateMember } from '../accounts/member-rows.ts';
import { findAccount } from '../accounts/rows.ts';
import { appendAudit } from '../api/change.ts';

export type ForeignPerson = {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  /** As the issuer's directory knows the person. */
  readonly userName?: string;
  readonly externalId?: string;
};

export type MemberFound =
  | { readonly memberId: string }
  | { readonly refused: 'no-account' | 'removed' | 'deactivated' };

type KnownMember = Pick<MemberRow, 'id' | 'name' | 'role' | 'removed_at' | 'deactivated_at' | 'granted'>;

async function knownMember(
  db: Db,
  accountId: string,
  { issuer, subject }: Pick<ForeignPerson, 'issuer' | 'subject'>,
): Promise<KnownMember | undefined> {
  const { rows } = await sql<KnownMember>`
    select m.id, m.name, m.role, m.removed_at, m.deactivated_at, m.granted from member_identities i
    join members m on m.account_id = i.account_id and m.id = i.member_id
    where i.issuer = ${issuer} and i.subject = ${subject} and i.account_id = ${accountId}`.execute(db);
  return rows[0];
}

type FoundUser = KnownMember & {
  readonly account_id: string;
  /** Null: no sign-in so far. */
  readonly subject: string | null;
  /** Since when the directory says that the person is out. */
  readonly inactive_at: Date | null;
};

/** Whom the issuer's directory means by the person: in one account, or in all. */
async function usersOf(db: Db, person: ForeignPerson, accountId?: string): Promise<readonly FoundUser[]> {
  const { issuer, subject, userName = null, externalId = null } = person;
  const { rows } = await sql<FoundUser>`
    select m.id, m.name, m.role, m.removed_at, m.deactivated_at, m.granted,
      d.account_id, d.subject, d.inactive_at from directory_users d
    join members m on m.account_id = d.account_id and m.id = d.member_id
    where d.issuer = ${issuer} and ${accountId === undefined ? sql`true` : sql`d.account_id = ${accountId}`}
      and (d.subject = ${subject} or d.external_id = ${externalId} or lower(d.user_name) = lower(${userName}))
    order by d.subject is distinct from ${subject}, d.external_id is distinct from ${externalId}, m.id`.execute(db);
  return rows;
}

/**
 * Whether a directory says that the person is out. For operators, who belong to no account; in a transaction that sees all.
 * Notes who it is, so that the directory can end the session, too.
 */
export async function isOut(db: Db, person: ForeignPerson): Promise<boolean> {
  const users = await usersOf(db, person);
  for (const { id, account_id, subject } of users) if (subject === null) await noteSubject(db, account_id, id, person);
  return users.some(({ inactive_at }) => inactive_at !== null);
}

const noteSubject = (db: Db, accountId: string, memberId: string, { issuer, subject }: ForeignPerson) =>
  sql`update directory_users set subject = ${subject}
    where account_id = ${accountId} and issuer = ${issuer} and member_id = ${memberId} and subject is null`.execute(db);

/**
 * What the groups of a person give, at a sign-in or a refresh of one: a member of the account with its role, the limits of
 * its keys, and the tags of its calls. In a transaction that sees the account. Two concurrent first sign-ins create one member.
 */
export async function applyGroups(
  db: Db,
  person: ForeignPerson,
  grant: MemberGrant,
  newId: () => string,
): Promise<MemberFound> {
  const { account: accountId, role, rights, tags } = grant;
  if ((await findAccount(db, accountId)) === undefined) return { refused: 'no-account' };
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${person.issuer} ${person.subject}`}, 7214311))`.execute(
    db,
  );
  const users = await usersOf(db, person, accountId);
  if (users.some((user) => user.deactivated_at !== null || user.inactive_at !== null))
    return { refused: 'deactivated' };
  const identified = await knownMember(db, accountId, person);
  // One that the directory has created, before its first sign-in.
  const known = identified ?? users.find((user) => user.subject === null || user.subject === person.subject);
  const { issuer, subject, name, email } = person;
  if (known !== undefined && known.removed_at !== null) return { refused: 'removed' };
  if (known !== undefined && known.deactivated_at !== null) return { refused: 'deactivated' };
  const gives: MemberGranted | null =
    rights === undefined && tags === undefined
      ? null
      : { ...(rights !== undefined && { rights }), ...(tags !== undefined && { tags }) };
  const memberId = known?.id ?? (await insertMember(db, { account_id: accountId, id: newId(), name, email, role })).id;
  if (identified === undefined)
    await sql`insert into member_identities (account_id, issuer, subject, member_id)
      values (${accountId}, ${issuer}, ${subject}, ${memberId})`.execute(db);
  const { userName = subject, externalId = null } = person;
  await sql`insert into directory_users as d (account_id, issuer, member_id, subject, user_name, external_id)
    values (${accountId}, ${issuer}, ${memberId}, ${subject}, ${userName}, ${externalId})
    on conflict (account_id, issuer, member_id) do update set user_name = excluded.user_name, external_id = excluded.external_id
      where not d.is_provisioned and (d.user_name, d.external_id) is distinct from (excluded.user_name, excluded.external_id)`.execute(
    db,
  );
  // Also of another that the directory has made for the person: what it says of that one is then said of this.
  for (const user of [{ id: memberId, subject: null }, ...users])
    if (user.subject === null) await noteSubject(db, accountId, user.id, person);
  const isGivenAlready = isDeepStrictEqual(known?.granted ?? null, gives);
  if (!isGivenAlready)
    await sql`update members set granted = ${gives === null ? null : JSON.stringify(gives)}::jsonb
      where account_id = ${accountId} and id = ${memberId}`.execute(db);
  const detail = { name, role, ...gives };
  const noted = { accountId, actor: 'sign-in', subject: memberId };
  if (known === undefined) await appendAudit(db, { ...noted, action: 'member.add', detail: { ...detail, issuer } });
  else if (known.role !== role || known.name !== name || !isGivenAlready) {
    await updateMember(db, accountId, memberId, { name, role });
    await appendAudit(db, {
      ...noted,
      action: 'member.change',
      detail: { ...detail, roleBefore: known.role, before: known.granted, issuer },
    });
  }
  await noteProof(db, accountId, memberId);
  return { memberId };
}

/** Whether a directory says that the person behind a member is out. */
export async function isInactive(db: Db, accountId: string, memberId: string): Promise<boolean> {
  const { rows } = await sql`select from directory_users
    where account_id = ${accountId} and member_id = ${memberId} and inactive_at is not null`.execute(db);
  return rows.length > 0;
}

/** The members that one user of a directory stands for: of the same name, subject or external id. In the account of the first. */
export async function membersOfUser(
  db: Db,
  accountId: string,
  issuer: string,
  memberId: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ member_id: string }>`
    select distinct d.member_id from directory_users one
    join directory_users d on d.account_id = one.account_id and d.issuer = one.issuer
      and (d.member_id = one.member_id or lower(d.user_name) = lower(one.user_name) or d.subject = one.subject
        or d.external_id = one.external_id)
    join members m on m.account_id = d.account_id and m.id = d.member_id and m.removed_at is null
    where one.account_id = ${accountId} and one.issuer = ${issuer} and one.member_id = ${memberId}
    order by d.member_id`.execute(db);
  return rows.map(({ member_id }) => member_id);
}

/** What a directory says of the person behind a member, or an operator in its place. */
export async function setActive(db: Db, accountId: string, memberId: string, isActive: boolean): Promise<void> {
  await sql`update directory_users set updated_at = now(),
      inactive_at = ${isActive ? null : sql`coalesce(inactive_at, now())`}
    where account_id = ${accountId} and member_id = ${memberId}`.execute(db);
}

/** All sessions that the person's identity provider signed in, also those of operators. In a transaction that sees all. */
export async function endForeignSessions(db: Db, accountId: string, memberId: string): Promise<number> {
  const ended = await sql`delete from sessions s using directory_users d
    where d.account_id = ${accountId} and d.member_id = ${memberId}
      and s.issuer = d.issuer and s.subject = d.subject`.execute(db);
  return Number(ended.numAffectedRows ?? 0);
}

type CallerAccount = {
  readonly isSuspended: boolean;
  readonly memberId: string | undefined;
  readonly granted?: MemberGranted;
  readonly accountRates?: RateRule;
};

/** For callers with tokens; undefined if the account does not exist, or the person is not an active member of it. */
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
  if (member === undefined || member.removed_at !== null || member.deactivated_at !== null) return undefined;
  return { ...facts, memberId: member.id, ...(member.granted !== null && { granted: member.granted }) };
}
