/**
 * Usage rows that may differ from what the ledger has charged: of requests whose process died, and of corrections after
 * a hold was closed. Each is checked until the ledger is done with its request; then the row gets the charged amount.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { daysAround, stampOf } from '../../money/usage/request-stamp.ts';
import type { Tables } from '../../store/postgres/tables.ts';
import { SUMMED } from './roll-up-levels.ts';

const MOST_AT_ONCE = 500;

export type Due = { readonly account_id: string; readonly request_id: string; readonly listed_at: Date };

/** False if no row was due. */
export const matchUsage = (writer: Kysely<Tables>): Promise<boolean> =>
  writer.transaction().execute(async (db) => {
    const { rows } = await sql<Due>`
      select account_id, request_id, listed_at from usage_unmatched where look_at <= now()
      order by look_at limit ${MOST_AT_ONCE} for update skip locked`.execute(db);
    if (rows.length > 0) await matching(rows).execute(db);
    return rows.length > 0;
  });

/** Time of receipt: at most the time it was listed; for ids without a time, the time it was listed. */
const receivedMs = ({ request_id, listed_at }: Due): number =>
  Math.min(stampOf(request_id) ?? Number.POSITIVE_INFINITY, listed_at.getTime());

/** All days on which one of the rows can be. */
const daysOf = (due: readonly Due[]): readonly string[] => [
  ...new Set(due.flatMap((one) => daysAround(receivedMs(one)))),
];

const UNCHANGED = SUMMED.filter((name) => name !== 'cost_nano');
/** The request was counted before: only its cost changes. */
const NO_COUNTS = {
  names: sql.join(UNCHANGED.map((name) => sql.ref(name))),
  values: sql.join(UNCHANGED.map(() => sql.lit(0))),
};

/** Updates rows and sums in one statement. It names the days, so that PostgreSQL skips all other partitions. */
export function matching(due: readonly Due[]): RawBuilder<unknown> {
  const days = daysOf(due);
  const accounts = due.map(({ account_id }) => account_id);
  const requests = due.map(({ request_id }) => request_id);
  return sql`
    with due as (
      select account_id, request_id, listed_at from usage_unmatched
      where (account_id, request_id) in (select * from unnest(${accounts}::text[], ${requests}::text[]))),
    looked as (
      select due.*, u.day, u.cost_nano as told, coalesce(e.price_version, c.price_version) as price_version,
        coalesce(e.amount, 0) + coalesce(case c.debit when due.account_id then c.amount else -c.amount end, 0) as charged,
        u.day is not null and (e.id is not null or coalesce(h.state, 'open') <> 'open') as is_known
      from due
        left join usage_events u on u.account_id = due.account_id and u.request_id = due.request_id
          and u.day = any(${days}::date[])
        left join ledger_entries e on e.account_id = due.account_id and e.id = due.request_id
        left join ledger_entries c on c.account_id = due.account_id and c.id = 'correction:' || due.request_id
        left join ledger_holds h on h.account_id = due.account_id and h.id = due.request_id),
    matched as (
      update usage_events u
      set cost_nano = charged, price_version = coalesce(u.price_version, looked.price_version)
      from looked
      where is_known and told <> charged and u.request_id = looked.request_id and u.day = looked.day
        and u.day = any(${days}::date[])
      returning u.account_id, date_trunc('hour', u.received_at, 'UTC') as hour, u.model_id, u.key_id,
        coalesce(u.provider, '') as provider, u.protocol, u.outcome, coalesce(u.lane, '') as lane, u.member_id,
        u.details -> 'tags' as tags, charged - told as more),
    sums as (
      insert into usage_hourly
        (account_id, hour, model_id, key_id, provider, requests, failed, input_tokens, output_tokens, cost_nano, member_id)
      select account_id, hour, model_id, key_id, provider, 0, 0, 0, 0, sum(more), max(member_id)
      from matched group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (account_id, hour, model_id, key_id, provider)
        do update set cost_nano = usage_hourly.cost_nano + excluded.cost_nano),
    tag_sums as (
      insert into usage_tag_hourly (account_id, hour, tag, value, model_id, key_id, provider, member_id, cost_nano, ${NO_COUNTS.names})
      select account_id, hour, tag.key, trivium_tag_value(account_id, tag.key, tag.value), model_id, key_id, provider, max(member_id),
        sum(more), ${NO_COUNTS.values}
      from matched, jsonb_each_text(tags) as tag group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
      on conflict (account_id, hour, tag, value, model_id, key_id, provider)
        do update set cost_nano = usage_tag_hourly.cost_nano + excluded.cost_nano),
    kind_sums as (
      insert into usage_kind_hourly
        (account_id, hour, protocol, outcome, lane, model_id, key_id, provider, member_id, cost_nano, ${NO_COUNTS.names})
      select account_id, hour, protocol, outcome, lane, model_id, key_id, provider, max(member_id), sum(more), ${NO_COUNTS.values}
      from matched group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8
      on conflict (account_id, hour, protocol, outcome, lane, model_id, key_id, provider)
        do update set cost_nano = usage_kind_hourly.cost_nano + excluded.cost_nano),
    -- A request unknown to the ledger for a day was never charged. Until then it is checked at growing intervals.
    over as (
      delete from usage_unmatched o using looked
      where o.account_id = looked.account_id and o.request_id = looked.request_id
        and (is_known or looked.listed_at < now() - interval '1 day')),
    later as (
      update usage_unmatched o set look_at = now() + greatest(now() - looked.listed_at, interval '5 seconds')
      from looked
      where o.account_id = looked.account_id and o.request_id = looked.request_id
        and not is_known and looked.listed_at >= now() - interval '1 day')
    select from looked`;
}
