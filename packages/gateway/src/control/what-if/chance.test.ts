import { expect, test } from 'vitest';
import { drawnAgain } from './chance.ts';
import { randomOf } from './evidence.ts';

const MANY = 20_000;
const shares = (of: Readonly<Record<string, number>>) => new Map(Object.entries(of));

/** Draws hosts under the old shares, then again under the new ones: the parts of each, and of those that moved. */
function drawMany(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const found: Record<string, number> = {};
  let moved = 0;
  const total = [...before.values()].reduce((sum, share) => sum + share, 0);
  for (let index = 0; index < MANY; index++) {
    let left = randomOf(`old-${index}`)[0] * total;
    const [was] = [...before].find(([, share]) => {
      left -= share;
      return left < 0;
    }) ?? [''];
    const host = drawnAgain(was, before, after, randomOf(`r-${index}`));
    found[host] = (found[host] ?? 0) + 1 / MANY;
    if (host !== was) moved += 1 / MANY;
  }
  return { found, moved };
}

test.each([
  ['equal shares move nothing', { a: 60, b: 40 }, { a: 6, b: 4 }, { a: 0.6, b: 0.4 }, 0],
  ['what one host loses goes to the others', { a: 50, b: 50 }, { a: 10, b: 90 }, { a: 0.1, b: 0.9 }, 0.4],
  ['a new host gets its share', { a: 1 }, { a: 3, c: 1 }, { a: 0.75, c: 0.25 }, 0.25],
  ['a host that is gone gives all of its own', { a: 50, b: 30, c: 20 }, { b: 30, c: 20 }, { b: 0.6, c: 0.4 }, 0.5],
])('%s', (_, before, after, wanted, moves) => {
  const { found, moved } = drawMany(shares(before), shares(after));
  for (const [host, part] of Object.entries(wanted)) expect(found[host]).toBeCloseTo(part, 1.7);
  expect(moved).toBeCloseTo(moves, 1.7);
});

test('a request draws the same numbers every time, and others draw others', () => {
  expect(randomOf('req-1')).toEqual(randomOf('req-1'));
  expect(randomOf('req-1')).not.toEqual(randomOf('req-2'));
});
