/** Users of a directory: members of its account, as its issuer knows them. Every statement names account and issuer. */
import { sql } from 'kysely';
import type { UserDirectory } from '../../people/identity/issuers.ts';
import type { Db } from '../../store/postgres/store.ts';
import { deactivateMember, insertMember, reactivateMember } from '../accounts/member-rows.ts';
import { appendAudit } from '../api/change.ts';
import { newId } from '../api/ids.ts';
import { endAllOf } from '../members/ends.ts';
import { endForeignSessions, isInactive, membersOfUser, setActive } from '../sessions/identity-rows.ts';
import { type DirectoryUser, type NewUser, ScimProblem, type UserFilter } from './messages.ts';

type Known = DirectoryUser & { readonly deleted_at: Date | null; readonly removed_at: Date | null };

const COLUMNS = sql`d.member_id, d.user_name, d.external_id, m.name, m.email, d.inactive_at, m.deactivated_at,
  d.created_at, d.updated_at, d.deleted_at, m.removed_at`;

const usersOf = ({ account, issuer }: UserDirectory) => sql`directory_users d
  join members m on m.account_id = d.account_id and m.id = d.member_id
  where d.account_id = ${account} and d.issuer = ${issuer}`;

const LISTED = sql`d.deleted_at is null and m.removed_at is null`;

/** Who has signed in without a directory has no external id: there the subject stands for it. */
const matching = ({ by, value }: UserFilter) => {
  if (by === 'id') return sql`d.member_id = ${value}`;
  return by === 'userName'
    ? sql`lower(d.user_name) = lower(${value})`
    : sql`coalesce(d.external_id, d.subject) = ${value}`;
};

export async function listUsers(
  db: Db,
  directory: UserDirectory,
  filter: UserFilter | undefined,
  from: number,
  count: number,
): Promise<{ readonly users: readonly DirectoryUser[]; readonly total: number }> {
  const among = sql`${usersOf(directory)} and ${LISTED} and ${filter === undefined ? sql`true` : matching(filter)}`;
  // A name that was given to another person is that person's.
  const isNamed = filter?.by === 'userName';
  const order = isNamed ? sql`d.inactive_at is not null, d.created_at desc` : sql`d.created_at`;
  const { rows: users } = await sql<DirectoryUser>`select ${COLUMNS} from ${among}
    order by ${order}, d.member_id limit ${isNamed ? Math.min(count, 1) : count} offset ${from}`.execute(db);
  const { rows } = await sql<{ total: number }>`select count(*)::int as total from ${among}`.execute(db);
  const total = rows[0]?.total ?? 0;
  return { users, total: isNamed ? Math.min(total, 1) : total };
}

export async function requireUser(db: Db, directory: UserDirectory, id: string): Promise<DirectoryUser> {
  const { users } = await listUsers(db, directory, { by: 'id', value: id }, 0, 1);
  const [user] = users;
  if (user === undefined) throw new ScimProblem('not-found', `User "${id}" not found.`);
  return user;
}

/** A user that the directory had deleted is the same member again; of others no name is taken twice. */
export async function createUser(db: Db, directory: UserDirectory, user: NewUser): Promise<DirectoryUser> {
  const { account, issuer, id: by } = directory;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${account} ${issuer}`}, 7214312))`.execute(db);
  const { rows } = await sql<Known>`select ${COLUMNS} from ${usersOf(directory)} and
    (${matching({ by: 'userName', value: user.userName })}
      or ${user.externalId === null ? sql`false` : matching({ by: 'externalId', value: user.externalId })})`.execute(
    db,
  );
  const [known, ...more] = rows;
  if (more.length > 0 || (known !== undefined && (known.deleted_at === null || known.removed_at !== null)))
    throw new ScimProblem('conflict', 'There is a user with this userName or externalId.', 'uniqueness');
  const { name, email, userName, externalId } = user;
  const memberId =
    known?.member_id ??
    (await insertMember(db, { account_id: account, id: newId('mem'), name, email, role: 'viewer' })).id;
  await sql`insert into directory_users as d (account_id, issuer, member_id, user_name, external_id, is_provisioned)
    values (${account}, ${issuer}, ${memberId}, ${userName}, ${externalId}, true)
    on conflict (account_id, issuer, member_id) do update set user_name = excluded.user_name,
      external_id = coalesce(excluded.external_id, d.external_id), is_provisioned = true, deleted_at = null,
      updated_at = now()`.execute(db);
  const noted = { accountId: account, actor: `scim:${by}`, subject: memberId };
  if (known === undefined)
    await appendAudit(db, { ...noted, action: 'member.add', detail: { name, role: 'viewer', directory: by } });
  return setUserActive(db, directory, memberId, user.active);
}

/**
 * Of a user that is out, nothing is accepted any more; one that is back may sign in, and makes new keys. A member that people
 * have deactivated stays so. In a transaction that sees all: sessions of operators belong to no account.
 */
export async function setUserActive(
  db: Db,
  directory: UserDirectory,
  id: string,
  isActive: boolean,
): Promise<DirectoryUser> {
  const { account, issuer, id: by } = directory;
  await requireUser(db, directory, id);
  for (const memberId of await membersOfUser(db, account, issuer, id)) {
    const wasInactive = await isInactive(db, account, memberId);
    if (isActive && !wasInactive) continue;
    await setActive(db, account, memberId, isActive);
    const noted = { accountId: account, actor: `scim:${by}`, subject: memberId };
    if (isActive) {
      await reactivateMember(db, account, memberId, by);
      await appendAudit(db, { ...noted, action: 'member.reactivate', detail: { directory: by } });
      continue;
    }
    await deactivateMember(db, account, memberId, by);
    const ended = await endAllOf(db, account, memberId);
    const sessions = ended.sessions + (await endForeignSessions(db, account, memberId));
    if (!wasInactive)
      await appendAudit(db, { ...noted, action: 'member.deactivate', detail: { ...ended, sessions, directory: by } });
  }
  return requireUser(db, directory, id);
}

export async function deleteUser(db: Db, directory: UserDirectory, id: string): Promise<void> {
  await setUserActive(db, directory, id, false);
  await sql`update directory_users set deleted_at = now()
    where account_id = ${directory.account} and issuer = ${directory.issuer} and member_id = ${id}`.execute(db);
}
