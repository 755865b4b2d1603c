/** Holds an account's rows against the invariants, as they stand at one moment: the same questions the simulation asks. */
import { createHash } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Account, Entry, Hold, Purse } from './core/book-state.ts';
import { Examination, type Violation } from './core/invariants.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Rows in memory at a time; requests that this process serves meanwhile wait for no more than these. */
const PAGE = 500;

/** Reads every entry and every hold of the account, in pages: for audits, not for requests. */
export function auditAccount<Tables>(
  writer: Kysely<Tables>,
  id: string,
  page: number = PAGE,
): Promise<readonly Violation[]> {
  return writer
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (db) => {
      const [account] = (
        await sql<Account>`
          select account_id as id, kind, overdraft, credit, posted, pending, overrun, sequence::int, head
          from ledger_accounts where account_id = ${id}`.execute(db)
      ).rows;
      if (account === undefined) return [];
      const exam = new Examination(account, sha256);
      for await (const entry of entriesOf(db, id, page)) exam.entry(entry);
      for await (const { hasEntry, ...hold } of holdsOf(db, id, page)) exam.hold(hold, hasEntry);
      const purses = await sql<Purse & { key: string }>`
        select account_id as account, key, scope, span, start_ms::float8 as "startMs", posted, pending
        from ledger_purses where account_id = ${id}`.execute(db);
      for (const { key, ...purse } of purses.rows) exam.purse(key, purse);
      return exam.end();
    });
}

async function* entriesOf<Tables>(db: Transaction<Tables>, account: string, page: number): AsyncGenerator<Entry> {
  for (let after = 0; ; ) {
    const { rows } = await sql<Entry>`
      select account_id as account, sequence::int, id, kind, debit, credit, amount, price_version as "priceVersion", estimated,
        memo, previous, hash from ledger_entries
      where account_id = ${account} and sequence > ${after} order by sequence limit ${page}`.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    after = last.sequence;
  }
}

async function* holdsOf<Tables>(
  db: Transaction<Tables>,
  account: string,
  page: number,
): AsyncGenerator<Hold & { readonly hasEntry: boolean }> {
  for (let after = ''; ; ) {
    const { rows } = await sql<Hold & { hasEntry: boolean }>`
      select account_id as account, id, kind, epoch, lease, granted, drawn, state, checkpoint,
        price_version as "priceVersion", purses, version, recall, idempotency_key as "idempotencyKey", forgone,
        exists (select from ledger_entries e where e.account_id = h.account_id and e.id = h.id) as "hasEntry"
      from ledger_holds h where account_id = ${account} and id > ${after} order by id limit ${page}`.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    after = last.id;
  }
}
