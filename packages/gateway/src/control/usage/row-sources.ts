/**
 * Where a question about usage reads each hour of its span: from a daily rollup, else from an hourly one, else from the
 * hourly table; the parts of hours at its edges from single rows. Hours that changed after they were rolled up, and
 * unfinished ones, are in no rollup: sums are always exact.
 */
import { type RawBuilder, sql } from 'kysely';
import { asksForKinds, type SpendGroup, type SpendQuestion } from '../../money/usage/spend-question.ts';
import { exactSpan, type TimeSpan } from '../../store/postgres/exact-span.ts';
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { edgeRows } from './edge-rows.ts';
import {
  COUNTED,
  DIMENSIONS_OF,
  type Dimension,
  type HourlyTable,
  levelFor,
  type RollupUnit,
  SUMMED,
} from './roll-up-levels.ts';

/** Pairs of start and end in seconds, in order. */
type Pairs = readonly (readonly [number, number])[];

type RolledUp = {
  /** The account that the transaction sees. */
  readonly tenant: string | null;
  readonly days: Pairs;
  readonly hours: Pairs;
};

/** The table with the fewest rows that has all requested columns. */
const tableFor = (question: SpendQuestion): HourlyTable => {
  if (question.tag !== undefined) return 'usage_tag_hourly';
  return asksForKinds(question) ? 'usage_kind_hourly' : 'usage_hourly';
};

/** Selects `hour`, the columns the question names and its figures. */
export async function rowsToSum(db: Db, question: SpendQuestion): Promise<RawBuilder<unknown>> {
  const { withLatency } = question;
  const { hours, edges } = await exactSpan(db, question);
  const rolledUp = await readRolledUp(db, { ...question, ...hours });
  const table = tableFor(question);
  const dimensions = dimensionsOf(question, rolledUp.tenant);
  const columns = sql.join([...dimensions, ...SUMMED, ...(withLatency ? COUNTED : [])].map((name) => sql.ref(name)));
  const parts: RawBuilder<unknown>[] = [];
  let left: readonly TimeSpan[] = hours.fromMs < hours.untilMs ? [hours] : [];
  for (const unit of ['day', 'hour'] as const) {
    const level = levelFor(unit, table, dimensions);
    if (level === undefined) continue;
    const { taken, rest } = takeSpans(left, unit === 'day' ? rolledUp.days : rolledUp.hours);
    left = rest;
    if (taken.length > 0)
      parts.push(sql`
        select start as hour, ${columns} from usage_rollups
        where level = ${level.name} and ${isWithin(sql`start`, taken)}`);
  }
  parts.push(...edges.map((edge) => edgeRows(edge, table, dimensions, withLatency)));
  if (left.length > 0)
    parts.push(sql`select hour, ${columns} from ${sql.table(table)} where ${isWithin(sql`hour`, left)}`);
  return sql.join(parts, sql` union all `);
}

function dimensionsOf({ groups, filter, tag }: SpendQuestion, tenant: string | null): readonly Dimension[] {
  const named = [...groups, ...(Object.keys(filter) as SpendGroup[])].flatMap((name) => DIMENSIONS_OF[name]);
  const own: readonly Dimension[] = tenant === OPERATOR ? [] : ['account_id'];
  const tags: readonly Dimension[] = tag === undefined ? [] : ['tag', 'value'];
  return [...new Set([...named, ...own, ...tags])];
}

/** Spans that lie fully in one bucket of the question, and have not changed since they were rolled up. */
async function readRolledUp(db: Db, { fromMs, untilMs, bucket, timeZone }: SpendQuestion): Promise<RolledUp> {
  const spans = (unit: RollupUnit): RawBuilder<unknown> => sql`
    select array[extract(epoch from s.start), extract(epoch from s.until)]::float8[] from usage_rollup_spans s
    where s.unit = ${sql.lit(unit)} and s.start >= ${new Date(fromMs)} and s.start < ${new Date(untilMs)}
      and not exists (select from usage_late_changes c where c.hour >= s.start and c.hour < s.until)`;
  const isInOneBucket =
    bucket === undefined
      ? sql``
      : sql`and date_trunc(${sql.lit(bucket)}, s.start, ${timeZone})
          = date_trunc(${sql.lit(bucket)}, s.until - interval '1 hour', ${timeZone})`;
  const { rows } = await sql<RolledUp>`
    select current_setting('trivium.tenant', true) as tenant,
      array(${spans('day')} ${isInOneBucket} order by s.start) as days,
      array(${spans('hour')} order by s.start) as hours`.execute(db);
  return rows[0]!;
}

/** Removes from the spans the units that lie fully in one of them. All inputs are sorted. */
function takeSpans(
  spans: readonly TimeSpan[],
  units: Pairs,
): { readonly taken: readonly TimeSpan[]; readonly rest: readonly TimeSpan[] } {
  const taken: TimeSpan[] = [];
  const rest: TimeSpan[] = [];
  for (const { fromMs, untilMs } of spans) {
    let restFromMs = fromMs;
    for (const [startS, endS] of units) {
      const [startMs, endMs] = [startS * 1000, endS * 1000];
      if (startMs < restFromMs || endMs > untilMs) continue;
      if (startMs > restFromMs) rest.push({ fromMs: restFromMs, untilMs: startMs });
      restFromMs = endMs;
      const before = taken.at(-1);
      if (before?.untilMs === startMs) taken[taken.length - 1] = { ...before, untilMs: endMs };
      else taken.push({ fromMs: startMs, untilMs: endMs });
    }
    if (restFromMs < untilMs) rest.push({ fromMs: restFromMs, untilMs });
  }
  return { taken, rest };
}

const isWithin = (column: RawBuilder<unknown>, spans: readonly TimeSpan[]): RawBuilder<unknown> => {
  const each = spans.map(
    ({ fromMs, untilMs }) => sql`(${column} >= ${new Date(fromMs)} and ${column} < ${new Date(untilMs)})`,
  );
  return sql`(${sql.join(each, sql` or `)})`;
};
