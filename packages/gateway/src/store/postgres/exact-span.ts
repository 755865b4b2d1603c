/**
 * A span as whole hours, which sums answer, and the parts of hours at its edges, which single rows answer. An hour that
 * lasts is whole: all its rows are in its sum. So is an hour whose rows have been deleted: its edge is rounded.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './store.ts';

export type TimeSpan = { readonly fromMs: number; readonly untilMs: number };

export type ExactSpan = { readonly hours: TimeSpan; readonly edges: readonly TimeSpan[] };

const HOUR_MS = 3_600_000;
const floored = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;
const ceiled = (ms: number): number => Math.ceil(ms / HOUR_MS) * HOUR_MS;

/** `keptFromMs`: since when there are single rows. */
export function divide({ fromMs, untilMs }: TimeSpan, nowMs: number, keptFromMs: number): ExactSpan {
  const firstMs = fromMs < keptFromMs ? floored(fromMs) : ceiled(fromMs);
  const lastMs = untilMs >= nowMs || untilMs <= keptFromMs ? ceiled(untilMs) : floored(untilMs);
  if (firstMs > lastMs) return { hours: { fromMs: firstMs, untilMs: firstMs }, edges: [{ fromMs, untilMs }] };
  const edges = [
    { fromMs, untilMs: firstMs },
    { fromMs: lastMs, untilMs },
  ];
  return { hours: { fromMs: firstMs, untilMs: lastMs }, edges: edges.filter((edge) => edge.fromMs < edge.untilMs) };
}

/** Asks the database only if an edge is within an hour. */
export async function exactSpan(db: Db, span: TimeSpan): Promise<ExactSpan> {
  const { fromMs, untilMs } = span;
  if (fromMs % HOUR_MS === 0 && untilMs % HOUR_MS === 0) return { hours: span, edges: [] };
  const { rows } = await sql<{ now: Date; kept: string | null }>`
    select now(), (
      select to_char(to_date(min(right(c.relname, 8)), 'YYYYMMDD'), 'YYYY-MM-DD')
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'usage_events'::regclass) as kept`.execute(
    db,
  );
  const { now, kept } = rows[0]!;
  return divide(span, now.getTime(), kept === null ? now.getTime() : Date.parse(kept));
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Single rows of these spans. Names the days, so that PostgreSQL skips all other partitions. */
export const isInSpans = (spans: readonly TimeSpan[]): RawBuilder<unknown> => {
  const each = spans.map(
    ({ fromMs, untilMs }) => sql`(day between ${dayOf(fromMs)}::date and ${dayOf(untilMs)}::date
      and received_at >= ${new Date(fromMs)} and received_at < ${new Date(untilMs)})`,
  );
  return sql`(${sql.join(each, sql` or `)})`;
};
