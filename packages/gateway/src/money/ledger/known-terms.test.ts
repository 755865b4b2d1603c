import { expect, test } from 'vitest';
import { KnownTerms } from './known-terms.ts';
import type { Terms } from './ledger-database.ts';

const FREE: Terms = { unlimited: true, budgeted: new Set() };
const PREPAID: Terms = { unlimited: false, budgeted: new Set() };

function known(terms: Record<string, Terms>) {
  const state = { nowMs: 0, reads: [] as (readonly string[])[], isAway: false };
  const troubles: unknown[] = [];
  const cache = new KnownTerms({
    database: {
      termsOf: async (accounts) => {
        state.reads.push(accounts);
        if (state.isAway) throw new Error('away');
        return accounts.map((account) => terms[account] ?? PREPAID);
      },
    },
    monotonicMs: () => state.nowMs,
    onTrouble: (error) => troubles.push(error),
  });
  return { state, cache, troubles };
}

test('the terms of 20,000 accounts are read in 40 statements, and 1,001 active accounts do not evict each other', async () => {
  const { state, cache } = known({});
  const accounts = Array.from({ length: 20_000 }, (_, number) => `a${number}`);
  await cache.learn(accounts);
  expect(state.reads).toHaveLength(40);
  for (const account of accounts) expect(cache.of(account, true)).toEqual(PREPAID);
  expect(state.reads).toHaveLength(40);
});

test('terms in use are read again after half a minute, without a wait; after a minute, a request waits for them', async () => {
  const terms = { a: FREE };
  const { state, cache } = known(terms);
  await cache.learn(['a']);
  terms.a = PREPAID;
  state.nowMs = 30_000;
  expect(cache.of('a', true)).toBe(FREE);
  expect(state.reads).toHaveLength(1);
  state.nowMs = 30_001;
  expect(cache.of('a', true)).toBe(FREE);
  await expect.poll(() => cache.of('a', true)).toBe(PREPAID);
  expect(state.reads).toHaveLength(2);
  terms.a = FREE;
  state.nowMs += 60_001;
  expect(await cache.of('a', true)).toBe(FREE);
});

test('no request waits for a database that is out of reach, and old terms stay valid', async () => {
  const { state, cache, troubles } = known({ a: FREE });
  await cache.learn(['a']);
  state.isAway = true;
  state.nowMs = 3_600_000;
  expect(cache.of('a', false)).toBe(FREE);
  expect(await cache.of('a', true)).toBe(FREE);
  expect(await cache.of('unknown', true)).toBeUndefined();
  expect(troubles).not.toEqual([]);
});

test('a change that is reported while terms are read is read again, and the earlier read does not overwrite it', async () => {
  const answers: ((terms: Terms) => void)[] = [];
  const cache = new KnownTerms({
    database: { termsOf: () => new Promise((resolve) => answers.push((terms) => resolve([terms]))) },
    monotonicMs: () => 0,
    onTrouble: () => undefined,
  });
  const first = cache.of('a', true);
  await expect.poll(() => answers.length).toBe(1);
  cache.changed('a');
  answers[0]!(FREE);
  expect(await first).toBe(FREE);
  await expect.poll(() => answers.length).toBe(2);
  answers[1]!(PREPAID);
  await expect.poll(() => cache.of('a', true)).toBe(PREPAID);
  expect(cache.some(({ unlimited }) => unlimited)).toBe(false);
});

test('an account that is not known costs nothing when it changes', async () => {
  const { state, cache } = known({});
  cache.changed('a');
  await cache.learn(['b']);
  expect(state.reads).toEqual([['b']]);
});
