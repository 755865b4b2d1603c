import { expect, test } from 'vitest';
import { CLOSED, DONE, TRUST_MS } from './commands.ts';
import { recordFromJson, recordToJson, replay } from './journal-records.ts';
import { type Ask, NodeLedgerCore } from './node-ledger-core.ts';
import { MOST_UNPOSTED_SETTLES } from './posting-queue.ts';

const ask = (request: string, amount = 100n, more: Partial<Ask> = {}): Ask => ({
  request,
  account: 'a',
  scopes: [],
  amount,
  priceVersion: 'v1',
  idempotencyKey: '',
  ...more,
});

/** A core with a lease of 3,200 on account `a`, requested when `r0` came. */
function leased(): NodeLedgerCore {
  const core = new NodeLedgerCore('e1', () => 'l1');
  core.beaten(0, { is: 'alive', recalled: [] }, 0);
  expect(core.admit(ask('r0'), 0)).toMatchObject({ by: 'database', command: { do: 'hold', amount: 100n } });
  core.written();
  const batch = core.batch(10);
  expect(batch).toMatchObject([{ do: 'lease', wanted: 3_200n, least: 800n }]);
  core.posted(batch, [{ is: 'granted', amount: 3_200n, validForMs: 60_000 }], 1, 2);
  return core;
}

test('a lease admits in memory, and nothing is posted before it is in the journal', () => {
  const core = leased();
  expect(core.admit(ask('r1'), 3)).toEqual({ by: 'lease' });
  core.settle('r1', 60n, false, '');
  expect(core.takeRecords()).toMatchObject([
    { at: 'admit', lease: 'l1' },
    { at: 'settle', cost: 60n },
  ]);
  expect(core.batch(10)).toEqual([]);
  core.written();
  expect(core.batch(10)).toMatchObject([{ do: 'settle', request: 'r1', lease: 'l1', cost: 60n }]);
});

test('requests that a lease cannot cover, or that must be unique, go to the ledger database', () => {
  const core = leased();
  expect(core.admit(ask('r1', 5_000n), 3).by).toBe('database');
  expect(core.admit(ask('r2', 1n, { idempotencyKey: 'i' }), 3).by).toBe('database');
  expect(core.admit(ask('r3', 1n, { scopes: ['key:k'] }), 3).by).toBe('database');
  expect(core.admit(ask('r4', 100n), 60_001).by).toBe('none');
});

test('no request is admitted without an accepted heartbeat', () => {
  const core = leased();
  expect(core.admit(ask('r1'), TRUST_MS - 1).by).toBe('lease');
  expect(core.admit(ask('r2'), TRUST_MS).by).toBe('none');
  core.admit(ask('r3'), TRUST_MS - 1);
  expect(core.answered('r0', { is: 'granted', amount: 100n, validForMs: 0 }, TRUST_MS)).toBe('fenced');
});

// S1
test('a request admitted before the process was suspended is not covered afterwards, unless its account is unmetered', () => {
  const core = leased();
  core.admit(ask('r1'), 3);
  core.admitFreely(ask('r2'), 3);
  expect(core.isCovered('r1', TRUST_MS - 1)).toBe(true);
  expect(core.isCovered('r1', TRUST_MS)).toBe(false);
  expect(core.isCovered('r2', TRUST_MS)).toBe(true);
});

test('a replay charges an unmetered request its full cost so far, even beyond its quote', () => {
  const core = new NodeLedgerCore('e1', () => 'l1');
  core.admitFreely(ask('r1', 100n), 0);
  core.meter('r1', 250n, 10);
  expect([...replay(core.takeRecords())]).toMatchObject([{ do: 'settle', request: 'r1', cost: 250n, estimated: true }]);
});

test('a recall returns at once what no running request needs, and the rest when they end', () => {
  const core = leased();
  core.admit(ask('r1'), 3);
  core.settle('r1', 60n, false, '');
  core.admit(ask('r2'), 3);
  core.recalled('a', 4);
  expect(core.admit(ask('r3'), 5).by).toBe('database');
  core.settle('r2', 10n, false, '');
  core.written();
  expect(core.batch(10)).toMatchObject([
    { do: 'resize', hold: 'l1', to: 160n, yields: true },
    { do: 'settle', request: 'r1' },
    { do: 'settle', request: 'r2' },
    { do: 'release', hold: 'l1' },
  ]);
});

test('a lease is resized before waiting settlements, and released after them', () => {
  const core = leased();
  for (let count = 1; count <= 26; count++) {
    core.admit(ask(`r${count}`), 3);
    core.settle(`r${count}`, 100n, false, '');
  }
  core.written();
  const batch = core.batch(4);
  expect(batch).toMatchObject([
    { do: 'resize', hold: 'l1', version: 1 },
    { do: 'settle', request: 'r1' },
    { do: 'settle', request: 'r2' },
    { do: 'settle', request: 'r3' },
  ]);
  core.closeLeases(4);
  core.written();
  core.posted(batch, [{ is: 'granted', amount: 9_000n, validForMs: 0 }, ...batch.slice(1).map(() => DONE)], 4, 5);
  const rest = core.batch(100);
  expect(rest).toHaveLength(24);
  expect(rest[0]).toMatchObject({ do: 'settle', request: 'r4' });
  expect(rest.at(-1)).toEqual({ do: 'release', account: 'a', hold: 'l1' });
});

test('checkpoints come before settlements within a batch, and are not taken from later batches', () => {
  const core = leased();
  for (const request of ['r1', 'r2', 'r3']) core.admit(ask(request), 3);
  core.settle('r1', 10n, false, '');
  core.meter('r2', 20n, 4);
  core.settle('r2', 30n, false, '');
  core.meter('r3', 40n, 4);
  core.written();
  const batch = core.batch(3);
  expect(batch).toMatchObject([
    { do: 'checkpoint', request: 'r2' },
    { do: 'settle', request: 'r1' },
    { do: 'settle', request: 'r2' },
  ]);
  core.posted(batch, [DONE, DONE, DONE], 4, 5);
  expect(core.batch(3)).toMatchObject([{ do: 'checkpoint', request: 'r3' }]);
});

test('an account with too many unposted settlements must retry later; others are served', () => {
  const core = leased();
  for (let count = 0; count < MOST_UNPOSTED_SETTLES; count++) {
    core.admitFreely(ask(`r${count}`), 3);
    core.settle(`r${count}`, 1n, false, '');
  }
  expect(core.admit(ask('next'), 3)).toEqual({ by: 'later' });
  expect(core.admit(ask('of-another', 100n, { account: 'b' }), 3).by).toBe('database');
  core.written();
  const batch = core.batch(2);
  expect(batch.map((posting) => posting.do)).toEqual(['lease', 'settle']);
  core.posted(batch, [CLOSED, DONE], 4, 5);
  expect(core.admit(ask('next'), 5)).toEqual({ by: 'lease' });
});

test('a stream that outgrows its hold is extended from the lease, or stopped when nothing is left', () => {
  const core = leased();
  core.admit(ask('r1', 100n), 3);
  expect(core.meter('r1', 90n, 4)).toBe('go');
  expect(core.meter('r1', 120n, 4)).toBe('go');
  core.recalled('a', 5);
  expect(core.meter('r1', 150n, 6)).toBe('go');
  expect(core.meter('r1', 160n, 6)).toBe('stop');
  expect(core.settle('r1', 160n, true, '')).toBe(152n);
  expect(core.takeRecords().at(-1)).toMatchObject({ at: 'settle', cost: 152n, estimated: true });
});

test('a stream whose cost jumps far past its hold between two readings goes on while there is credit', () => {
  const core = leased();
  core.admit(ask('r1', 10n), 3);
  expect(core.meter('r1', 90n, 4)).toBe('go');
  core.settle('r1', 90n, true, '');
  expect(core.takeRecords().at(-1)).toMatchObject({ at: 'settle', cost: 90n });
});

test('checkpoints are due at the first cost, after a cent and after a second', () => {
  const core = leased();
  core.admit(ask('r1', 100_000_000n / 40n), 3);
  core.admit(ask('r2', 100n), 3);
  core.meter('r2', 10n, 10);
  core.meter('r2', 20n, 500);
  core.meter('r2', 30n, 1_010);
  const checkpoints = core.takeRecords().filter(({ at }) => at === 'checkpoint');
  expect(checkpoints).toMatchObject([{ cost: 10n }, { cost: 30n }]);
});

test('a hold that its request stops waiting for is released, in case it was granted', () => {
  const core = leased();
  core.abandon('r0');
  core.written();
  expect(core.batch(10)).toEqual([{ do: 'release', account: 'a', hold: 'r0' }]);
  expect(core.answered('r0', { is: 'granted', amount: 100n, validForMs: 0 }, 5)).toBe('gone');
});

test('expired and idle leases are released', () => {
  const core = leased();
  core.tidy(60_001);
  core.written();
  expect(core.batch(10)).toMatchObject([{ do: 'release', hold: 'l1' }]);
});

test('a journal record reads back as it was written', () => {
  const records = [
    { at: 'admit', request: 'r1', account: 'a', lease: 'l1', amount: 9_007_199_254_740_993n, priceVersion: 'v1' },
    { at: 'checkpoint', request: 'r1', cost: 50n },
    { at: 'settle', request: 'r1', cost: 70n, estimated: false, memo: 'a\nb' },
  ] as const;
  for (const record of records) expect(recordFromJson(recordToJson(record))).toEqual(record);
});

test('a replay settles ended requests, charges running ones at their last checkpoint and releases the rest', () => {
  const admit = { at: 'admit', account: 'a', amount: 100n, priceVersion: 'v1' } as const;
  const commands = replay([
    { ...admit, request: 'r1', lease: '' },
    { ...admit, request: 'r2', lease: 'l1' },
    { ...admit, request: 'r3', lease: '' },
    { ...admit, request: 'r4', lease: 'l1' },
    { at: 'checkpoint', request: 'r2', cost: 40n },
    { at: 'settle', request: 'r1', cost: 70n, estimated: false, memo: '' },
  ]);
  expect([...commands]).toMatchObject([
    { do: 'settle', request: 'r1', cost: 70n, estimated: false },
    { do: 'settle', request: 'r2', lease: 'l1', cost: 40n, estimated: true },
    { do: 'release', hold: 'r3' },
  ]);
});
