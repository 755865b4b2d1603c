/** Tags that accounts have declared. */
import { sql } from 'kysely';
import type { DeclaredTag } from '../../kernel/tags.ts';
import type { Db } from '../../store/postgres/store.ts';

/** Maximum number of tags per account. */
export const MAX_TAGS = 8;

/** Notified whenever a tag changes. */
export const TAGS_CHANNEL = 'trivium_tags';

export type TagRow = DeclaredTag & { readonly account_id: string; readonly created_at: Date };

/** Of one account, or of all accounts that the transaction sees. */
export async function listTags(db: Db, accountId?: string): Promise<readonly TagRow[]> {
  const { rows } = await sql<TagRow>`
    select account_id, key, required, created_at from account_tags
    ${accountId === undefined ? sql`` : sql`where account_id = ${accountId}`} order by account_id, key`.execute(db);
  return rows;
}

/** Undefined if the account has reached the maximum. Serialized per account. */
export async function declareTag(db: Db, accountId: string, tag: DeclaredTag): Promise<TagRow | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended('tags ' || ${accountId}::text, 0))`.execute(db);
  const { rows } = await sql<TagRow>`
    insert into account_tags (account_id, key, required)
    select ${accountId}, ${tag.key}, ${tag.required}
    where (select count(*) from account_tags where account_id = ${accountId} and key <> ${tag.key}) < ${MAX_TAGS}
    on conflict (account_id, key) do update set required = excluded.required
    returning account_id, key, required, created_at`.execute(db);
  return rows[0];
}

export async function withdrawTag(db: Db, accountId: string, key: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from account_tags where account_id = ${accountId} and key = ${key}`.execute(db);
  return numAffectedRows > 0n;
}
