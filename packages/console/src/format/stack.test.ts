import { expect, test } from 'vitest';
import { stacked } from './stack.ts';

test('each series is stacked on those before it, and a gap adds nothing', () =>
  expect(
    stacked([
      [1, 2, null],
      [10, null, 5],
      [0, 1, 1],
    ]),
  ).toEqual([
    [1, 2, 0],
    [11, 2, 5],
    [11, 3, 6],
  ]));
