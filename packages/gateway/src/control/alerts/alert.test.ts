import { expect, test } from 'vitest';
import { budgetAlert, expiryAlert, expiryNotice, reachedPercent, staleAlert } from './alert.ts';

const budget = (spentNano: bigint, limitNano = 10_000n) => ({
  accountId: 'acme',
  scope: 'account',
  span: 'day',
  limitNano,
  spentNano,
  startMs: 0,
});
const PERCENTS = [50, 80, 95, 100];

test.each([
  [4_999n, undefined],
  [5_000n, 50],
  [7_999n, 50],
  [8_000n, 80],
  [9_500n, 95],
  [10_000n, 100],
  [12_000n, 100],
])('%s of 10,000 reaches %s percent', (spent, percent) => {
  expect(reachedPercent(budget(spent), PERCENTS)).toBe(percent);
});

test('the alert window of a budget is its day, threshold and limit', () => {
  const windows = [
    budgetAlert(budget(5_000n), 50),
    budgetAlert(budget(5_500n), 50),
    budgetAlert(budget(8_000n), 80),
    budgetAlert(budget(8_000n, 16_000n), 50),
    budgetAlert({ ...budget(5_000n), startMs: 86_400_000 }, 50),
  ].map(({ window }) => window);
  expect(windows[0]).toBe(windows[1]);
  expect(new Set(windows).size).toBe(4);
});

test('alerts name keys and members, with their ids beside them', () => {
  const expiresAt = new Date(Date.UTC(2026, 10, 20));
  const key = { accountId: 'acme', keyId: 'key_1', name: 'ci', expiresAt };
  expect(expiryAlert(key, 7).title).toBe('API key "ci" (key_1) of account acme expires within 7 days.');
  expect(expiryAlert({ ...key, keyId: 'ci' }, 1).title).toBe('API key ci of account acme expires within a day.');
  const use = { ...budget(9_000n), scope: 'key:key_1', name: 'ci' };
  expect(budgetAlert(use, 80).title).toBe(`key "ci" (key_1) of account acme has reached 80 % of today's budget.`);
  expect(budgetAlert({ ...use, name: null }, 80).title).toMatch(/^key:key_1 of account acme /);
});

const NOW_MS = Date.UTC(2026, 10, 16);
test.each([
  ['2026-11-24T00:00:00Z', undefined],
  ['2026-11-23T00:00:00Z', 7],
  ['2026-11-17T01:00:00Z', 7],
  ['2026-11-16T23:00:00Z', 1],
  ['2026-11-15T23:00:00Z', undefined],
])('a key that expires at %s is due for the notice of %s days', (expiresAt, days) => {
  expect(expiryNotice(new Date(expiresAt), [7, 1], NOW_MS)).toBe(days);
});

test('a stale credential is named by its reference, with its age and never its value', () => {
  const stale = { credential: 'vault:main/openai#key', why: 'The store does not answer.' };
  expect(staleAlert({ ...stale, ageMs: 16 * 60_000 }, NOW_MS)).toEqual({
    kind: 'credential.stale',
    subject: 'vault:main/openai#key',
    window: '2026-11-16',
    title: 'The credential vault:main/openai#key could not be renewed; it is 16 minutes old.',
    facts: { credential: 'vault:main/openai#key', why: 'The store does not answer.', ageMinutes: 16 },
  });
  expect(staleAlert({ ...stale, ageMs: null }, NOW_MS).title).toMatch(/^There is no value/);
});
