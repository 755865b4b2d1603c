/** Accounts with money in a database, what is left of it, and bills of a given sum. */
import { sql } from 'kysely';
import type { Bill } from '../../packages/gateway/src/kernel/record.ts';
import { PostgresLedger } from '../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import type { Store } from '../../packages/gateway/src/store/postgres/store.ts';

export async function openPrepaid(store: Store, account: string, credit: bigint): Promise<void> {
  const database = new PostgresLedger(store.writer);
  await database.apply([{ do: 'open-account', account, kind: 'prepaid', overdraft: 0n }]);
  await database.apply([{ do: 'deposit', account, id: 'first', amount: credit, memo: '' }]);
}

/** Charges more than was held, like an upstream that ignores its cap. */
export async function overspend(store: Store, account: string, nano: bigint): Promise<void> {
  const [database, epoch, request] = [new PostgresLedger(store.writer), `spender.${account}`, `overspent-${account}`];
  const prices = { priceVersion: 'v1', memo: '' };
  await database.openAccount(account);
  await database.apply([
    { do: 'register', node: epoch, epoch },
    { do: 'hold', account, request, epoch, amount: 0n, scopes: [], priceVersion: 'v1', idempotencyKey: '' },
    { do: 'settle', account, request, lease: '', cost: nano, estimated: false, ...prices },
  ]);
}

export type Balance = {
  readonly credit: bigint;
  readonly posted: bigint;
  readonly pending: bigint;
  readonly overrun: bigint;
};

export async function balanceOf(store: Store, account: string): Promise<Balance | undefined> {
  const { rows } = await sql<Balance>`
    select credit, posted, pending, overrun from ledger_accounts where account_id = ${account}`.execute(store.writer);
  return rows[0];
}

/** Checkpoints of running requests in the ledger database. */
export async function reachedBy(store: Store, account: string): Promise<bigint> {
  const { rows } = await sql<{ reached: bigint }>`
    select coalesce(sum(checkpoint), 0)::bigint as reached from ledger_holds
    where account_id = ${account} and state = 'open'`.execute(store.writer);
  return rows[0]!.reached;
}

export const bill = (nanoUsd: bigint): Bill => ({
  usage: {},
  estimated: false,
  cost: { lines: [], attoUsd: nanoUsd * 1_000_000_000n, nanoUsd, priceVersion: 'v1', unpriced: [] },
});
