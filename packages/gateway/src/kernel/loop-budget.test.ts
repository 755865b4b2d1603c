import { expect, test } from 'vitest';
import { LoopBudget } from './loop-budget.ts';

const TURN_BYTES = 4 * 16_384;

function stage() {
  const scheduled: (() => void)[] = [];
  const budget = new LoopBudget(
    () => ({ turnBytes: TURN_BYTES, turnEvents: 100 }),
    (run) => scheduled.push(run),
  );
  const went: string[] = [];
  const waiter = (name: string, work = 0) => ({
    goOn: () => {
      went.push(name);
      budget.spend(work);
    },
  });
  const turn = (): string[] => {
    went.length = 0;
    for (const run of scheduled.splice(0)) run();
    return [...went];
  };
  return { budget, scheduled, waiter, turn };
}

test('a turn is used up by bytes or by events, and the next one starts anew', () => {
  const { budget, turn } = stage();
  expect(budget.spend(TURN_BYTES - 1)).toBe(false);
  expect(budget.spend(1)).toBe(true);
  turn();
  expect(budget.spend(10, 99)).toBe(false);
  expect(budget.spend(10, 1)).toBe(true);
});

test('little work schedules nothing', () => {
  const { budget, scheduled } = stage();
  expect(budget.spend(TURN_BYTES / 4 - 1, 24)).toBe(false);
  expect(scheduled).toHaveLength(0);
  budget.spend(1);
  budget.spend(1);
  expect(scheduled).toHaveLength(1);
});

test('accounts take turns, however many waiters one of them has', () => {
  const { budget, waiter, turn } = stage();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) budget.wait(waiter(name), 'a');
  budget.wait(waiter('b1'), 'b');
  expect(turn()).toEqual(['a1', 'b1', 'a2', 'a3']);
  expect(turn()).toEqual(['a4', 'a5']);
  expect(turn()).toEqual([]);
  expect(budget.waited).toBe(6);
});

test('waiters that work go on until the turn is used up, at least one in each turn', () => {
  const { budget, waiter, turn } = stage();
  for (const name of ['one', 'two', 'three']) budget.wait(waiter(name, TURN_BYTES), 'a');
  expect(turn()).toEqual(['one']);
  expect(turn()).toEqual(['two']);
  expect(turn()).toEqual(['three']);
});

test('an account with small pieces gets as much work done as one with large ones', () => {
  const { budget, waiter, turn } = stage();
  const [large, small] = [TURN_BYTES / 16, TURN_BYTES / 128];
  for (let piece = 0; piece < 200; piece++) budget.wait(waiter('L', large), 'attacker');
  for (let piece = 0; piece < 24; piece++) budget.wait(waiter('s', small), 'victim');
  expect(turn().join('')).toBe('LssssssssLssssssssLssssssssLLLLLLLLLL');
});

test('waiters that wait again are behind those of their account that have not gone on', () => {
  const { budget, turn } = stage();
  const went: string[] = [];
  const again = (name: string) => ({
    goOn() {
      went.push(name);
      if (budget.spend(TURN_BYTES)) budget.wait(this, 'a');
    },
  });
  for (const name of ['one', 'two', 'three']) budget.wait(again(name), 'a');
  for (let count = 0; count < 5; count++) turn();
  expect(went).toEqual(['one', 'two', 'three', 'one', 'two']);
});

test('a turn says that it is used up before the next piece is taken', () => {
  const { budget, turn } = stage();
  budget.spend(TURN_BYTES - 1);
  expect(budget.isUsedUp).toBe(false);
  budget.spend(1);
  expect(budget.isUsedUp).toBe(true);
  turn();
  expect(budget.isUsedUp).toBe(false);
});

test('a waiter that left is not called', () => {
  const { budget, waiter, turn } = stage();
  const left = waiter('left');
  budget.wait(left, 'a');
  budget.wait(waiter('stays'), 'a');
  budget.leave(left, 'a');
  budget.leave(left, 'another');
  expect(turn()).toEqual(['stays']);
});

test('while connections arrive, turns are short', () => {
  const { budget, turn } = stage();
  budget.hurry();
  expect(budget.spend(TURN_BYTES / 16)).toBe(true);
  turn();
  expect(budget.spend(TURN_BYTES / 16)).toBe(true);
  turn();
  expect(budget.spend(TURN_BYTES / 16)).toBe(false);
});

test('waiters that say what their next read costs go on as far as their reads fit into the turn', () => {
  const { budget, waiter, turn } = stage();
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    budget.wait({ ...waiter(name), readCost: name < 'd' ? TURN_BYTES / 2 : 1 }, '');
  expect(turn()).toEqual(['a', 'b']);
  expect(turn()).toEqual(['c', 'd', 'e']);
});
