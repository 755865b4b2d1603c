/** Runs of settles as a node posts them, as the role that writes: refused ones among them, many at once, and from several nodes. */
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postInParts } from '../../packages/gateway/src/money/ledger/apply-in-parts.ts';
import { auditAccount } from '../../packages/gateway/src/money/ledger/audit.ts';
import type { Command, Settle } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import type { LedgerDatabase } from '../../packages/gateway/src/money/ledger/ledger-database.ts';
import { PostgresLedger } from '../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { balanceOf, openPrepaid } from './money-stand.ts';

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const settle = (account: string, request: string, cost: bigint, lease = 'l1'): Settle => ({
  do: 'settle',
  account,
  request,
  lease,
  cost,
  priceVersion: 'v1',
  estimated: false,
  memo: 'v1',
});

async function openLeased(account: string, credit: bigint, wanted: bigint): Promise<LedgerDatabase> {
  await openPrepaid(store, account, credit);
  const ledgerDatabase = new PostgresLedger(store.writer);
  await ledgerDatabase.apply([
    { do: 'register', node: account, epoch: account },
    { do: 'lease', account, lease: 'l1', epoch: account, wanted, least: 1n, scopes: [] },
  ]);
  return ledgerDatabase;
}

const requestsOf = async (account: string): Promise<readonly string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from ledger_entries where account_id = ${account} and kind = 'charge' order by sequence`.execute(
    store.writer,
  );
  return rows.map(({ id }) => id);
};

test('in a refused run only the refused settle is parked; the others are posted in order', async () => {
  const ledgerDatabase = await openLeased('refused', 100_000n, 10_000n);
  const tooMuch = (1n << 62n) - 1n;
  const run = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => settle('refused', `r${number}`, 10n));
  run.splice(5, 0, settle('refused', 'out-of-range', 1n << 63n));
  run.splice(2, 0, ...['dear-1', 'dear-2', 'dear-3'].map((request) => settle('refused', request, tooMuch)));
  const troubles: unknown[] = [];
  const results = await postInParts(ledgerDatabase, run, (error) => void troubles.push(error));
  expect(results).toHaveLength(run.length);
  const { rows } = await sql<{ request: string }>`
    select command::jsonb ->> 'request' as request from ledger_parked order by parked_at`.execute(store.writer);
  // One such sum fits into the account's columns, two do not.
  expect(rows.map(({ request }) => request)).toEqual(['dear-2', 'dear-3', 'out-of-range']);
  expect(await requestsOf('refused')).toEqual(['r1', 'r2', 'dear-1', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8']);
  expect(troubles).toHaveLength(rows.length);
  expect(await auditAccount(store.writer, 'refused')).toEqual([]);
});

test('a thousand settles in one batch are one update of the account, and count once when sent twice', async () => {
  const ledgerDatabase = await openLeased('thousand', 10_000_000n, 1_000_000n);
  const run = Array.from({ length: 1_024 }, (_, number) => settle('thousand', `r${number}`, BigInt(number % 7)));
  const cost = run.reduce((sum, each) => sum + each.cost, 0n);
  for (let time = 0; time < 2; time++)
    expect((await ledgerDatabase.apply(run)).every(({ is }) => is === 'done')).toBe(true);
  expect(await balanceOf(store, 'thousand')).toMatchObject({ posted: cost, pending: 1_000_000n - cost, overrun: 0n });
  expect(await requestsOf('thousand')).toEqual(run.filter((each) => each.cost > 0n).map(({ request }) => request));
  expect(await auditAccount(store.writer, 'thousand')).toEqual([]);
});

test('the same runs from two nodes at once are charged once', async () => {
  const ledgerDatabase = await openLeased('shared', 10_000_000n, 1_000_000n);
  const runs = Array.from({ length: 8 }, (_, run) =>
    Array.from({ length: 60 }, (_, number) => settle('shared', `r${run * 30 + number}`, 100n)),
  );
  await Promise.all([...runs, ...runs.toReversed()].map((run) => ledgerDatabase.apply(run)));
  const requests = await requestsOf('shared');
  expect(requests).toHaveLength(270);
  expect(await balanceOf(store, 'shared')).toMatchObject({ posted: 27_000n, pending: 973_000n, overrun: 0n });
  expect(await auditAccount(store.writer, 'shared')).toEqual([]);
});

const toJson = (run: readonly Command[]): string =>
  JSON.stringify(run, (_, value) => (typeof value === 'bigint' ? `${value}` : value));

const READ = `select relname, (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables
  where relname in ('ledger_accounts', 'ledger_holds', 'ledger_entries', 'ledger_purses')`;

/** Rolled back. Which plans the session made while the tables were small is part of the question. */
async function rowsRead(session: Client, run: readonly Settle[]): Promise<ReadonlyMap<string, number>> {
  await session.query('begin');
  try {
    const before = await session.query(READ);
    const { rows: applied } = await session.query('select ledger_apply($1) as results', [toJson(run)]);
    expect(applied[0].results).toHaveLength(run.length);
    const after = await session.query(READ);
    const earlier = new Map(before.rows.map(({ relname, read }) => [relname, read]));
    return new Map(after.rows.map(({ relname, read }) => [relname, read - (earlier.get(relname) ?? 0)]));
  } finally {
    await session.query('rollback');
  }
}

test('a run reads rows by their keys, whatever the size of the tables', async () => {
  // Of its own, so that the session plans for tables that are as good as empty, and keeps its plans.
  const young = await freshDatabase();
  const session = new Client({ connectionString: young.url });
  await session.connect();
  try {
    for (const table of ['ledger_accounts', 'ledger_holds', 'ledger_entries', 'ledger_purses'])
      await session.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await session.query('select ledger_apply($1)', [
      toJson([
        { do: 'register', node: 'n', epoch: 'e' },
        { do: 'open-account', account: 'a', kind: 'prepaid', overdraft: 0n },
        { do: 'deposit', account: 'a', id: 'first', amount: 1_000_000n, memo: '' },
        { do: 'lease', account: 'a', lease: 'l1', epoch: 'e', wanted: 100_000n, least: 1n, scopes: [] },
      ]),
    ]);
    // A plan for any run is made early, and taken once runs are larger than it was made for.
    for (const length of [3, 4, 8, 16, 32])
      for (let call = 0; call < 60; call++) {
        const few = Array.from({ length }, (_, number) => settle('a', `${length}-${call}-${number}`, 1n));
        await session.query('select ledger_apply($1)', [toJson(few)]);
      }
    await session.query(`insert into ledger_holds (account_id, id, kind, epoch, granted, state, lease)
      select 'a', 'old-' || n, 'request', '', 0, case when n % 100 = 0 then 'open' else 'settled' end, 'l1'
      from generate_series(1, 20000) n`);
    await session.query(`insert into ledger_purses (account_id, key, scope, span, start_ms)
      select 'a', 'key:' || n, 'key:' || n, 'total', 0 from generate_series(1, 5000) n`);
    await session.query(`insert into ledger_entries (account_id, sequence, id, kind, debit, credit, amount, previous, hash)
      select 'a', 1000000 + n, 'past-' || n, 'charge', 'a', 'house:revenue', 1, '', '' from generate_series(1, 20000) n`);
    const run = Array.from({ length: 300 }, (_, number) =>
      settle('a', number % 3 === 0 ? `old-${(number % 200) * 100 + 100}` : `new-${number}`, 1n),
    );
    const read = await rowsRead(session, run);
    expect(read.size).toBe(4);
    for (const [table, rows] of read) expect(rows, table).toBeLessThan(run.length * 10);
  } finally {
    await session.end();
    await young.drop();
  }
});
