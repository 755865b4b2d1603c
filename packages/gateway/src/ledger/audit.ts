/** Holds an account's rows against the invariants, as they stand at one moment: the same questions the simulation asks. */
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { type Account, type Book, type Entry, emptyBook, type Hold, keyOf, type Purse } from './core/book-state.ts';
import { type Violation, violationsOf } from './core/invariants.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Reads every entry of the account: for audits, not for requests. */
export async function auditAccount<Tables>(writer: Kysely<Tables>, account: string): Promise<readonly Violation[]> {
  return violationsOf(await readBook(writer, account));
}

async function readBook<Tables>(writer: Kysely<Tables>, account: string): Promise<Book> {
  const book = emptyBook(sha256);
  await writer
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (db) => {
      const accounts = await sql<Account>`
        select account_id as id, kind, overdraft, credit, posted, pending, overrun, sequence::int, head
        from ledger_accounts where account_id = ${account}`.execute(db);
      for (const row of accounts.rows) book.accounts.set(row.id, row);
      const entries = await sql<Entry>`
        select account_id as account, sequence::int, id, kind, debit, credit, amount, price_version as "priceVersion", estimated,
          memo, previous, hash from ledger_entries where account_id = ${account} order by sequence`.execute(db);
      for (const row of entries.rows) book.entries.set(keyOf(account, row.id), row);
      const holds = await sql<Hold>`
        select account_id as account, id, kind, epoch, lease, granted, drawn, state, checkpoint,
          price_version as "priceVersion", purses, version, recall, idempotency_key as "idempotencyKey", forgone
        from ledger_holds where account_id = ${account} order by number`.execute(db);
      for (const row of holds.rows) book.holds.set(keyOf(account, row.id), row);
      const purses = await sql<Purse & { key: string }>`
        select account_id as account, key, scope, span, start_ms::float8 as "startMs", posted, pending
        from ledger_purses where account_id = ${account}`.execute(db);
      for (const { key, ...row } of purses.rows) book.purses.set(key, row);
    });
  return book;
}
