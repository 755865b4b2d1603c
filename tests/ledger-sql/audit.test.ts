/** The audit reads accounts of any size, a page at a time, and misses nothing between two pages. */
import { type Config, loadConfig } from '@trivium/gateway';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { auditLedger } from '../../packages/gateway/src/app/audit-ledger.ts';
import { AccountAudit, auditAccount } from '../../packages/gateway/src/money/ledger/audit.ts';
import { AuditRounds } from '../../packages/gateway/src/money/ledger/audit-rounds.ts';
import type { Command } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import type { Violation } from '../../packages/gateway/src/money/ledger/core/invariants.ts';
import { PostgresLedger } from '../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { openPrepaid } from './money-stand.ts';

const REQUESTS = 12;
const PAGE = 5;

/** A request that is held for and settled. */
const charged = (request: string): Command[] => {
  const figures = { account: 'large', request, priceVersion: 'v1' };
  return [
    { do: 'hold', ...figures, epoch: 'e', amount: 100n, scopes: [], idempotencyKey: '' },
    { do: 'settle', ...figures, lease: '', cost: 90n, estimated: false, memo: '' },
  ];
};

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  await openPrepaid(store, 'large', 1_000_000n);
  const requests = Array.from({ length: REQUESTS - 1 }, (_, index) => charged(`r${index + 1}`));
  requests.push(charged(`r${REQUESTS}`).slice(0, 1));
  await new PostgresLedger(store.writer).apply([{ do: 'register', node: 'n', epoch: 'e' }, ...requests.flat()]);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** Bypasses all protection, as the owner of the tables can. */
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

test('a correct ledger passes the audit with any page size', async () => {
  for (const page of [1, PAGE, REQUESTS, 500]) expect(await found(page)).toEqual([]);
});

test('a changed entry and a changed hold are found on any page', async () => {
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

const roundsOf = (mostRows: number) => {
  const said: string[] = [];
  const onViolation = ({ invariant, says }: Violation) => void said.push(`${invariant}: ${says}`);
  const ports = { writer: store.writer, mostRows, rowPage: 2, onViolation, onTrouble: () => undefined };
  return { said, rounds: new AuditRounds(ports) };
};

test('an account too large for one round is continued in the next, from where it stopped', async () => {
  const { said, rounds } = roundsOf(PAGE);
  const left: number[] = [];
  // 12 entries and 11 closed holds, five at a time.
  for (let round = 1; round <= 5; round++) {
    await rounds.round();
    left.push(rounds.unaudited);
    // Rows added meanwhile are included.
    if (round === 1) await new PostgresLedger(store.writer).apply(charged('r0'));
    if (round === 1) await tamper('update ledger_entries set amount = amount + 1 where sequence = 11');
  }
  expect({ left, violations: rounds.violations }).toEqual({ left: [1, 1, 1, 1, 0], violations: 2 });
  const wrong = (await found(500)).toSorted();
  expect(said.toSorted()).toEqual(wrong);
  expect(wrong).toEqual(['I10: entry 11 was changed', expect.stringContaining('I2: posted')]);
  // The next audit has begun, and the findings of the last one are kept until it ends.
  await rounds.round();
  expect({ unaudited: rounds.unaudited, violations: rounds.violations }).toEqual({ unaudited: 1, violations: 2 });
  await tamper('update ledger_entries set amount = amount - 1 where sequence = 11');
});

test('an account that fits is audited in one round, and so are all accounts in a full audit', async () => {
  await sql`update ledger_accounts set sequence = sequence + 1 where account_id = 'large'`.execute(store.writer);
  const wrong = { invariant: 'I10', account: 'large', says: 'the account does not end with its last entry' };
  const { said, rounds } = roundsOf(1000);
  await rounds.round();
  expect({ said, unaudited: rounds.unaudited }).toEqual({ said: [`I10: ${wrong.says}`], unaudited: 0 });
  const outcome = loadConfig({ text: JSON.stringify({ keys: [], database: { url: database.url } }), env: {} });
  expect(await auditLedger((outcome as { config: Config }).config)).toEqual([wrong]);
});

test('an account that cannot be read is reported, and those after it are audited all the same', async () => {
  await openPrepaid(store, 'a-broken-one', 1000n);
  await tamper('update ledger_entries set amount = amount + 1 where sequence = 11');
  const { said, rounds } = roundsOf(500);
  const readOn = vi.spyOn(AccountAudit.prototype, 'readOn').mockRejectedValueOnce(new Error('not readable'));
  await expect(rounds.round()).rejects.toThrow('not readable');
  readOn.mockRestore();
  expect(said).toContain('I10: entry 11 was changed');
  await tamper('update ledger_entries set amount = amount - 1 where sequence = 11');
});

test('an account that is listed as one kind and charged as another is found', async () => {
  await openPrepaid(store, 'two-kinds', 1000n);
  await tamper("insert into accounts (id, name, kind) values ('two-kinds', 'two-kinds', 'unlimited')");
  expect(await auditAccount(store.writer, 'two-kinds')).toEqual([
    { invariant: 'I13', account: 'two-kinds', says: 'the account is listed as unlimited and charged as prepaid' },
  ]);
});
