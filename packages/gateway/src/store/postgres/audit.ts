/** The audit log: rows are added in the transaction of the change they tell of, and never changed. */
import { type Selectable, sql } from 'kysely';
import type { Db } from './store.ts';
import type { AuditTable } from './tables.ts';

export type AuditRow = Selectable<AuditTable>;

export type Noted = {
  readonly accountId: string | null;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** Never holds a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
};

export async function appendAudit(db: Db, { accountId, actor, action, subject, detail }: Noted): Promise<void> {
  await db
    .insertInto('audit')
    .values({ account_id: accountId, actor, action, subject, detail: JSON.stringify(detail) })
    .execute();
}

/** The newest first; of one account, or with null of all the transaction sees. */
export const listAudit = (
  db: Db,
  accountId: string | null,
  before: bigint | null,
  limit: number,
): Promise<AuditRow[]> => {
  let query = db
    .selectFrom('audit')
    .select(['id', 'at', 'account_id', 'actor', 'action', 'subject', 'detail'])
    .orderBy('id', 'desc')
    .limit(limit);
  if (accountId !== null) query = query.where('account_id', '=', accountId);
  if (before !== null) query = query.where('id', '<', before);
  return query.execute();
};

/** Ids of entries that were tampered with; the operator's transaction sees all of them. */
export async function auditBreaks(db: Db): Promise<readonly bigint[]> {
  const { rows } = await sql<{ id: bigint }>`select trivium_audit_breaks() as id`.execute(db);
  return rows.map(({ id }) => id);
}
