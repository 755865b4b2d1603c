/** What the overview needs beyond the usage sums: budgets that are nearly spent, and keys that expire soon. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './store.ts';

/** Name of the key or the member that the scope of a budget names; null for other scopes, and for keys of the configuration. */
export const scopeName = (account: string, scope: string): RawBuilder<unknown> => {
  const [owner, of] = [sql.ref(account), sql.ref(scope)];
  const nameIn = (table: string, prefix: string) => sql`
    when starts_with(${of}, ${sql.lit(`${prefix}:`)})
    then (select name from ${sql.table(table)} s where s.account_id = ${owner} and s.id = substr(${of}, ${sql.lit(prefix.length + 2)}))`;
  return sql`case ${nameIn('keys', 'key')} ${nameIn('members', 'member')} end`;
};

/** By scope; those without a name are left out. */
export async function scopeNames(
  db: Db,
  accountId: string,
  scopes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ readonly scope: string; readonly name: string | null }>`
    select scope, ${scopeName('of.account_id', 'of.scope')} as name
    from (select ${accountId}::text as account_id, unnest(${[...scopes]}::text[]) as scope) as of`.execute(db);
  return new Map(rows.flatMap(({ scope, name }) => (name === null ? [] : [[scope, name]])));
}

export type NearBudget = {
  readonly name: string | null;
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
    select b.account_id, b.scope, ${scopeName('b.account_id', 'b.scope')} as name, b.span, b.most, p.posted, p.pending
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

export type AccountStanding = {
  readonly id: string;
  /** Null: no limit. */
  readonly available: bigint | null;
  readonly budgets: number;
  readonly near: number;
  readonly members: number;
  readonly keys: number;
};

/** Of these accounts: what is left of their credit, and how many budgets, members and keys they have. */
export async function accountStandings(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, AccountStanding>> {
  const { rows } = await sql<AccountStanding>`
    select a.id,
      case when a.kind <> 'unlimited'
        then greatest(coalesce(l.credit + l.overdraft - l.posted - l.pending, 0), 0)::bigint end as available,
      b.budgets, b.near, m.members, k.keys
    from accounts a
    left join ledger_accounts l on l.account_id = a.id
    cross join lateral (
      select count(*)::integer as budgets,
        (count(*) filter (where coalesce(p.posted + p.pending, 0)::numeric >= e.most * 0.8))::integer as near
      from ledger_budgets e
      left join ledger_purses p on p.account_id = e.account_id and p.scope = e.scope and p.span = e.span
        and p.start_ms = case e.span when 'total' then 0
          else (extract(epoch from date_trunc(e.span, now(), 'UTC')) * 1000)::bigint end
      where e.account_id = a.id) b
    cross join lateral (
      select count(*)::integer as members from members where account_id = a.id and removed_at is null) m
    cross join lateral (
      select count(*)::integer as keys from keys
      where account_id = a.id and revoked_at is null and (expires_at is null or expires_at > now())) k
    where a.id = any(${ids})`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
