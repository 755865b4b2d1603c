/** Rolls up finished hours and days of usage, and again if they have changed since: one day at a time. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { BUCKETS } from '../../money/usage/latency-histogram.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { Tables } from '../../store/postgres/tables.ts';
import { COUNTED, ROLLUP_LEVELS, type RollupLevel, type RollupUnit, SUMMED } from './roll-up-levels.ts';

/** An arbitrary number that nothing else uses. */
const LOCK = sql.lit(7_214_313);
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/**
 * End of the finished hours: an hour after changes to them are listed as late, when every transaction that did not list
 * them has ended.
 */
const OVER = sql`date_trunc('hour', now(), 'UTC') - interval '2 hours'`;

const FIGURES = sql.join([...SUMMED, ...COUNTED].map((name) => sql.ref(name)));

const countsOf = (column: string): RawBuilder<unknown> => {
  const sums = Array.from(
    { length: BUCKETS },
    (_, index) => sql`coalesce(sum(${sql.ref(column)}[${sql.lit(index + 1)}]), 0)::bigint`,
  );
  return sql`case when count(${sql.ref(column)}) > 0 then array[${sql.join(sums)}] end`;
};

const SUMS = sql.join([...SUMMED.map((name) => sql`sum(${sql.ref(name)})::bigint`), ...COUNTED.map(countsOf)]);

/** False if there was nothing to roll up, or another node is doing it. */
export const rollUpUsage = (writer: Kysely<Tables>): Promise<boolean> =>
  writer.transaction().execute(async (db) => {
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as mine`.execute(db);
    if (rows[0]?.mine !== true) return false;
    const { hours, over } = await dueHours(db);
    const [first] = hours;
    if (first === undefined) return false;
    // Before the hours are read: a change listed afterwards stays listed.
    await sql`delete from usage_late_changes where hour = any(${hours})`.execute(db);
    await replace(
      db,
      'hour',
      hours.map((start) => ({ start, until: new Date(start.getTime() + HOUR_MS) })),
    );
    const dayMs = Math.floor(first.getTime() / DAY_MS) * DAY_MS;
    await replace(db, 'day', [{ start: new Date(dayMs), until: new Date(Math.min(dayMs + DAY_MS, over.getTime())) }]);
    return true;
  });

type Span = { readonly start: Date; readonly until: Date };

/** Of the latest day with any: finished hours that were never rolled up, or have changed since. */
async function dueHours(db: Db): Promise<{ readonly hours: readonly Date[]; readonly over: Date }> {
  const { rows } = await sql<{ hour: Date; over: Date }>`
    with due as (
      select hour from generate_series(
        (select date_trunc('day', min(hour), 'UTC') from usage_hourly), ${OVER} - interval '1 hour', interval '1 hour') as hour
      where not exists (select from usage_rollup_spans where unit = 'hour' and start = hour)
      union
      select hour from usage_late_changes where hour < ${OVER})
    select hour, ${OVER} as over from due
    where hour >= (select date_trunc('day', max(hour), 'UTC') from due) order by hour`.execute(db);
  return { hours: rows.map(({ hour }) => hour), over: rows[0]?.over ?? new Date(0) };
}

/** Replaces all levels of these hours or days, in order. */
async function replace(db: Db, unit: RollupUnit, spans: readonly Span[]): Promise<void> {
  const levels = ROLLUP_LEVELS.filter((level) => level.unit === unit);
  const starts = spans.map(({ start }) => start);
  await sql`
    delete from usage_rollups
    where level in (${sql.join(levels.map(({ name }) => name))}) and start = any(${starts})`.execute(db);
  const fromTables = levels.filter(({ source }) => source === undefined);
  const fromLevels = levels.filter(({ source }) => source !== undefined);
  for (const level of [...fromTables, ...fromLevels]) await sumUp(level, spans).execute(db);
  await sql`
    insert into usage_rollup_spans (unit, start, until)
    select ${unit}, * from unnest(${starts}::timestamptz[], ${spans.map(({ until }) => until)}::timestamptz[])
    on conflict (unit, start) do update set until = excluded.until`.execute(db);
}

function sumUp({ name, unit, table, source, dimensions }: RollupLevel, spans: readonly Span[]): RawBuilder<unknown> {
  const columns = sql.join(dimensions.map((dimension) => sql.ref(dimension)));
  const start = source === undefined ? sql`date_trunc(${sql.lit(unit)}, hour, 'UTC')` : sql`start`;
  const rows =
    source === undefined
      ? sql`${sql.table(table)} where hour >= ${spans[0]?.start} and hour < ${spans.at(-1)?.until}`
      : sql`usage_rollups where level = ${source}`;
  return sql`
    insert into usage_rollups (level, start, ${columns}, ${FIGURES})
    select ${sql.lit(name)}, ${start}, ${columns}, ${SUMS}
    from ${rows} and ${start} = any(${spans.map((span) => span.start)})
    group by 2, ${columns}`;
}
