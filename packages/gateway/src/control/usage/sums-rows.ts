/**
 * Sums of usage over accounts, from hourly sums and rollups, and at the edges of the span from single rows. The transaction decides which accounts' rows are
 * read.
 */
import { type RawBuilder, sql } from 'kysely';
import { BUCKETS } from '../../money/usage/latency-histogram.ts';
import type { SpendFilter, SpendGroup, SpendQuestion } from '../../money/usage/spend-question.ts';
import type { SpendSum } from '../../money/usage/spend-sum.ts';
import type { Db } from '../../store/postgres/store.ts';
import { SUMMED } from './roll-up-levels.ts';
import { rowsToSum } from './row-sources.ts';

/** Rows of the previous release do not name the member; a key's member never changes. */
const MEMBER = sql`coalesce(h.member_id,
  (select k.member_id from keys k where k.account_id = h.account_id and k.id = h.key_id), '')`;

const COLUMNS: Readonly<Record<SpendGroup, RawBuilder<unknown>>> = {
  account: sql`h.account_id`,
  member: MEMBER,
  key: sql`h.key_id`,
  model: sql`h.model_id`,
  provider: sql`h.provider`,
  protocol: sql`h.protocol`,
  outcome: sql`h.outcome`,
  lane: sql`h.lane`,
};

/** Text that PostgreSQL cannot store is in no row. */
const plainText = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd');

const filters = (filter: SpendFilter): RawBuilder<unknown>[] =>
  (Object.entries(filter) as [SpendGroup, string][]).map(
    ([name, value]) => sql`${COLUMNS[name]} = ${plainText(value)}`,
  );

const countsOf = (column: string): RawBuilder<unknown> => {
  const sums = Array.from(
    { length: BUCKETS },
    (_, index) => sql`sum(${sql.ref(`h.${column}`)}[${sql.lit(index + 1)}])::bigint`,
  );
  return sql`array[${sql.join(sums)}] as ${sql.ref(column)}`;
};

/**
 * By time, and within it the most expensive first; one row more than the limit if there are more. Run in a transaction
 * of `Store.reading`: a concurrent rollup would otherwise count an hour twice.
 */
export async function sumUsage(
  db: Db,
  question: SpendQuestion,
  limit: number,
  /** Only of these, where the question groups by account. */
  accounts?: readonly string[],
): Promise<readonly SpendSum[]> {
  const { bucket, timeZone, groups, tag, filter, withLatency } = question;
  const columns = [
    ...(bucket === undefined ? [] : [sql`date_trunc(${sql.lit(bucket)}, h.hour, ${timeZone}) as at`]),
    ...groups.map((group) => sql`${COLUMNS[group]} as ${sql.ref(group)}`),
    ...(tag?.isGroup === true ? [sql`h.value as tag`] : []),
  ];
  const figures = [
    ...SUMMED.map((name) => sql`coalesce(sum(${sql.ref(`h.${name}`)}), 0)::bigint as ${sql.ref(name)}`),
    ...(withLatency ? [countsOf('first_token_counts'), countsOf('duration_counts')] : []),
  ];
  const conditions = [
    ...(accounts === undefined ? [] : [sql`h.account_id = any(${accounts})`]),
    ...filters(filter),
    ...(tag === undefined ? [] : [sql`h.tag = ${tag.key}`]),
    ...(tag?.value === undefined ? [] : [sql`h.value = ${plainText(tag.value)}`]),
  ];
  const places = columns.map((_, index) => sql.lit(index + 1));
  const { rows } = await sql<SpendSum>`
    select ${sql.join([...columns, ...figures])}
    from (${await rowsToSum(db, question)}) h
    ${conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`}
    ${places.length === 0 ? sql`` : sql`group by ${sql.join(places)} having sum(h.requests) > 0 or sum(h.refused) > 0 or sum(h.cost_nano) <> 0`}
    order by ${bucket === undefined ? sql`` : sql`at, `} cost_nano desc, requests desc limit ${limit + 1}`.execute(db);
  return rows;
}
