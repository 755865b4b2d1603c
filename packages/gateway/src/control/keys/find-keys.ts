/** Search for keys, of one account or of all that the transaction sees, page by page. */
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Rights } from '../../people/accounts/rights.ts';
import type { Db } from '../../store/postgres/store.ts';
import { columnsOf, type RowOf } from '../api/shown.ts';
import { type FoundKey, Key, type KeySearch } from './contract.ts';

export type KeyPlace = { readonly accountId: string; readonly id: string };

/** A key from the configuration, not the database. */
export type ConfiguredKey = {
  readonly account_id: string;
  readonly id: string;
  readonly rights: Rights;
};

const any = sql`true`;
const READ = sql.join([...columnsOf(Key), 'expires_at'].map((column) => sql.ref(column)));

/**
 * Last use is known to the hour, as in the sums; an index has the latest of a key first. `fromFile`: the configured
 * keys that the caller may see.
 */
export async function findKeys(
  db: Db,
  filter: Omit<Static<typeof KeySearch>, 'after' | 'limit'>,
  fromFile: readonly ConfiguredKey[],
  after: KeyPlace,
  limit: number,
): Promise<RowOf<typeof FoundKey>[]> {
  const asRows = JSON.stringify(
    fromFile.map((key) => ({ ...key, name: key.id, prefix: '', expires_at: key.rights.expiresAt ?? null })),
  );
  const { q, state, account, member, model, expiringBefore } = filter;
  const { rows } = await sql<RowOf<typeof FoundKey>>`
    select k.*, case when created_at is null then 'file' else 'database' end as source,
      (select max(h.hour) from usage_hourly h where h.account_id = k.account_id and h.key_id = k.id) as last_used_at,
      (select coalesce(sum(h.cost_nano), 0)::bigint from usage_hourly h
        where h.account_id = k.account_id and h.key_id = k.id and h.hour >= now() - interval '30 days') as spent30d_nano
    from (
      select *, case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end as state
      from (select ${READ} from keys union all select ${READ} from jsonb_populate_recordset(null::keys, ${asRows}::jsonb)) every_key
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
