import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Command } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { compareSequences, statesInSql } from './equal-states.ts';
import { SQL_MISTAKES, TEMPLATE_MISTAKES, withMistake } from './sql-mistakes.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

/** `npm run rt -- ledger-model` plays more. */
const SEQUENCES = 60;
/** Where a planted bug must have been found. */
const MOST_SEQUENCES = 150;
/** Some thousands of statements, on a machine that may be busy. */
const PATIENCE_MS = 180_000;

test(
  'random commands leave the same answers, rows and hashes in the core and in PostgreSQL, in batches and one by one',
  async () => {
    const { difference, sequences } = await compareSequences(database.url, 0, SEQUENCES);
    expect(difference).toBeUndefined();
    expect(sequences).toBe(SEQUENCES);
  },
  PATIENCE_MS,
);

test.each([...SQL_MISTAKES, ...TEMPLATE_MISTAKES])(
  'a bug planted in the batch posting of settles or in templates is found: $name',
  async (mistake) => {
    const found = withMistake(database.url, mistake, async () => {
      const { difference } = await compareSequences(database.url, 0, MOST_SEQUENCES);
      if (difference !== undefined) throw new Error(`seed ${difference.seed}: ${difference.sql}`);
    });
    await expect(found).rejects.toThrow(/^seed \d+|violates|do not change/);
  },
  PATIENCE_MS,
);

const settle = (request: string, lease: string, cost: bigint, estimated = false): Command => ({
  do: 'settle',
  account: 'a',
  request,
  lease,
  cost,
  priceVersion: 'v1',
  estimated,
  memo: '',
});
const run = (from: number, lease: string): readonly Command[] =>
  Array.from({ length: 6 }, (_, index) => settle(`r${from + index}`, lease, 10n));
const OPENING: readonly Command[] = [
  { do: 'register', node: 'n', epoch: 'e' },
  { do: 'open-account', account: 'a', kind: 'prepaid', overdraft: 0n },
  { do: 'deposit', account: 'a', id: 'first', amount: 10_000n, memo: '' },
  { do: 'lease', account: 'a', lease: 'l1', epoch: 'e', wanted: 150n, least: 1n, scopes: [] },
  {
    do: 'hold',
    account: 'a',
    request: 'h',
    epoch: 'e',
    amount: 900n,
    scopes: [],
    priceVersion: 'v',
    idempotencyKey: '',
  },
];

// No node sends these; the answers must still not depend on the batch.
test.each<[string, readonly Command[]]>([
  ['closes the lease that those after it name', [...run(0, 'l1'), settle('l1', '', 5n), ...run(6, 'l1')]],
  [
    'has the name of a correction that was made just before',
    [
      ...run(0, 'l1'),
      settle('c', 'l1', 5n, true),
      settle('c', 'l1', 9n),
      settle('correction:c', 'l1', 7n),
      ...run(6, 'l1'),
    ],
  ],
  ['uses up the lease midway', [...run(0, 'l1'), settle('dear', 'l1', 120n), ...run(6, 'l1')]],
])('in a run of settles the answers do not depend on the batch for one that %s', async (_what, commands) => {
  const states = await statesInSql(database.url, [{ nowMs: 1_000, commands: [...OPENING, ...commands] }]);
  expect(states['in batches']).toEqual(states['one by one']);
  expect(states['in batches']['results']).toHaveLength(OPENING.length + commands.length);
});

test('settles of many accounts in one batch keep each account in order', async () => {
  const accounts = Array.from({ length: 40 }, (_, index) => `account-${index}`);
  const opening = accounts.flatMap((account): Command[] => [
    { do: 'open-account', account, kind: 'prepaid', overdraft: 0n },
    { do: 'deposit', account, id: 'first', amount: 10_000n, memo: '' },
    { do: 'lease', account, lease: 'l1', epoch: 'e', wanted: 2_000n, least: 1n, scopes: [] },
  ]);
  const settles = Array.from({ length: 400 }, (_, index): Command => {
    const account = accounts[(index * 7) % accounts.length]!;
    return {
      do: 'settle',
      account,
      request: `r${index}`,
      lease: 'l1',
      cost: BigInt(index),
      priceVersion: 'v',
      estimated: false,
      memo: '',
    };
  });
  const states = await statesInSql(database.url, [
    { nowMs: 1_000, commands: [{ do: 'register', node: 'n', epoch: 'e' }, ...opening] },
    { nowMs: 2_000, commands: settles },
  ]);
  expect(states['in batches']).toEqual(states['one by one']);
});

test('the previous release calls the same functions with the same parameters', async () => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query(`select oid::regprocedure::text as called from pg_proc
      where proname in ('ledger_apply', 'ledger_apply_at') order by 1`);
    expect(rows).toEqual([{ called: 'ledger_apply(jsonb)' }, { called: 'ledger_apply_at(jsonb,bigint,bigint)' }]);
  } finally {
    await client.end();
  }
});
