/** Grants in the database: people who are signed in from their programs, and the tokens of these. */
import { sql } from 'kysely';
import type { GrantClient } from '../../kernel/caller.ts';
import type { SealedSecret, Vault } from '../../people/secrets/vault.ts';
import type { Db } from '../../store/postgres/store.ts';
import { appendAudit } from '../api/change.ts';
import { hashBytes, newRotationSalt, nextToken, type RefreshToken } from './refresh-token.ts';

/** The refresh token before the last one is still taken: several processes renew at once. */
const GRACE_S = 60;
/** One process asks the issuer; if it dies meanwhile, another one may after this. */
const PROVING_S = 30;
/** Access tokens of a grant at once: the oldest end first. */
const MOST_TOKENS = 64;

export type GrantName = { readonly accountId: string; readonly id: string };

export const grantIdentity = (id: string): string => `grants:${id}`;

const [MAX_GROUPS, MAX_GROUP_LENGTH] = [500, 200];

/** Of a person's groups; the role was found with all of them. */
export const storedGroups = (groups: readonly string[]): string[] =>
  groups.filter((group) => group.length <= MAX_GROUP_LENGTH && !group.includes('\0')).slice(0, MAX_GROUPS);

/** A grant that is being renewed. */
export type ClaimedGrant = GrantName & {
  readonly memberId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** What the issuer proves the person by; undefined: it gave nothing. */
  readonly sealed: SealedSecret | undefined;
  readonly unprovenMs: number;
};

type RenewalRow = {
  readonly account_id: string;
  readonly id: string;
  readonly member_id: string;
  readonly client: GrantClient;
  readonly label: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly sealed: Buffer | null;
  readonly wrapped_key: Buffer | null;
  readonly wrapping: string | null;
  readonly rotation_salt: Buffer | null;
  readonly unproven_ms: number;
  readonly is_over: boolean;
  readonly is_current: boolean;
  readonly is_previous: boolean;
  readonly is_proving: boolean;
};

export type Renewal =
  | { readonly is: 'unknown' }
  /** Used before: it was stolen, or its successor was. */
  | { readonly is: 'reused'; readonly ended: readonly string[] | undefined }
  | { readonly is: 'busy' }
  /** Renewed a moment ago, by another process of the same person. */
  | { readonly is: 'renewed'; readonly grant: GrantName; readonly email: string | null; readonly next: RefreshToken }
  | { readonly is: 'claimed'; readonly grant: ClaimedGrant };

/** In a transaction of the operator. `isClient`: whether the program that presents it is the one it was given to. */
export async function claimRenewal(
  db: Db,
  token: RefreshToken,
  isClient: (client: GrantClient, label: string) => boolean,
): Promise<Renewal> {
  const verifier = hashBytes(token.verifier);
  const { rows } = await sql<RenewalRow>`
    select g.*, g.ended_at is not null or g.ends_at <= now() or m.removed_at is not null or m.deactivated_at is not null as is_over,
      g.verifier = ${verifier} as is_current,
      coalesce(g.previous_verifier = ${verifier} and g.rotated_at > now() - make_interval(secs => ${GRACE_S}), false) as is_previous,
      coalesce(g.proving_until > now(), false) as is_proving,
      (extract(epoch from now() - g.proven_at) * 1000)::float8 as unproven_ms
    from grants g join members m on m.account_id = g.account_id and m.id = g.member_id
    where g.selector = ${hashBytes(token.selector)} for update of g`.execute(db);
  const [row] = rows;
  if (row === undefined || row.is_over || !isClient(row.client, row.label)) return { is: 'unknown' };
  const grant = { accountId: row.account_id, id: row.id };
  if (row.is_previous && row.rotation_salt !== null)
    return { is: 'renewed', grant, email: row.email, next: nextToken(token, row.rotation_salt) };
  if (!row.is_current) {
    return { is: 'reused', ended: await endGrant(db, grant, 'sign-in', 'a refresh token was used again') };
  }
  if (row.is_proving) return { is: 'busy' };
  await sql`update grants set proving_until = now() + make_interval(secs => ${PROVING_S})
    where account_id = ${grant.accountId} and id = ${grant.id}`.execute(db);
  const { member_id: memberId, issuer, subject, email, unproven_ms: unprovenMs } = row;
  return {
    is: 'claimed',
    grant: { ...grant, memberId, issuer, subject, email, sealed: sealedIn(row), unprovenMs },
  };
}

type SealedColumns = Pick<RenewalRow, 'sealed' | 'wrapped_key' | 'wrapping'>;

const sealedIn = ({ sealed, wrapped_key: wrappedKey, wrapping }: SealedColumns): SealedSecret | undefined =>
  sealed === null || wrappedKey === null || wrapping === null ? undefined : { sealed, wrappedKey, wrapping };

/** The claim is given up: the next one to ask tries again. */
export async function releaseRenewal(db: Db, { accountId, id }: GrantName): Promise<void> {
  await sql`update grants set proving_until = null where account_id = ${accountId} and id = ${id}`.execute(db);
}

export type ProvenNow = {
  readonly sealed: SealedSecret;
  /** Absent: the issuer says no more than that the sign-in is still good. */
  readonly person?: { readonly email: string | null; readonly groups: readonly string[] };
};

/** Replaces the refresh token. Undefined if the grant has ended meanwhile. */
export async function rotateGrant(
  db: Db,
  { accountId, id }: GrantName,
  token: RefreshToken,
  proven: ProvenNow | undefined,
): Promise<RefreshToken | undefined> {
  const salt = newRotationSalt();
  const next = nextToken(token, salt);
  const { person, sealed } = proven ?? {};
  const { numAffectedRows = 0n } = await sql`
    update grants set previous_verifier = verifier, verifier = ${hashBytes(next.verifier)}, rotation_salt = ${salt},
      rotated_at = now(), proving_until = null
      ${sealed === undefined ? sql`` : sql`, sealed = ${sealed.sealed}, wrapped_key = ${sealed.wrappedKey}, wrapping = ${sealed.wrapping}, proven_at = now()`}
      ${person === undefined ? sql`` : sql`, email = ${person.email}, groups = ${storedGroups(person.groups)}`}
    where account_id = ${accountId} and id = ${id} and ended_at is null and verifier = ${hashBytes(token.verifier)}`.execute(
    db,
  );
  return numAffectedRows === 1n ? next : undefined;
}

/** `hash`: SHA-256 of the token, in hex. Returns how many seconds it lives: no longer than its grant. */
export async function insertAccessToken(
  db: Db,
  { accountId, id }: GrantName,
  hash: string,
  minutes: number,
): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    with old as (
      delete from access_tokens where account_id = ${accountId} and grant_id = ${id} and (expires_at <= now()
        or hash in (select hash from access_tokens where account_id = ${accountId} and grant_id = ${id}
          order by created_at desc offset ${MOST_TOKENS - 1})))
    insert into access_tokens (hash, account_id, grant_id, expires_at)
    select ${Buffer.from(hash, 'hex')}, account_id, id, least(now() + make_interval(mins => ${minutes}), ends_at)
    from grants where account_id = ${accountId} and id = ${id}
    returning extract(epoch from expires_at - now())::integer as seconds`.execute(db);
  return rows[0]?.seconds ?? 0;
}

/**
 * Ends it on all nodes: the database notifies them. What the issuer gave is forgotten. Returns what this node drops from its cache
 * once the transaction has ended; undefined if the grant had ended before.
 */
export async function endGrant(
  db: Db,
  { accountId, id }: GrantName,
  actor: string,
  why: string,
): Promise<readonly string[] | undefined> {
  const { numAffectedRows = 0n } = await sql`
    update grants set ended_at = now(), ended_why = ${why}, sealed = null, wrapped_key = null, wrapping = null,
      rotation_salt = null, proving_until = null
    where account_id = ${accountId} and id = ${id} and ended_at is null`.execute(db);
  if (numAffectedRows === 0n) return undefined;
  await appendAudit(db, { accountId, actor, action: 'grant.end', subject: id, detail: { why } });
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from access_tokens where account_id = ${accountId} and grant_id = ${id} and expires_at > now()`.execute(
    db,
  );
  return rows.map(({ hash }) => `key:${hash.toString('hex')}`);
}

/** All of a person, on all nodes, when the transaction ends. Returns their ids; the caller writes the audit entry. */
export async function endGrantsOf(db: Db, accountId: string, memberId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    update grants set ended_at = now(), ended_why = 'the person was signed out everywhere', sealed = null, wrapped_key = null,
      wrapping = null, rotation_salt = null, proving_until = null
    where account_id = ${accountId} and member_id = ${memberId} and ended_at is null returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** By an access or a refresh token; undefined if it is of no grant. In a transaction of the operator. */
export async function grantOfToken(
  db: Db,
  token: string,
  refresh: RefreshToken | undefined,
): Promise<(GrantName & { readonly memberId: string }) | undefined> {
  const { rows } = await sql<{ account_id: string; id: string; member_id: string }>`
    select account_id, id, member_id from grants g where ${
      refresh === undefined
        ? sql`exists (select from access_tokens t where t.hash = ${hashBytes(token)} and t.account_id = g.account_id and t.grant_id = g.id)`
        : sql`selector = ${hashBytes(refresh.selector)} and (verifier = ${hashBytes(refresh.verifier)} or previous_verifier = ${hashBytes(refresh.verifier)})`
    }`.execute(db);
  const [row] = rows;
  return row && { accountId: row.account_id, id: row.id, memberId: row.member_id };
}

/** Under the operator's current key; returns how many were changed. */
export async function rewrapGrants(db: Db, vault: Vault): Promise<number> {
  const { rows } = await sql<SealedColumns & { account_id: string; id: string }>`
    select account_id, id, sealed, wrapped_key, wrapping from grants where sealed is not null`.execute(db);
  let changed = 0;
  for (const row of rows) {
    const stored = sealedIn(row);
    if (stored === undefined || vault.isCurrent(stored)) continue;
    const { wrappedKey, wrapping } = vault.rewrap(grantIdentity(row.id), stored);
    await sql`update grants set wrapped_key = ${wrappedKey}, wrapping = ${wrapping}
      where account_id = ${row.account_id} and id = ${row.id}`.execute(db);
    changed++;
  }
  return changed;
}
