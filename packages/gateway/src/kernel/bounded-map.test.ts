import { expect, test } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

const filled = (maxEntries: number, ...keys: readonly string[]): BoundedMap<string, number> => {
  const map = new BoundedMap<string, number>(maxEntries);
  for (const [at, key] of keys.entries()) map.set(key, at);
  return map;
};

test('a full map evicts its oldest entry for a new one', () => {
  expect([...filled(3, 'a', 'b', 'c', 'd', 'e').entries()]).toEqual([
    ['c', 2],
    ['d', 3],
    ['e', 4],
  ]);
});

test('an entry that is set again becomes the newest, and evicts none', () => {
  const map = filled(3, 'a', 'b', 'c', 'a');
  expect([...map.keys()]).toEqual(['b', 'c', 'a']);
  map.set('d', 4);
  expect([...map.keys()]).toEqual(['c', 'a', 'd']);
});

test('deleted entries leave room, before and after the first eviction', () => {
  const map = filled(3, 'a', 'b', 'c', 'd');
  map.delete('b');
  map.set('e', 5);
  expect([...map.keys()]).toEqual(['c', 'd', 'e']);
  for (const key of ['c', 'd', 'e']) map.delete(key);
  for (const key of ['f', 'g', 'h', 'i']) map.set(key, 0);
  expect([...map.keys()]).toEqual(['g', 'h', 'i']);
});

test('order and bound hold through any mix of changes', () => {
  const map = new BoundedMap<number, number>(50);
  let expected: number[] = [];
  let seed = 7;
  for (let step = 0; step < 20_000; step++) {
    seed = (seed * 48_271) % 2_147_483_647;
    const key = seed % 120;
    expected = expected.filter((each) => each !== key);
    if (seed % 7 === 0) {
      map.delete(key);
      continue;
    }
    map.set(key, step);
    if (expected.length === 50) expected.shift();
    expected.push(key);
  }
  expect([...map.keys()]).toEqual(expected);
});

test('a missing value is computed once and kept', () => {
  const map = new BoundedMap<string, number>(2);
  let made = 0;
  const make = (): number => ++made;
  expect([map.getOrInsertComputed('a', make), map.getOrInsertComputed('a', make), map.get('a')]).toEqual([1, 1, 1]);
});
