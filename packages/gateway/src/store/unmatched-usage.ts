/**
 * Rows of usage that may say something else than the ledger has charged: of requests whose process died, and of what became
 * known too late to be charged. Each is looked at until the ledger is done with its request; then the row says what it says.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

const MOST_AT_ONCE = 500;

/** Rows and sums change in one statement, or not at all. False when none was to be looked at. */
export async function matchUsage(writer: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ looked: boolean }>`
    with due as (
      select account_id, request_id, listed_at from usage_unmatched where look_at <= now()
      order by look_at limit ${MOST_AT_ONCE} for update skip locked),
    looked as (
      select due.*, u.day, u.cost_nano as told, coalesce(e.amount, 0) as charged, e.price_version,
        u.day is not null and (e.id is not null or coalesce(h.state, 'open') <> 'open') as is_known
      from due
        left join usage_events u on u.account_id = due.account_id and u.request_id = due.request_id
        left join ledger_entries e on e.account_id = due.account_id and e.id = due.request_id
        left join ledger_holds h on h.account_id = due.account_id and h.id = due.request_id),
    matched as (
      update usage_events u
      set cost_nano = charged, price_version = coalesce(u.price_version, looked.price_version)
      from looked
      where is_known and told <> charged and u.request_id = looked.request_id and u.day = looked.day
      returning u.account_id, u.received_at, u.model_id, u.key_id, u.provider, charged - told as more),
    sums as (
      insert into usage_hourly
        (account_id, hour, model_id, key_id, provider, requests, failed, input_tokens, output_tokens, cost_nano)
      select account_id, date_trunc('hour', received_at, 'UTC'), model_id, key_id, coalesce(provider, ''), 0, 0, 0, 0, sum(more)
      from matched group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (account_id, hour, model_id, key_id, provider)
        do update set cost_nano = usage_hourly.cost_nano + excluded.cost_nano),
    -- What nobody hears of for a day was never charged. Until then it is looked at ever more seldom.
    over as (
      delete from usage_unmatched o using looked
      where o.account_id = looked.account_id and o.request_id = looked.request_id
        and (is_known or looked.listed_at < now() - interval '1 day')),
    later as (
      update usage_unmatched o set look_at = now() + greatest(now() - looked.listed_at, interval '5 seconds')
      from looked
      where o.account_id = looked.account_id and o.request_id = looked.request_id
        and not is_known and looked.listed_at >= now() - interval '1 day')
    select exists (select from looked) as looked`.execute(writer);
  return rows[0]?.looked === true;
}
