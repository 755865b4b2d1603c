/** Keyset pagination by a selectable column and then by id. The cursor of a page is the id of its last row. */
import { type RawBuilder, sql } from 'kysely';

export type SortedPage = {
  /** A column that is never null. */
  readonly sort: 'id' | 'name' | 'created_at';
  readonly order: 'asc' | 'desc';
  readonly after: string | undefined;
  readonly limit: number;
};

export const contains = (column: string, q: string): RawBuilder<boolean> =>
  sql`position(lower(${q}::text) in lower(coalesce(${sql.ref(column)}, ''))) > 0`;

/**
 * The clauses that select the rows after the cursor: `and`, `order by` and `limit`. `among`: the rows in which the
 * cursor is looked up.
 */
export function followingPlace({ sort, order, after, limit }: SortedPage, among: RawBuilder<unknown>) {
  const column = sort === 'name' ? sql`lower(name)` : sql.ref(sort);
  const [direction, beyond] = [sql.raw(order), sql.raw(order === 'asc' ? '>' : '<')];
  const place =
    after === undefined
      ? sql``
      : sql`and (${column}, id) ${beyond} (select ${column}, id from ${among} and id = ${after})`;
  return sql`${place} order by ${column} ${direction}, id ${direction} limit ${limit}`;
}
