/** What the overview needs beyond the usage sums: budgets that are nearly spent, and keys that expire soon. */
import { sql } from 'kysely';
import type { Db } from './store.ts';

export type NearBudget = {
  readonly account_id: string;
  readonly scope: string;
  readonly span: string;
  readonly most: bigint;
  readonly posted: bigint;
  readonly pending: bigint;
};

/** Of those that the transaction sees, the fullest first. */
export async function budgetsNearestEnd(db: Db, limit: number): Promise<readonly NearBudget[]> {
  const { rows } = await sql<NearBudget>`
    select b.account_id, b.scope, b.span, b.most, p.posted, p.pending
    from ledger_budgets b
    join ledger_purses p on p.account_id = b.account_id and p.scope = b.scope and p.span = b.span
      and p.start_ms = case b.span when 'total' then 0
        else (extract(epoch from date_trunc(b.span, now(), 'UTC')) * 1000)::bigint end
    where p.posted > 0
    order by p.posted::numeric / greatest(b.most, 1) desc, b.account_id, b.scope, b.span limit ${limit}`.execute(db);
  return rows;
}

export type EndingKey = {
  readonly account_id: string;
  readonly id: string;
  readonly name: string;
  readonly expires_at: Date;
};

export async function keysEndingWithin(db: Db, days: number, limit: number): Promise<readonly EndingKey[]> {
  const { rows } = await sql<EndingKey>`
    select account_id, id, name, expires_at from keys
    where revoked_at is null and expires_at > now() and expires_at <= now() + make_interval(days => ${days})
    order by expires_at limit ${limit}`.execute(db);
  return rows;
}
