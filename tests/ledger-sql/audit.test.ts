/** The audit reads accounts of any size, a page at a time, and overlooks nothing between two pages. */
import { type Config, loadConfig } from '@trivium/gateway';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditLedger } from '../../packages/gateway/src/audit-ledger.ts';
import { auditAccount } from '../../packages/gateway/src/ledger/audit.ts';
import { AuditRounds } from '../../packages/gateway/src/ledger/audit-rounds.ts';
import type { Command } from '../../packages/gateway/src/ledger/core/commands.ts';
import { SqlBook } from '../../packages/gateway/src/ledger/sql-book.ts';
import { Store } from '../../packages/gateway/src/store/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { openPrepaid } from './money-stand.ts';

const REQUESTS = 12;
const PAGE = 5;

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  await openPrepaid(store, 'large', 1_000_000n);
  const figures = { account: 'large', priceVersion: 'v1' };
  const of = (number: number): Command[] => {
    const request = `r${number}`;
    const hold = { do: 'hold', ...figures, request, epoch: 'e', amount: 100n, scopes: [], idempotencyKey: '' } as const;
    const settle = { do: 'settle', ...figures, request, lease: '', cost: 90n, estimated: false, memo: '' } as const;
    return number === REQUESTS ? [hold] : [hold, settle];
  };
  const requests = Array.from({ length: REQUESTS }, (_, index) => of(index + 1));
  await new SqlBook(store.writer).apply([{ do: 'register', node: 'n', epoch: 'e' }, ...requests.flat()]);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** Past all locks, as whoever owns the tables can. */
async function tamper(statement: string): Promise<void> {
  const owner = new Client({ connectionString: database.url });
  await owner.connect();
  try {
    await owner.query(`set session_replication_role = replica; ${statement}`);
  } finally {
    await owner.end();
  }
}

const found = async (page: number): Promise<readonly string[]> =>
  (await auditAccount(store.writer, 'large', page)).map(({ invariant, says }) => `${invariant}: ${says}`);

test('however few rows are read at a time, right books are right', async () => {
  for (const page of [1, PAGE, REQUESTS, 500]) expect(await found(page)).toEqual([]);
});

test('an entry and a hold that were changed are found on whichever page they are', async () => {
  await tamper(
    "update ledger_entries set amount = amount + 1 where sequence = 11; update ledger_holds set state = 'released' where id = 'r9'",
  );
  const wrong = await found(500);
  expect(wrong).toEqual(
    expect.arrayContaining(['I10: entry 11 was changed', 'I5: hold r9 is released and has an entry']),
  );
  for (const page of [1, PAGE]) expect((await found(page)).toSorted()).toEqual(wrong.toSorted());
  await tamper(
    "update ledger_entries set amount = amount - 1 where sequence = 11; update ledger_holds set state = 'settled' where id = 'r9'",
  );
});

test('the hourly round counts accounts that are too large for it; whoever asks for all of them gets all', async () => {
  await sql`update ledger_accounts set sequence = 100001 where account_id = 'large'`.execute(store.writer);
  const said: string[] = [];
  const rounds = new AuditRounds({
    writer: store.writer,
    onViolation: ({ says }) => void said.push(says),
    onTrouble: () => undefined,
  });
  await rounds.round();
  expect({ said, unaudited: rounds.unaudited }).toEqual({ said: [], unaudited: 1 });
  const outcome = loadConfig({ text: JSON.stringify({ keys: [], database: { url: database.url } }), env: {} });
  const all = await auditLedger((outcome as { config: Config }).config);
  expect(all).toEqual([{ invariant: 'I10', account: 'large', says: 'the account does not end with its last entry' }]);
});
