/** Each entry carries the hash of the one before it, so that nobody can change one without changing all that follow. */
import type { Entry } from './ledger-state.ts';

export type Unhashed = Omit<Entry, 'hash'>;

/** The text that is hashed. SQL builds the same one; free text comes last, so that no field can pose as another. */
export const chainText = (entry: Unhashed): string =>
  `${entry.previous}|${entry.account}|${entry.sequence}|${entry.id}|${entry.kind}|${entry.debit}|${entry.credit}|${entry.amount}|${entry.priceVersion}|${entry.estimated}|${entry.memo}`;
