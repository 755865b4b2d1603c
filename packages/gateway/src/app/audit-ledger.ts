/** One run of the ledger audit, for the command line; part of the composition root. */
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { AuditRounds } from '../money/ledger/audit-rounds.ts';
import type { Violation } from '../money/ledger/core/invariants.ts';
import { setBackSince } from '../money/ledger/database-watch.ts';
import { PostgresLedger } from '../money/ledger/postgres-ledger.ts';
import { Store } from '../store/postgres/store.ts';

/** Covers all accounts, however large. */
export async function auditLedger({ database, ledger }: Config): Promise<readonly Violation[]> {
  if (database === undefined) throw new Error('the configuration names no database');
  const store = new Store(database);
  try {
    const violations: Violation[] = [];
    const onViolation = (violation: Violation): void => void violations.push(violation);
    const mostRows = Number.POSITIVE_INFINITY;
    await new AuditRounds({ writer: store.writer, mostRows, onViolation, onTrouble: () => undefined }).round();
    const book = new PostgresLedger(store.writer);
    const says = await setBackSince(book, join(ledger.journal, await book.identity()));
    if (says !== undefined) onViolation({ invariant: 'I14', account: '', says });
    return violations;
  } finally {
    await store.close();
  }
}
