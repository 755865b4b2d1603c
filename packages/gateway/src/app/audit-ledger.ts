/** One run of the ledger audit, for the command line; part of the composition root. */
import type { Config } from '../config/config.ts';
import { AuditRounds } from '../ledger/audit-rounds.ts';
import type { Violation } from '../ledger/core/invariants.ts';
import { Store } from '../store/postgres/store.ts';

/** Covers all accounts, however large. */
export async function auditLedger({ database }: Config): Promise<readonly Violation[]> {
  if (database === undefined) throw new Error('the configuration names no database');
  const store = new Store(database);
  try {
    const violations: Violation[] = [];
    const onViolation = (violation: Violation): void => void violations.push(violation);
    const mostRows = Number.POSITIVE_INFINITY;
    await new AuditRounds({ writer: store.writer, mostRows, onViolation, onTrouble: () => undefined }).round();
    return violations;
  } finally {
    await store.close();
  }
}
