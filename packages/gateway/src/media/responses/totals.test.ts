import { expect, test } from 'vitest';
import { StoredTotals } from './totals.ts';

function standing() {
  const state = { bytes: 10n, losses: 0, asked: 0, nowMs: 0 };
  const rows = {
    bytesOf: (accounts: readonly string[]) => {
      state.asked += 1;
      return Promise.resolve(new Map(accounts.map((id) => [id, state.bytes] as const)));
    },
    get losses() {
      return state.losses;
    },
  };
  return { state, totals: new StoredTotals(rows, () => state.nowMs) };
}

test('a sum is asked for once a second, and grows by what is written here', async () => {
  const { state, totals } = standing();
  expect([await totals.isFull('a', 20n), await totals.isFull('a', 20n), state.asked]).toEqual([false, false, 1]);
  totals.written('a', 10);
  state.bytes = 20n;
  expect([await totals.isFull('a', 20n), state.asked]).toEqual([true, 2]);
  state.bytes = 5n;
  expect([await totals.isFull('a', 20n), state.asked]).toEqual([false, 3]);
  state.nowMs = 999;
  await totals.isFull('a', 20n);
  expect(state.asked).toBe(3);
  state.nowMs = 1000;
  await totals.isFull('a', 20n);
  expect(state.asked).toBe(4);
});

test('after a broken connection, or a turn that was not written, the database is asked again', async () => {
  const { state, totals } = standing();
  await totals.isFull('a', 20n);
  state.losses = 1;
  await totals.isFull('a', 20n);
  expect(state.asked).toBe(2);
  totals.forget();
  await totals.isFull('a', 20n);
  expect(state.asked).toBe(3);
});
