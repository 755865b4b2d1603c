/**
 * Hash chain: each entry carries the hash of the previous one, so that changing one requires changing all that follow.
 */
import type { Entry } from './ledger-state.ts';

export type Unhashed = Omit<Entry, 'hash'>;

/** The text that is hashed; SQL builds the same. Free text comes last, so that no field can be mistaken for another. */
export const chainText = (entry: Unhashed): string =>
  `${entry.previous}|${entry.account}|${entry.sequence}|${entry.id}|${entry.kind}|${entry.debit}|${entry.credit}|${entry.amount}|${entry.priceVersion}|${entry.estimated}|${entry.memo}`;
