/**
 * Keys in the database. Every statement names the account; only the hash of a presented secret finds a key without it.
 */
import { type ColumnType, sql } from 'kysely';
import type { Static } from 'typebox';
import type { CallerGrant, GrantClient, RateRule } from '../../kernel/caller.ts';
import { Gathered } from '../../kernel/gathered.ts';
import type { KeyRecord, KeySource, ProofRule } from '../../people/accounts/key-source.ts';
import { type Rights, type Role, roleRank, withinCeiling } from '../../people/accounts/rights.ts';
import type { Db, Store } from '../../store/postgres/store.ts';
import type { MemberGranted } from '../accounts/member-rows.ts';
import { columnsOf, type RowOf, storedAs, type TableOf } from '../api/shown.ts';
import { Key, type KeyChange, type NewKey } from './contract.ts';

type FoundKey = {
  readonly id: string;
  readonly account_id: string;
  readonly member_id: string | null;
  readonly rights: Rights;
  readonly expires_in_ms: number | null;
  readonly account_status: 'active' | 'suspended';
  readonly member_role: Role | null;
  readonly account_rates: RateRule | null;
  /** Of a token: the sign-in it is of. */
  readonly signed_in: (Omit<CallerGrant, 'email'> & { readonly email: string | null }) | null;
  /** Null without a member, and for service accounts. */
  readonly proof_age_ms: number | null;
  readonly granted: MemberGranted | null;
};

/** The rights of people who are signed in from a program, by role. Undefined: they may not call. */
export type RightsOfRole = (role: Role, client: GrantClient) => Rights | undefined;

/** A key's role never exceeds the current role of its member. */
const roleOf = ({ rights, member_id, member_role }: FoundKey): Role | undefined => {
  const { manages } = rights;
  if (manages === undefined || member_id === null || member_role === null) return manages;
  return roleRank(manages) <= roleRank(member_role) ? manages : member_role;
};

/** A token is good for calls alone: it has no role, and proves its person itself. */
function tokenRecordOf(
  row: FoundKey,
  { email, ...grant }: NonNullable<FoundKey['signed_in']>,
  rightsOf: RightsOfRole,
): KeyRecord | undefined {
  const rights = row.member_role === null ? undefined : rightsOf(row.member_role, grant.client);
  if (rights === undefined) return undefined;
  const record = recordOf({ ...row, rights }, {});
  return { ...record, role: undefined, grant: { ...grant, ...(email !== null && { email }) } };
}

/** How long the last proof of its person still keeps a key alive. */
function proofOf(
  { expires_in_ms, proof_age_ms }: FoundKey,
  { maxAgeMs }: ProofRule,
): Pick<KeyRecord, 'expiresInMs' | 'proof'> {
  const own = { expiresInMs: expires_in_ms ?? undefined };
  if (maxAgeMs === undefined || proof_age_ms === null) return own;
  const leftMs = maxAgeMs - proof_age_ms;
  if (leftMs <= 0) return { ...own, proof: 'due' };
  return leftMs < (expires_in_ms ?? Number.POSITIVE_INFINITY) ? { expiresInMs: leftMs, proof: 'counted' } : own;
}

function recordOf(row: FoundKey, rule: ProofRule): KeyRecord {
  const { granted } = row;
  const alive = proofOf(row, rule);
  return {
    keyId: row.id,
    accountId: row.account_id,
    memberId: row.member_id ?? undefined,
    rights: withinCeiling(row.rights, granted?.rights),
    ...alive,
    isSuspended: row.account_status === 'suspended' || alive.proof === 'due',
    role: roleOf(row),
    ...(row.account_rates !== null && { accountRates: row.account_rates }),
    ...(granted?.tags !== undefined && { tags: granted.tags }),
  };
}

/** Keys presented within a few milliseconds are looked up together; thousands in use are refreshed every half minute. */
const BATCHES = { waitMs: 2, idleWaitMs: 100, mostInBatch: 500, mostUnderWay: 4 };

/** `rightsOf`: of tokens. */
export function keySource(
  store: Store,
  proofRule: () => ProofRule = () => ({}),
  rightsOf: RightsOfRole = () => undefined,
): KeySource {
  const lookups = new Gathered(async (hashes: readonly string[]) => {
    const { rows } = await sql<FoundKey & { readonly hash: string }>`
      select presented.hash, found.* from unnest(${hashes}::text[]) presented (hash),
        trivium_find_person(decode(presented.hash, 'hex')) found`.execute(store.app);
    const rule = proofRule();
    const found = new Map(rows.map((row) => [row.hash, row]));
    return hashes.map((hash) => {
      const row = found.get(hash);
      if (row === undefined) return undefined;
      return row.signed_in === null ? recordOf(row, rule) : tokenRecordOf(row, row.signed_in, rightsOf);
    });
  }, BATCHES);
  return { find: (hash, isWaitedFor) => lookups.ask(hash, isWaitedFor) };
}

type KeysTable = TableOf<
  typeof Key,
  {
    readonly hash: Buffer;
    readonly previous_hash: Buffer | null;
    readonly expires_at: ColumnType<Date | null, string | null, string | null>;
  }
>;

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly keys: KeysTable;
  }
}

export type StoredKey = RowOf<typeof Key>;

const SHOWN = columnsOf(Key);

/** What its rights say of its expiry is in a column of its own, to be searched by. */
const columnsFrom = <T extends { readonly rights?: Rights }>(key: T) => ({
  ...storedAs(key),
  ...(key.rights !== undefined && { expires_at: key.rights.expiresAt ?? null }),
});

/** `hash`: SHA-256 of the secret, in hex. */
export const insertKey = (
  db: Db,
  {
    hash,
    ...key
  }: Omit<Static<typeof NewKey>, 'memberId' | 'rights'> &
    Pick<Key, 'accountId' | 'id' | 'memberId' | 'parentId' | 'prefix'> & {
      readonly rights: Rights;
      readonly hash: string;
    },
): Promise<StoredKey> =>
  db
    .insertInto('keys')
    .values({ ...columnsFrom(key), hash: Buffer.from(hash, 'hex') })
    .returning(SHOWN)
    .executeTakeFirstOrThrow();

export const findKey = (db: Db, accountId: string, id: string): Promise<StoredKey | undefined> =>
  db.selectFrom('keys').select(SHOWN).where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst();

/** Of all keys that the transaction sees, with the hash of its secret. */
export async function findKeyById(
  db: Db,
  id: string,
): Promise<{ readonly key: StoredKey; readonly hash: string } | undefined> {
  const row = await db
    .selectFrom('keys')
    .select([...SHOWN, 'hash'])
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { hash, ...key } = row;
  return { key, hash: hash.toString('hex') };
}

/** Of the keys that exist, and of the programs that were signed in, by id. */
export async function keyNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from keys where id = any(${[...ids]})
    union all select id, label as name from grants where id = any(${[...ids]})`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export const listKeys = (db: Db, accountId: string, after: string, limit: number): Promise<StoredKey[]> =>
  db
    .selectFrom('keys')
    .select(SHOWN)
    .where('account_id', '=', accountId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

export const updateKey = (
  db: Db,
  accountId: string,
  id: string,
  changes: Omit<Static<typeof KeyChange>, 'rights'> & { readonly rights?: Rights },
): Promise<StoredKey | undefined> =>
  db
    .updateTable('keys')
    .set(columnsFrom(changes))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(SHOWN)
    .executeTakeFirst();

/** Replaces the secret; the old one stays valid for `graceSeconds`. Undefined for deleted and revoked keys. */
export const rotateKey = (
  db: Db,
  accountId: string,
  id: string,
  fresh: { readonly hash: string; readonly prefix: string; readonly graceSeconds: number },
): Promise<StoredKey | undefined> =>
  db
    .updateTable('keys')
    .set({
      hash: Buffer.from(fresh.hash, 'hex'),
      prefix: fresh.prefix,
      previous_hash: sql<Buffer>`hash`,
      previous_until: sql<Date>`now() + ${fresh.graceSeconds} * interval '1 second'`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(SHOWN)
    .executeTakeFirst();

/**
 * Revokes the keys, and with `children` all keys made with them, at any depth; returns the ids of those that were
 * active.
 */
export async function revokeKeys(
  db: Db,
  accountId: string,
  ids: readonly string[],
  children = true,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive line as (
      select id from keys where account_id = ${accountId} and id = any(${[...ids]})
      union
      select k.id from keys k join line on k.account_id = ${accountId} and k.parent_id = line.id and ${children}
    )
    update keys set revoked_at = now()
    where account_id = ${accountId} and id in (select id from line) and revoked_at is null
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Counts the usable keys. */
export async function countKeysOfMember(db: Db, accountId: string, memberId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from keys where account_id = ${accountId} and member_id = ${memberId}
      and revoked_at is null and (expires_at is null or expires_at > now())`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function keysOfMember(db: Db, accountId: string, memberId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('keys')
    .select('id')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .execute();
  return rows.map(({ id }) => id);
}
