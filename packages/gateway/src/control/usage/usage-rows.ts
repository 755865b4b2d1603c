/** The usage rows. Storing an event twice leaves one row and one sum: the sums only count newly inserted rows. */
import { sql } from 'kysely';
import type { EncodedEvent } from '../../money/usage/encoded-event.ts';
import { BLAMED_OUTCOMES } from '../../money/usage/outcome-class.ts';
import type { Group, UsageQuestion } from '../../money/usage/question.ts';
import type { PriceVersion } from '../../money/usage/recorder.ts';
import type { StoredUsage, UsageReader, UsageSum } from '../../money/usage/reports.ts';
import { dayOf } from '../../money/usage/request-stamp.ts';
import type { SpendQuestion } from '../../money/usage/spend-question.ts';
import type { Store } from '../../store/postgres/store.ts';
import { rollUpUsage } from './roll-up.ts';
import { rowsToSum } from './row-sources.ts';
import { matchUsage } from './unmatched-rows.ts';

/** Maximum rows of one answer; the latest are left out. */
const MAX_ROWS = 10_000;
const FORGET_ROWS = 5000;
/** Health looks back a day. */
const ATTEMPT_DAYS = 7;

const plainText = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd');

/** UTC, whatever the time zone of the server. */
const midnight = (day: string) => sql`${`${day}T00:00:00Z`}::timestamptz`;

const GROUP_COLUMNS: Readonly<Record<Group, ReturnType<typeof sql>>> = {
  day: sql`(hour at time zone 'UTC')::date as day`,
  hour: sql`hour`,
  model: sql`model_id as model`,
  key: sql`key_id as key`,
  provider: sql`provider`,
};

/** Days are converted to text only after summing: grouping by text takes as long as all the rest. */
const SHOWN_GROUPS: Readonly<Record<Group, ReturnType<typeof sql>>> = {
  day: sql`day::text as day`,
  hour: sql`hour`,
  model: sql`model`,
  key: sql`key`,
  provider: sql`provider`,
};

/** The finer one decides which rollups can answer. */
const TIMES = ['hour', 'day'] as const;

const ALL_TIME = { fromMs: 0, untilMs: Date.UTC(9999, 0) };

export class UsageRows implements UsageReader {
  readonly #store: Store;
  /** Days that already have a partition. */
  readonly #days = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  async store(events: readonly EncodedEvent[]): Promise<void> {
    if (events.length === 0) return;
    for (const day of new Set(events.map(({ receivedAtMs }) => dayOf(receivedAtMs)))) await this.#ensureDay(day);
    const json = `[${events.map((event) => event.json).join(',')}]`;
    await sql`select usage_store(${json}::jsonb, ${BLAMED_OUTCOMES}::jsonb)`.execute(this.#store.writer);
  }

  async #ensureDay(day: string): Promise<void> {
    if (this.#days.has(day)) return;
    await sql`select trivium_usage_day(${day}::date)`.execute(this.#store.writer);
    this.#days.add(day);
  }

  /** `days`: where the row can be, by the time in its id; without them all days are searched. */
  find(
    accountId: string,
    requestId: string,
    days?: { readonly first: string; readonly last: string },
  ): Promise<StoredUsage | undefined> {
    return this.#store.within(accountId, async (db) => {
      const within = days === undefined ? sql`` : sql`and day between ${days.first}::date and ${days.last}::date`;
      const { rows } = await sql<StoredUsage>`
        select request_id, key_id, model_id, provider, protocol, outcome, status, received_at, duration_ms,
          first_byte_ms, cost_nano, estimated, price_version, details
        from usage_events where account_id = ${accountId} and request_id = ${requestId} ${within}`.execute(db);
      return rows[0];
    });
  }

  sums(accountId: string, { from, until, groups, model, key }: UsageQuestion): Promise<readonly UsageSum[]> {
    const columns = sql.join(groups.map((group) => GROUP_COLUMNS[group]));
    const shown = sql.join(groups.map((group) => SHOWN_GROUPS[group]));
    const places = sql.join(groups.map((_group, index) => sql.lit(index + 1)));
    const question: SpendQuestion = {
      fromMs: Date.parse(from),
      untilMs: Date.parse(until),
      bucket: TIMES.find((time) => groups.includes(time)),
      timeZone: 'UTC',
      groups: groups.filter((group) => group !== 'hour' && group !== 'day'),
      filter: { account: accountId, ...(model !== undefined && { model }), ...(key !== undefined && { key }) },
      withLatency: false,
    };
    return this.#store.reading(accountId, async (db) => {
      const { rows } = await sql<UsageSum>`
        select ${shown}, requests, failed, input_tokens, output_tokens, cost_nano from (
          select ${columns}, sum(requests)::bigint as requests, sum(failed)::bigint as failed,
            sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
            sum(cost_nano)::bigint as cost_nano
          from (${await rowsToSum(db, question)}) h
          where account_id = ${accountId}
            ${model === undefined ? sql`` : sql`and model_id = ${plainText(model)}`}
            ${key === undefined ? sql`` : sql`and key_id = ${plainText(key)}`}
          group by ${places}
          -- Groups with only refused requests are not usage.
          having sum(requests) > 0 or sum(cost_nano) <> 0) as sums
        order by ${places} limit ${MAX_ROWS}`.execute(db);
      return rows;
    });
  }

  /** All-time spend in nano-USD, of the account or of one of its keys. */
  spent(accountId: string, keyId?: string): Promise<bigint> {
    const filter = { account: accountId, ...(keyId !== undefined && { key: keyId }) };
    const question = { ...ALL_TIME, bucket: undefined, timeZone: 'UTC', groups: [], filter, withLatency: false };
    return this.#store.reading(accountId, async (db) => {
      const { rows } = await sql<{ nano: bigint }>`
        select coalesce(sum(cost_nano), 0)::bigint as nano from (${await rowsToSum(db, question)}) h
        where account_id = ${accountId} ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}`.execute(db);
      return rows[0]?.nano ?? 0n;
    });
  }

  /** Deletes one day of events, or some rows of old sums; false if there is nothing left to delete. */
  async forgetSome(eventsFrom: string, sumsFrom: string): Promise<boolean> {
    const { writer } = this.#store;
    const day = await sql<{
      name: string | null;
    }>`select trivium_forget_usage_day(${eventsFrom}::date) as name`.execute(writer);
    if (day.rows[0]?.name != null) return true;
    await sql`delete from provider_attempts where at < now() - make_interval(days => ${ATTEMPT_DAYS})`.execute(writer);
    await sql`delete from request_totals where hour < ${midnight(sumsFrom)}`.execute(writer);
    // Before the sums they are computed from, so that no rollup outlives them.
    await sql`delete from usage_rollup_spans where start < ${midnight(sumsFrom)}`.execute(writer);
    await sql`delete from usage_rollups where start < ${midnight(sumsFrom)}`.execute(writer);
    const forgotten = [
      await this.#forgetSums('usage_hourly', sumsFrom),
      await this.#forgetSums('usage_tag_hourly', sumsFrom),
      await this.#forgetSums('usage_kind_hourly', sumsFrom),
    ];
    return forgotten.some((rows) => rows > 0n);
  }

  async #forgetSums(table: string, from: string): Promise<bigint> {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid in (
        select ctid from ${sql.table(table)} where hour < ${midnight(from)} limit ${FORGET_ROWS})`.execute(
      this.#store.writer,
    );
    return numAffectedRows;
  }

  matchSome(): Promise<boolean> {
    return matchUsage(this.#store.writer);
  }

  rollUpSome(): Promise<boolean> {
    return rollUpUsage(this.#store.writer);
  }

  /** Stores for good the prices that a version stands for. */
  async keepPrices(versions: readonly PriceVersion[]): Promise<void> {
    if (versions.length === 0) return;
    await sql`insert into price_versions (version, rows)
      select * from unnest(${versions.map(({ version }) => version)}::text[], ${versions.map(({ rows }) => rows)}::jsonb[])
      on conflict (version) do nothing`.execute(this.#store.writer);
  }
}
