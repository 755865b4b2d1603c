/** Keys by what is known of them, of one account or of all the transaction sees, page by page. */
import { sql } from 'kysely';
import type { StoredKey } from './keys.ts';
import type { Db } from './store.ts';

type KeyState = 'active' | 'expired' | 'revoked';

export type KeyFilter = {
  readonly q?: string | undefined;
  readonly state?: KeyState | undefined;
  readonly account?: string | undefined;
  readonly member?: string | undefined;
  readonly model?: string | undefined;
  readonly expiringBefore?: string | undefined;
};

export type KeyPlace = { readonly accountId: string; readonly id: string };
export type KeyFound = StoredKey & { readonly state: KeyState; readonly last_used_at: Date | null };

const any = sql`true`;

/** The hour is the finest the sums know; an index has the latest of a key first. */
export async function findKeys(db: Db, filter: KeyFilter, after: KeyPlace, limit: number): Promise<KeyFound[]> {
  const { q, state, account, member, model, expiringBefore } = filter;
  const { rows } = await sql<KeyFound>`
    select k.account_id, k.id, k.member_id, k.parent_id, k.name, k.prefix, k.previous_until, k.rights, k.expires_at,
      k.revoked_at, k.created_at, k.state,
      (select max(h.hour) from usage_hourly h where h.account_id = k.account_id and h.key_id = k.id) as last_used_at
    from (
      select *, case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end as state
      from keys
    ) k
    where (k.account_id, k.id) > (${after.accountId}, ${after.id})
      and ${account === undefined ? any : sql`k.account_id = ${account}`}
      and ${member === undefined ? any : sql`k.member_id = ${member}`}
      and ${state === undefined ? any : sql`k.state = ${state}`}
      and ${expiringBefore === undefined ? any : sql`k.expires_at < ${expiringBefore}::timestamptz`}
      and ${
        q === undefined
          ? any
          : sql`(position(lower(${q}::text) in lower(k.name)) > 0 or starts_with(k.id, ${q}) or starts_with(k.prefix, ${q}))`
      }
      and ${
        model === undefined
          ? any
          : sql`(k.rights -> 'models' is null or exists (select from jsonb_array_elements_text(k.rights -> 'models') p
              where p = ${model} or (right(p, 1) = '*' and starts_with(${model}, left(p, -1)))))`
      }
    order by k.account_id, k.id limit ${limit}`.execute(db);
  return rows;
}
