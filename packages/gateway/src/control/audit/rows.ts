/** The audit log: rows are inserted in the transaction of the change they record, and never updated. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../store/postgres/store.ts';
import type { AuditTable } from '../../store/postgres/tables.ts';

export type AuditRow = Selectable<AuditTable>;

export type AuditFilter = {
  readonly account?: string | undefined;
  readonly actor?: string | undefined;
  /** A trailing `*` matches any suffix. */
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  /** Substring of the subject, the action or the detail. */
  readonly q?: string | undefined;
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
};

/** Newest first, of all entries that the transaction sees. */
export async function listAudit(
  db: Db,
  { account, actor, action, subject, q, from, until }: AuditFilter,
  before: bigint | null,
  limit: number,
): Promise<readonly AuditRow[]> {
  const any = sql``;
  const { rows } = await sql<AuditRow>`
    select id, at, account_id, actor, action, subject, detail from audit where true
      ${account === undefined ? any : sql`and account_id = ${account}`}
      ${actor === undefined ? any : sql`and actor = ${actor}`}
      ${action === undefined ? any : action.endsWith('*') ? sql`and starts_with(action, ${action.slice(0, -1)})` : sql`and action = ${action}`}
      ${subject === undefined ? any : sql`and subject = ${subject}`}
      ${q === undefined ? any : sql`and position(lower(${q}::text) in lower(subject || ' ' || action || ' ' || detail::text)) > 0`}
      ${from === undefined ? any : sql`and at >= ${from.toISOString()}::timestamptz`}
      ${until === undefined ? any : sql`and at < ${until.toISOString()}::timestamptz`}
      ${before === null ? any : sql`and id < ${before}`}
    order by id desc limit ${limit}`.execute(db);
  return rows;
}

/** Of those that the transaction sees. */
export const findAudit = (db: Db, id: bigint): Promise<AuditRow | undefined> =>
  db
    .selectFrom('audit')
    .select(['id', 'at', 'account_id', 'actor', 'action', 'subject', 'detail'])
    .where('id', '=', id)
    .executeTakeFirst();

/** Ids of entries that were tampered with; the operator's transaction sees all of them. */
export async function auditBreaks(db: Db): Promise<readonly bigint[]> {
  const { rows } = await sql<{ id: bigint }>`select trivium_audit_breaks() as id`.execute(db);
  return rows.map(({ id }) => id);
}
