import { expect, test } from 'vitest';
import { type Command, type Result, SILENCE_MS } from '../../../packages/gateway/src/money/ledger/core/commands.ts';
import { violationsOf } from '../../../packages/gateway/src/money/ledger/core/invariants.ts';
import { emptyLedger, keyOf, type LedgerState } from '../../../packages/gateway/src/money/ledger/core/ledger-state.ts';
import { apply } from './apply.ts';

const MIDNIGHT = Date.UTC(2026, 1, 1);

function desk(): { state: LedgerState; at: (nowMs: number) => void; tell: (command: Command) => Result } {
  const state = emptyLedger((text) => `h${text.length}`);
  let nowMs = MIDNIGHT - 1_000;
  const tell = (command: Command): Result => {
    const result = apply(state, command, { nowMs, upSinceMs: 0 });
    expect(violationsOf(state)).toEqual([]);
    return result;
  };
  tell({ do: 'open-account', account: 'a', kind: 'prepaid', overdraft: 0n });
  tell({ do: 'deposit', account: 'a', id: 'pay-1', amount: 1_000n, memo: '' });
  tell({ do: 'register', node: 'n', epoch: 'e1' });
  return {
    state,
    at: (ms) => {
      nowMs = ms;
    },
    tell,
  };
}

const hold = (request: string, amount: bigint, more: Partial<Extract<Command, { do: 'hold' }>> = {}): Command => ({
  do: 'hold',
  account: 'a',
  request,
  epoch: 'e1',
  amount,
  scopes: [],
  priceVersion: 'v1',
  idempotencyKey: '',
  ...more,
});
const settle = (request: string, cost: bigint, more: Partial<Extract<Command, { do: 'settle' }>> = {}): Command => ({
  do: 'settle',
  account: 'a',
  request,
  lease: '',
  cost,
  priceVersion: 'v1',
  estimated: false,
  memo: '',
  ...more,
});
const lease = (id: string, wanted: bigint, least: bigint): Command => ({
  do: 'lease',
  account: 'a',
  lease: id,
  epoch: 'e1',
  wanted,
  least,
  scopes: [],
});

test('a hold takes at most the available amount; settling releases the rest, once', () => {
  const { state, tell } = desk();
  expect(tell(hold('r1', 600n)).is).toBe('granted');
  expect(tell(hold('r2', 600n))).toEqual({ is: 'refused', scope: '', room: 400n, recallable: 0n });
  expect(tell(settle('r1', 250n)).is).toBe('done');
  expect(tell(settle('r1', 250n)).is).toBe('done');
  expect(tell(hold('r2', 600n)).is).toBe('granted');
  expect(state.accounts.get('a')).toMatchObject({ posted: 250n, pending: 600n, overrun: 0n });
});

test('an estimate is never charged above the hold; a reported figure is, and counts as overrun', () => {
  const { state, tell } = desk();
  tell(hold('r1', 100n));
  tell(settle('r1', 130n, { estimated: true }));
  tell(hold('r2', 100n));
  tell(settle('r2', 130n));
  expect(state.entries.get(keyOf('a', 'r1'))).toMatchObject({ amount: 100n, estimated: true });
  expect(state.entries.get(keyOf('a', 'r2'))).toMatchObject({ amount: 130n, debit: 'a', credit: 'house:revenue' });
  expect(state.accounts.get('a')).toMatchObject({ posted: 230n, overrun: 30n });
});

test('a release that arrives before its hold closes it permanently', () => {
  const { tell } = desk();
  expect(tell({ do: 'release', account: 'a', hold: 'r1' }).is).toBe('done');
  expect(tell(hold('r1', 100n)).is).toBe('closed');
});

test('a lease gets a quarter at most, is used up by settlements and returns its rest', () => {
  const { state, tell } = desk();
  expect(tell(lease('l1', 900n, 100n))).toMatchObject({ is: 'granted', amount: 250n });
  tell(settle('r1', 40n, { lease: 'l1' }));
  tell({ do: 'release', account: 'a', hold: 'l1' });
  expect(state.accounts.get('a')).toMatchObject({ posted: 40n, pending: 0n });
  expect(tell(lease('l2', 900n, 300n)).is).toBe('refused');
  // Reported only after the end: still charged, once.
  for (let count = 0; count < 2; count++) expect(tell(settle('r2', 40n, { lease: 'l1' })).is).toBe('done');
  expect(state.accounts.get('a')).toMatchObject({ posted: 80n, overrun: 0n });
});

test('before a request is refused, leases are recalled, each once', () => {
  const { state, tell } = desk();
  tell(lease('l1', 250n, 1n));
  expect(tell(hold('r1', 900n))).toMatchObject({ is: 'refused', room: 750n, recallable: 250n });
  expect(tell({ do: 'beat', epoch: 'e1' })).toEqual({ is: 'alive', recalled: ['a'] });
  tell({ do: 'resize', account: 'a', hold: 'l1', version: 1, to: 150n, yields: true });
  expect(state.holds.get(keyOf('a', 'l1'))).toMatchObject({ recall: 'yielded', granted: 150n });
  expect(tell(hold('r1', 900n))).toMatchObject({ is: 'refused', recallable: 0n });
  expect(tell(hold('r2', 850n)).is).toBe('granted');
});

test('a budget is charged in the window of the admission, whenever the request is settled', () => {
  const { state, at, tell } = desk();
  tell({ do: 'set-budget', account: 'a', scope: 'key:k', span: 'day', limit: 300n });
  const scopes = ['key:k'];
  tell(hold('r1', 200n, { scopes }));
  expect(tell(hold('r2', 200n, { scopes }))).toMatchObject({ is: 'refused', scope: 'key:k', room: 100n });
  expect(tell(hold('r3', 200n)).is).toBe('granted');
  at(MIDNIGHT);
  expect(tell(hold('r2', 200n, { scopes })).is).toBe('granted');
  tell(settle('r1', 150n));
  const purses = [...state.purses.values()].map(({ startMs, posted, pending }) => ({ startMs, posted, pending }));
  expect(purses).toEqual([
    { startMs: MIDNIGHT - 86_400_000, posted: 150n, pending: 0n },
    { startMs: MIDNIGHT, posted: 0n, pending: 200n },
  ]);
});

test('a removed budget limits no request, and keeps its spent amount when it is set again', () => {
  const { tell } = desk();
  const scopes = ['key:k'];
  const budget = { do: 'set-budget', account: 'a', scope: 'key:k', span: 'total' } as const;
  tell({ ...budget, limit: 300n });
  tell(hold('r1', 200n, { scopes }));
  tell(lease('l1', 200n, 1n));
  tell({ ...budget, limit: null });
  expect(tell({ do: 'beat', epoch: 'e1' })).toEqual({ is: 'alive', recalled: ['a'] });
  expect(tell(hold('r2', 200n, { scopes })).is).toBe('granted');
  tell(settle('r1', 150n));
  tell({ ...budget, limit: 300n });
  expect(tell(hold('r3', 200n, { scopes }))).toMatchObject({ is: 'refused', scope: 'key:k', room: 150n });
});

test('what does not fit a template is offered to the model it names, which alone goes further', () => {
  const { state, tell } = desk();
  const scopes = ['member:m'];
  const named = { scopes, instead: 'small' };
  const rule = { timeZone: 'UTC', weekStartsOn: 1, anchorDay: 1, missing: 'shared' } as const;
  const template = { do: 'set-template', account: 'a', each: 'member', span: 'total', limit: 100n, ...rule } as const;
  tell({ ...template, onLimit: { model: 'small', beyond: 20n } });
  tell(hold('r1', 90n, { scopes }));
  const instead = { model: 'small', each: 'member', span: 'total' };
  expect(tell(hold('r2', 30n, { scopes }))).toMatchObject({ is: 'refused', scope: 'member:m', room: 10n, instead });
  expect([...state.purses.values()][0]).toMatchObject({ onLimitMs: MIDNIGHT - 1_000 });
  expect(tell(hold('r2', 25n, named)).is).toBe('granted');
  // Its stream goes as far as that model may, and no further; another model not at all.
  expect(tell({ do: 'resize', account: 'a', hold: 'r2', version: 1, to: 30n, yields: false }).is).toBe('granted');
  expect(tell({ do: 'resize', account: 'a', hold: 'r2', version: 2, to: 31n, yields: false }).is).toBe('refused');
  expect(tell({ do: 'resize', account: 'a', hold: 'r1', version: 1, to: 91n, yields: false }).is).toBe('refused');
  expect(tell(hold('r3', 1n, named))).not.toHaveProperty('instead');
  tell(settle('r2', 45n));
  expect(tell(hold('r4', 1n, named))).toMatchObject({ is: 'refused', scope: 'member:m', room: 0n });
  // What is free fits, but not where there is no credit.
  expect(tell(hold('r5', 0n, named)).is).toBe('granted');
  tell({ ...template, onLimit: undefined });
  expect([...state.purses.values()][0]).not.toHaveProperty('onLimitMs');
  expect(tell(hold('r6', 0n, named))).toMatchObject({ is: 'refused', room: -35n });
});

test('a model is named although credit is shortest, and must fit everything else', () => {
  const { tell } = desk();
  const scopes = ['key:k', 'member:m'];
  const rule = { span: 'day', timeZone: 'UTC', weekStartsOn: 1, anchorDay: 1, missing: 'refuse' } as const;
  const template = { do: 'set-template', account: 'a', ...rule } as const;
  tell({ ...template, each: 'key', limit: 5_000n, onLimit: { model: 'tiny', beyond: 0n } });
  tell({ ...template, each: 'member', limit: 1_100n, onLimit: { model: 'small', beyond: 900n } });
  expect(tell(hold('r1', 1_050n, { scopes }))).not.toHaveProperty('instead');
  expect(tell(hold('r2', 1_200n, { scopes }))).toMatchObject({
    scope: '',
    instead: { model: 'small', each: 'member' },
  });
  expect(tell(hold('r2', 1_001n, { scopes, instead: 'small' }))).toMatchObject({ is: 'refused', scope: '' });
  expect(tell(hold('r2', 1_000n, { scopes, instead: 'small' })).is).toBe('granted');
  // Requests without a required value get nothing.
  expect(tell(hold('r3', 0n))).not.toHaveProperty('instead');
  expect(tell(hold('r3', 0n, { instead: 'small' }))).toMatchObject({ is: 'refused', room: -1n });
});

test('silent nodes are reaped: their checkpoints are charged as estimates, and the rest is released', () => {
  const { state, at, tell } = desk();
  tell(hold('r1', 100n));
  tell({ do: 'checkpoint', account: 'a', request: 'r1', lease: '', cost: 70n, priceVersion: 'v1' });
  tell(lease('l1', 200n, 1n));
  tell({ do: 'checkpoint', account: 'a', request: 'r2', lease: 'l1', cost: 30n, priceVersion: 'v1' });
  at(MIDNIGHT - 1_000 + SILENCE_MS);
  expect(tell({ do: 'reap' })).toEqual({ is: 'to-bury', accounts: [] });
  at(MIDNIGHT + SILENCE_MS);
  expect(tell({ do: 'reap' })).toEqual({ is: 'to-bury', accounts: ['a'] });
  tell({ do: 'bury', account: 'a' });
  expect(state.accounts.get('a')).toMatchObject({ posted: 100n, pending: 0n });
  expect(state.entries.get(keyOf('a', 'r2'))).toMatchObject({ amount: 30n, estimated: true });
  expect(tell(hold('r3', 1n)).is).toBe('fenced');
  expect(tell({ do: 'beat', epoch: 'e1' }).is).toBe('fenced');
});

/** The late settlement of a reaped node with `r1` at 70 of 100 in a budget. */
function buried(): ReturnType<typeof desk> {
  const stand = desk();
  const { at, tell } = stand;
  tell({ do: 'set-budget', account: 'a', scope: 'key:k', span: 'total', limit: 900n });
  tell(hold('r1', 100n, { scopes: ['key:k'] }));
  tell({ do: 'checkpoint', account: 'a', request: 'r1', lease: '', cost: 70n, priceVersion: 'v1' });
  tell(hold('r2', 100n));
  at(MIDNIGHT + SILENCE_MS);
  tell({ do: 'reap' });
  tell({ do: 'bury', account: 'a' });
  return stand;
}
const purse = (state: LedgerState): bigint | undefined => [...state.purses.values()][0]?.posted;

// S1
test('a settlement after the reap is posted as a correction, once, in the budget of its admission', () => {
  const { state, tell } = buried();
  for (let count = 0; count < 3; count++) expect(tell(settle('r1', 90n)).is).toBe('done');
  expect(state.entries.get(keyOf('a', 'correction:r1'))).toMatchObject({ amount: 20n, debit: 'a', estimated: false });
  expect(purse(state)).toBe(90n);
  // The state did not know this request.
  for (let count = 0; count < 2; count++) expect(tell(settle('r2', 30n)).is).toBe('done');
  expect(state.accounts.get('a')).toMatchObject({ posted: 120n, pending: 0n, overrun: 0n });
});

test('a correction refunds an overcharge of the reap; an estimate never does', () => {
  const { state, tell } = buried();
  expect(tell(settle('r1', 60n, { estimated: true })).is).toBe('closed');
  for (let count = 0; count < 2; count++) expect(tell(settle('r1', 60n)).is).toBe('done');
  expect(state.entries.get(keyOf('a', 'correction:r1'))).toMatchObject({
    kind: 'charge',
    amount: 10n,
    debit: 'house:revenue',
    credit: 'a',
  });
  expect(state.accounts.get('a')).toMatchObject({ posted: 60n });
  expect(purse(state)).toBe(60n);
});

test('a refund never makes a budget negative', () => {
  const { state, tell } = desk();
  tell({ do: 'set-budget', account: 'a', scope: 'account', span: 'total', limit: 900n });
  tell(lease('l1', 200n, 1n));
  tell(settle('r1', 80n, { estimated: true }));
  tell(settle('r1', 30n, { lease: 'l1' }));
  expect(state.accounts.get('a')).toMatchObject({ posted: 30n });
  expect(purse(state)).toBe(0n);
});

test('a correction above the limit counts as overrun, and an estimated one stays within the hold', () => {
  const { state, tell } = buried();
  tell({ do: 'deposit', account: 'a', id: 'out', amount: -920n, memo: '' });
  tell(settle('r1', 100n));
  tell(settle('r2', 400n, { estimated: true }));
  expect(state.accounts.get('a')).toMatchObject({ credit: 80n, posted: 200n, overrun: 120n });
});

test('a reported usage is final', () => {
  const { state, tell } = desk();
  tell(hold('r1', 100n));
  tell(settle('r1', 50n));
  expect(tell(settle('r1', 90n)).is).toBe('closed');
  expect(state.accounts.get('a')).toMatchObject({ posted: 50n });
});

test('a request admitted while its account was unmetered is charged, whatever the account is by then', () => {
  const { state, tell } = desk();
  tell({ do: 'open-account', account: 'b', kind: 'unlimited', overdraft: 0n });
  tell({ do: 'open-account', account: 'b', kind: 'prepaid', overdraft: 0n });
  for (let count = 0; count < 2; count++) expect(tell(settle('r1', 50n, { account: 'b' })).is).toBe('done');
  expect(state.accounts.get('b')).toMatchObject({ posted: 50n, overrun: 50n });
});

test('silence does not count while the state itself was down', () => {
  const { state } = desk();
  const nowMs = MIDNIGHT + 10 * SILENCE_MS;
  apply(state, { do: 'reap' }, { nowMs, upSinceMs: nowMs - 1_000 });
  expect(state.nodes.get('e1')?.state).toBe('alive');
});

test('a successor fences the previous epoch of its name', () => {
  const { tell } = desk();
  tell({ do: 'register', node: 'n', epoch: 'e2' });
  expect(tell(hold('r1', 1n)).is).toBe('fenced');
  expect(tell(hold('r1', 1n, { epoch: 'e2' })).is).toBe('granted');
});

test('an idempotency key allows one hold; a released hold frees it', () => {
  const { tell } = desk();
  tell(hold('r1', 1n, { idempotencyKey: 'i' }));
  expect(tell(hold('r2', 1n, { idempotencyKey: 'i' }))).toEqual({ is: 'duplicate', of: 'r1' });
  tell({ do: 'release', account: 'a', hold: 'r1' });
  expect(tell(hold('r2', 1n, { idempotencyKey: 'i' })).is).toBe('granted');
});

// S3
test('a deposit is accepted whatever the debt, and a withdrawal needs enough balance', () => {
  const { state, tell } = desk();
  tell(hold('r1', 1_000n));
  tell(settle('r1', 4_000n));
  expect(tell({ do: 'deposit', account: 'a', id: 'late', amount: 500n, memo: '' }).is).toBe('done');
  expect(tell({ do: 'deposit', account: 'a', id: 'back', amount: -1n, memo: '' }).is).toBe('refused');
  expect(state.accounts.get('a')).toMatchObject({ credit: 1_500n, posted: 4_000n, overrun: 3_000n });
});

test('spent or held amounts cannot be withdrawn, and a tampered entry is detected', () => {
  const { state, tell } = desk();
  tell(hold('r1', 600n));
  expect(tell({ do: 'deposit', account: 'a', id: 'back', amount: -500n, memo: '' }).is).toBe('refused');
  expect(tell({ do: 'deposit', account: 'a', id: 'back', amount: -400n, memo: '' }).is).toBe('done');
  const entry = state.entries.get(keyOf('a', 'pay-1'))!;
  state.entries.set(keyOf('a', 'pay-1'), { ...entry, memo: 'a gift' });
  expect(violationsOf(state).map(({ invariant }) => invariant)).toContain('I10');
});
