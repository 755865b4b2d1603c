/** Checks that an account exists: ledger and usage would otherwise create it on first use. */

import type { Store } from '../../store/postgres/store.ts';
import { notFound } from '../api/problem.ts';
import { findAccount } from './rows.ts';

export async function requireAccount(store: Store, accountId: string): Promise<void> {
  const account = await store.within(accountId, (db) => findAccount(db, accountId));
  if (account === undefined) throw notFound('Account', accountId);
}
