/** One round of the ledger's audit for whoever asks on the command line; part of the composition root. */
import type { Config } from './config/config.ts';
import { AuditRounds } from './ledger/audit-rounds.ts';
import type { Violation } from './ledger/core/invariants.ts';
import { Store } from './store/store.ts';

export type LedgerVerdict = {
  readonly violations: readonly Violation[];
  /** Accounts too large to be read for this. */
  readonly unaudited: number;
};

export async function auditLedger({ database }: Config): Promise<LedgerVerdict> {
  if (database === undefined) throw new Error('the configuration names no database');
  const store = new Store(database);
  try {
    const violations: Violation[] = [];
    const onViolation = (violation: Violation): void => void violations.push(violation);
    const rounds = new AuditRounds({ writer: store.writer, onViolation, onTrouble: () => undefined });
    await rounds.round();
    return { violations, unaudited: rounds.unaudited };
  } finally {
    await store.close();
  }
}
