/**
 * Sessions and one-time codes in the database: read for every request, so that an ended session is ended on every node.
 */
import { sql } from 'kysely';
import type { MemberRights, Role } from '../../people/accounts/rights.ts';
import {
  type MemberName,
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
  type Session,
  type SessionStore,
  type SessionSubject,
  SIGN_IN_CODE_MS,
  type SignInMethod,
} from '../../people/accounts/sessions.ts';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import { noteProof } from '../accounts/member-rows.ts';

/** Last use is stored at most this often. */
const SEEN_EVERY_MS = 60_000;

type FoundSession = {
  readonly kind: SessionSubject['kind'];
  readonly method: SignInMethod;
  readonly credential: Buffer | null;
  readonly account_id: string | null;
  readonly member_id: string | null;
  readonly member_name: string | null;
  readonly role: Role | null;
  readonly granted: { readonly rights?: MemberRights } | null;
  readonly account_status: 'active' | 'suspended' | null;
  readonly created_at: Date;
  readonly unseen_ms: number;
};

const hashOf = (hex: string): Buffer => Buffer.from(hex, 'hex');
const milliseconds = (ms: number) => sql`${ms} * interval '1 millisecond'`;
const isAlive = sql`s.seen_at > now() - ${milliseconds(SESSION_IDLE_MS)} and s.created_at > now() - ${milliseconds(SESSION_MAX_MS)}`;

function subjectOf(row: FoundSession): Session['subject'] | undefined {
  const { kind, credential, account_id, member_id, member_name, role, granted, account_status } = row;
  const hex = credential?.toString('hex');
  if (kind === 'operator') return { kind, ...(hex !== undefined && { credential: hex }) };
  if (kind === 'key') return hex === undefined ? undefined : { kind, credential: hex };
  // The member was removed or deactivated.
  if (account_id === null || member_id === null || member_name === null || role === null) return undefined;
  const isSuspended = account_status === 'suspended';
  const ceiling = granted?.rights;
  const member = { kind, accountId: account_id, memberId: member_id, name: member_name, role, isSuspended };
  return { ...member, ...(ceiling !== undefined && { ceiling }) };
}

const insertSession = async (db: Db, hash: string, subject: SessionSubject, method: SignInMethod): Promise<void> => {
  const { accountId, memberId } = subject.kind === 'member' ? subject : { accountId: null, memberId: null };
  const credential = subject.kind === 'member' ? undefined : subject.credential;
  const foreign = subject.kind === 'key' ? undefined : subject.foreign;
  await sql`insert into sessions (hash, kind, method, credential, account_id, member_id, issuer, subject, sid)
    values (${hashOf(hash)}, ${subject.kind}, ${method}, ${credential === undefined ? null : hashOf(credential)},
      ${accountId}, ${memberId}, ${foreign?.issuer ?? null}, ${foreign?.subject ?? null}, ${foreign?.sid ?? null})`.execute(
    db,
  );
  await sql`delete from sessions s where not (${isAlive})`.execute(db);
};

async function findSession(db: Db, hash: string): Promise<Session | undefined> {
  const { rows } = await sql<FoundSession>`
    select s.kind, s.method, s.credential, s.account_id, s.member_id, m.name as member_name, m.role, m.granted,
      a.status as account_status, s.created_at, (extract(epoch from now() - s.seen_at) * 1000)::float8 as unseen_ms
    from sessions s
    left join members m on m.account_id = s.account_id and m.id = s.member_id and m.removed_at is null and m.deactivated_at is null
    left join accounts a on a.id = s.account_id
    where s.hash = ${hashOf(hash)} and ${isAlive} and (s.kind <> 'operator' or not exists (
      select from directory_users d
      where d.issuer = s.issuer and d.subject = s.subject and d.inactive_at is not null))`.execute(db);
  const [row] = rows;
  const subject = row && subjectOf(row);
  if (row === undefined || subject === undefined) return undefined;
  if (row.unseen_ms > SEEN_EVERY_MS)
    await sql`update sessions set seen_at = now() where hash = ${hashOf(hash)}`.execute(db);
  const createdAtMs = row.created_at.getTime();
  return { subject, method: row.method, createdAtMs, endsAtMs: createdAtMs + SESSION_MAX_MS };
}

async function redeemCode(db: Db, codeHash: string): Promise<SessionSubject | undefined> {
  const { rows } = await sql<{ account_id: string | null; member_id: string | null; valid: boolean }>`
    delete from sign_in_codes where hash = ${hashOf(codeHash)} or expires_at <= now()
    returning account_id, member_id, hash = ${hashOf(codeHash)} and expires_at > now() as valid`.execute(db);
  const row = rows.find(({ valid }) => valid);
  if (row === undefined) return undefined;
  const { account_id: accountId, member_id: memberId } = row;
  if (accountId === null || memberId === null) return { kind: 'operator' };
  // The admin who made the code for the member vouches for the person.
  await noteProof(db, accountId, memberId);
  return { kind: 'member', accountId, memberId };
}

export const storedSessions = (store: Store): SessionStore => ({
  open: (hash, subject, method) => store.within(OPERATOR, (db) => insertSession(db, hash, subject, method)),
  find: (hash) => store.within(OPERATOR, (db) => findSession(db, hash)),
  end: (hash) =>
    store.within(OPERATOR, async (db) => {
      await sql`delete from sessions where hash = ${hashOf(hash)}`.execute(db);
    }),
  redeem: (codeHash) => store.within(OPERATOR, (db) => redeemCode(db, codeHash)),
});

/** In a transaction of the operator. Without a member, the code signs in an operator. */
export async function insertCode(db: Db, codeHash: string, member?: MemberName): Promise<Date> {
  const { rows } = await sql<{ expires_at: Date }>`
    insert into sign_in_codes (hash, account_id, member_id, expires_at)
    values (${hashOf(codeHash)}, ${member?.accountId ?? null}, ${member?.memberId ?? null},
      now() + ${milliseconds(SIGN_IN_CODE_MS)}) returning expires_at`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('no row was inserted');
  return row.expires_at;
}

/** All operator sessions, however they signed in. */
export const endOperatorSessions = async (db: Db): Promise<void> => {
  await sql`delete from sessions where kind = 'operator'`.execute(db);
  await sql`delete from sign_in_codes where account_id is null`.execute(db);
};
