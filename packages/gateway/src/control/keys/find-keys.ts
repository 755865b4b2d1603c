/** Search for keys, of one account or of all that the transaction sees, page by page. */
import { sql } from 'kysely';
import type { Rights } from '../../people/accounts/rights.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { StoredKey } from './rows.ts';

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
export type KeyFound = Omit<StoredKey, 'created_at'> & {
  /** Null for a key of the configuration. */
  readonly created_at: Date | null;
  readonly state: KeyState;
  readonly last_used_at: Date | null;
  readonly spent_30d_nano: bigint;
};

/** A key from the configuration, not the database. */
export type ConfiguredKey = {
  readonly account_id: string;
  readonly id: string;
  readonly rights: Rights;
};

const any = sql`true`;

/**
 * Last use is known to the hour, as in the sums; an index has the latest of a key first. `fromFile`: the configured
 * keys that the caller may see.
 */
export async function findKeys(
  db: Db,
  filter: KeyFilter,
  fromFile: readonly ConfiguredKey[],
  after: KeyPlace,
  limit: number,
): Promise<KeyFound[]> {
  const { q, state, account, member, model, expiringBefore } = filter;
  const { rows } = await sql<KeyFound>`
    select k.account_id, k.id, k.member_id, k.parent_id, k.name, k.prefix, k.previous_until, k.rights, k.expires_at,
      k.revoked_at, k.created_at, k.state,
      (select max(h.hour) from usage_hourly h where h.account_id = k.account_id and h.key_id = k.id) as last_used_at,
      (select coalesce(sum(h.cost_nano), 0)::bigint from usage_hourly h
        where h.account_id = k.account_id and h.key_id = k.id and h.hour >= now() - interval '30 days') as spent_30d_nano
    from (
      select *, case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end as state
      from (
        select account_id, id, member_id, parent_id, name, prefix, previous_until, rights, expires_at, revoked_at, created_at
        from keys
        union all
        select account_id, id, null, null, id, '', null, rights, (rights ->> 'expiresAt')::timestamptz, null, null
        from jsonb_to_recordset(${JSON.stringify(fromFile)}::jsonb) as f (account_id text, id text, rights jsonb)
      ) every_key
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
