/**
 * The entries of one account with the balance after each, by page. Entries never change, so the first and last sequence
 * number define a page.
 */
import { sql } from 'kysely';
import type { Db } from '../../store/postgres/store.ts';

export type LedgerEntry = {
  readonly sequence: bigint;
  readonly at: Date;
  readonly id: string;
  readonly kind: 'deposit' | 'withdrawal' | 'charge';
  /** Negative: debited from the account. */
  readonly nano: bigint;
  readonly estimated: boolean;
  readonly memo: string;
};

/** An account's balance after its entry number `sequence`. */
export type BalanceAt = { readonly sequence: bigint; readonly nano: bigint };

const SIGNED = sql`(case when credit = account_id then amount else -amount end)`;

/** After its last entry. Zero for an account without entries. */
export async function headBalance(db: Db, accountId: string): Promise<BalanceAt> {
  const { rows } = await sql<BalanceAt>`
    select sequence, credit - posted as nano from ledger_accounts where account_id = ${accountId}`.execute(db);
  return rows[0] ?? { sequence: 0n, nano: 0n };
}

/** After the last entry before a time. */
export async function balanceBefore(db: Db, accountId: string, before: Date, head: BalanceAt): Promise<BalanceAt> {
  const sequence = await lastBefore(db, accountId, before, head.sequence);
  if (sequence === head.sequence) return head;
  const { rows } = await sql<{ readonly nano: bigint }>`
    select coalesce(sum(${SIGNED}), 0)::bigint as nano from ledger_entries
    where account_id = ${accountId} and sequence > ${sequence} and sequence <= ${head.sequence}`.execute(db);
  return { sequence, nano: head.nano - (rows[0]?.nano ?? 0n) };
}

/**
 * By bisection over the primary key: an index by time would have to be written with every settlement. Entries are in
 * the order they were written, and their times follow that order except for short moments.
 */
async function lastBefore(db: Db, accountId: string, before: Date, last: bigint): Promise<bigint> {
  let low = 0n;
  let high = last;
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    const { rows } = await sql<{ readonly earlier: boolean }>`
      select at < ${before.toISOString()}::timestamptz as earlier from ledger_entries
      where account_id = ${accountId} and sequence = ${middle}`.execute(db);
    if (rows[0]?.earlier === true) low = middle;
    else high = middle - 1n;
  }
  return low;
}

export type EntrySpan = {
  /** Exclusive lower bound. */
  readonly after: bigint;
  /** Inclusive upper bound. */
  readonly upTo: bigint;
  readonly order: 'newest' | 'oldest';
  readonly limit: number;
};

export async function ledgerEntries(db: Db, accountId: string, span: EntrySpan): Promise<readonly LedgerEntry[]> {
  const { rows } = await sql<LedgerEntry>`
    select sequence, at, id, kind, ${SIGNED} as nano, estimated, memo from ledger_entries
    where account_id = ${accountId} and sequence > ${span.after} and sequence <= ${span.upTo}
    order by sequence ${span.order === 'newest' ? sql`desc` : sql`asc`} limit ${span.limit}`.execute(db);
  return rows;
}
