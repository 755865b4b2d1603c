/** Links that hand over the secrets of new keys: kept encrypted, opened once, then erased. */
import { type Selectable, sql } from 'kysely';
import type { SealedSecret, Vault } from '../../people/secrets/vault.ts';
import type { Db } from '../../store/postgres/store.ts';
import { storedAs } from '../api/shown.ts';
import type { KeyLink } from './contract.ts';

type KeyLinksTable = {
  readonly account_id: string;
  readonly id: string;
  readonly key_id: string;
  readonly code_hash: Buffer;
  readonly sealed: Buffer | null;
  readonly wrapped_key: Buffer | null;
  readonly wrapping: string | null;
  readonly created_by: string;
  readonly expires_at: Date;
  readonly withdrawn_at: Date | null;
};

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly key_links: KeyLinksTable;
  }
}

/** Links of one account that wait to be opened. */
export const MAX_WAITING = 100;
const KEPT_DAYS = 30;

/** The identity that the encryption of a secret is bound to. */
export const linkIdentity = (accountId: string, id: string): string => `key_links:${accountId}:${id}`;

const ERASED = sql`sealed = null, wrapped_key = null, wrapping = null`;

/** Of those that the transaction sees: secrets whose time is over, and links that are long past. */
export async function forgetKeyLinks(db: Db): Promise<void> {
  await sql`update key_links set ${ERASED} where sealed is not null and expires_at <= now()`.execute(db);
  await sql`delete from key_links where expires_at < now() - make_interval(days => ${KEPT_DAYS})`.execute(db);
}

export async function countWaiting(db: Db, accountId: string): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    select count(*)::int as count from key_links where account_id = ${accountId} and sealed is not null`.execute(db);
  return rows[0]?.count ?? 0;
}

export type NewLink = {
  readonly accountId: string;
  readonly id: string;
  readonly keyId: string;
  /** SHA-256, in hex. */
  readonly codeHash: string;
  readonly createdBy: string;
  readonly validSeconds: number;
  readonly secret: SealedSecret;
};

export async function insertKeyLink(db: Db, { validSeconds, codeHash, secret, ...link }: NewLink): Promise<void> {
  await db
    .insertInto('key_links')
    .values({
      ...storedAs(link),
      ...storedAs(secret),
      code_hash: Buffer.from(codeHash, 'hex'),
      expires_at: sql<Date>`now() + make_interval(secs => ${validSeconds})`,
      withdrawn_at: null,
    })
    .execute();
}

type LinkRow = Pick<Selectable<KeyLinksTable>, 'id' | 'account_id' | 'key_id' | 'created_by' | 'expires_at'> & {
  readonly key_name: string;
  readonly state: KeyLink['state'];
  readonly created_at: Date;
  readonly opened_at: Date | null;
};

/** Newest first. */
export async function listKeyLinks(
  db: Db,
  accountId: string,
  { key, id }: { readonly key?: string | undefined; readonly id?: string },
  limit: number,
): Promise<readonly LinkRow[]> {
  const { rows } = await sql<LinkRow>`
    select l.id, l.account_id, l.key_id, k.name as key_name, l.created_by, l.created_at, l.expires_at, l.opened_at,
      case when l.opened_at is not null then 'opened'
        when l.withdrawn_at is not null or k.revoked_at is not null then 'withdrawn'
        when l.sealed is null or l.expires_at <= now() then 'expired' else 'waiting' end as state
    from key_links l join keys k on k.account_id = l.account_id and k.id = l.key_id
    where l.account_id = ${accountId} and ${key === undefined ? sql`true` : sql`l.key_id = ${key}`}
      and ${id === undefined ? sql`true` : sql`l.id = ${id}`}
    order by l.created_at desc, l.id limit ${limit}`.execute(db);
  return rows;
}

/** False: there is none that waits. */
export async function withdrawKeyLink(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update key_links set withdrawn_at = now(), ${ERASED}
    where account_id = ${accountId} and id = ${id} and sealed is not null`.execute(db);
  return numAffectedRows === 1n;
}

export type TakenLink = {
  readonly account_id: string;
  readonly id: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly account_name: string;
  /** Of the key's secret today. */
  readonly hash: Buffer;
} & Pick<SealedSecret, 'sealed'> & { readonly wrapped_key: Buffer; readonly wrapping: string };

/** Opens it, which is possible once. In a transaction of the operator. */
export async function takeKeyLink(db: Db, codeHash: string): Promise<TakenLink | undefined> {
  const { rows } = await sql<TakenLink>`
    with found as (
      select l.account_id, l.id, l.key_id, l.sealed, l.wrapped_key, l.wrapping, k.name as key_name, k.hash,
        a.name as account_name
      from key_links l
      join keys k on k.account_id = l.account_id and k.id = l.key_id
      join accounts a on a.id = l.account_id
      where l.code_hash = ${Buffer.from(codeHash, 'hex')} and l.sealed is not null and l.expires_at > now()
        and k.revoked_at is null
      for update of l)
    update key_links l set opened_at = now(), ${ERASED} from found
    where l.account_id = found.account_id and l.id = found.id returning found.*`.execute(db);
  return rows[0];
}

/** Rewraps all under the operator's current key; returns how many secrets were changed. */
export async function rewrapKeyLinks(db: Db, vault: Vault): Promise<number> {
  let moved = 0;
  for (const row of await db.selectFrom('key_links').selectAll().where('sealed', 'is not', null).execute()) {
    const { account_id, id, sealed, wrapped_key: wrappedKey, wrapping } = row;
    if (sealed === null || wrappedKey === null || wrapping === null) continue;
    if (vault.isCurrent({ sealed, wrappedKey, wrapping })) continue;
    await db
      .updateTable('key_links')
      .set(storedAs(vault.rewrap(linkIdentity(account_id, id), { sealed, wrappedKey, wrapping })))
      .where('account_id', '=', account_id)
      .where('id', '=', id)
      .execute();
    moved++;
  }
  return moved;
}
