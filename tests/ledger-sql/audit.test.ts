/** The audit reads accounts of any size, a page at a time, and misses nothing between two pages. */
import { type Config, loadConfig } from '@trivium/gateway';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditLedger } from '../../packages/gateway/src/app/audit-ledger.ts';
import { auditAccount } from '../../packages/gateway/src/money/ledger/audit.ts';
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
  await tamper("update ledger_entries set sequence = 3000000000 where account_id = 'a-broken-one'");
  await expect(rounds.round()).rejects.toThrow('out of range');
  expect(said).toContain('I10: entry 11 was changed');
  await tamper("update ledger_entries set sequence = 1 where account_id = 'a-broken-one'");
  await tamper('update ledger_entries set amount = amount - 1 where sequence = 11');
});

test('an account that is listed as one kind and charged as another is found', async () => {
  await openPrepaid(store, 'two-kinds', 1000n);
  await tamper("insert into accounts (id, name, kind) values ('two-kinds', 'two-kinds', 'unlimited')");
  expect(await auditAccount(store.writer, 'two-kinds')).toEqual([
    { invariant: 'I13', account: 'two-kinds', says: 'the account is listed as unlimited and charged as prepaid' },
  ]);
});

/** When each account was audited last. */
const auditTimes = async (): Promise<Record<string, string>> => {
  const { rows } = await sql<{ id: string; at: string }>`
    select account_id as id, audited_at::text as at from ledger_audits order by account_id`.execute(store.writer);
  return Object.fromEntries(rows.map(({ id, at }) => [id, at]));
};
const hourLater = () => tamper("update ledger_audit_rounds set ended_at = ended_at - interval '1 hour'");

test('one process of the deployment audits, only accounts whose money has moved, and all of them once a week', async () => {
  await tamper(
    "delete from accounts where id = 'two-kinds'; delete from ledger_audits; update ledger_accounts set sequence = 13 where account_id = 'large'",
  );
  const { said, rounds } = roundsOf(500);
  const other = roundsOf(500);
  await rounds.roundIfDue();
  const first = await auditTimes();
  expect(Object.keys(first)).toEqual(['a-broken-one', 'large', 'two-kinds']);
  // Within the hour no other process audits.
  await other.rounds.roundIfDue();
  expect(await auditTimes()).toEqual(first);

  // Money has moved in one account: it alone is read again, by whichever process comes first.
  await new PostgresLedger(store.writer).apply(charged('r13'));
  await tamper("update ledger_entries set amount = amount + 1 where account_id = 'a-broken-one'");
  await tamper("update ledger_entries set amount = amount + 1 where account_id = 'large' and sequence = 3");
  await hourLater();
  await other.rounds.roundIfDue();
  const second = await auditTimes();
  expect({ ...second, large: '' }).toEqual({ ...first, large: '' });
  expect(second['large']).not.toBe(first['large']);
  expect(other.said).toContain('I10: entry 3 was changed');
  // What one process found, the metric of every process shows.
  await rounds.roundIfDue();
  expect(rounds.violations).toBe(other.rounds.violations);
  expect(rounds.violations).toBeGreaterThan(0);

  // What was changed behind the ledger's back, in an account at rest, is found within a week.
  await hourLater();
  await tamper("update ledger_audit_rounds set all_since = now() - interval '8 days'");
  await rounds.roundIfDue();
  expect(said).toContain('I10: entry 1 was changed');
  await tamper("update ledger_entries set amount = amount - 1 where account_id = 'a-broken-one' or sequence = 3");
});

test('a process that has begun a large account goes on with it, and one that dies is followed by another', async () => {
  await hourLater();
  await tamper("delete from ledger_audits where account_id = 'large'");
  const { rounds } = roundsOf(5);
  await rounds.roundIfDue();
  expect(rounds.unaudited).toBe(1);
  await hourLater();
  const other = roundsOf(500);
  await other.rounds.roundIfDue();
  expect(Object.keys(await auditTimes())).not.toContain('large');
  for (let round = 0; round < 7 && rounds.unaudited > 0; round++) await rounds.roundIfDue();
  expect(Object.keys(await auditTimes())).toContain('large');

  await tamper("delete from ledger_audits where account_id = 'large'");
  await tamper("update ledger_audit_rounds set claimed_by = 'dead', claimed_until = now() - interval '1 second'");
  await hourLater();
  await other.rounds.roundIfDue();
  expect(Object.keys(await auditTimes())).toContain('large');
});
