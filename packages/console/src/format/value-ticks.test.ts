import { expect, test } from 'vitest';
import { valueTicks } from './value-ticks.ts';

test.each([
  [9.72, 1, [0, 5]],
  [1.08, 1, [0, 1]],
  [3.24, 1, [0, 2]],
  [2, 5, [0, 0.5, 1, 1.5, 2]],
  [0.00081, 4, [0, 0.0005]],
  [108, 3, [0, 50, 100]],
  [0, 3, [0]],
])('up to %d with room for %d the lines are %j', (max, count, ticks) => expect(valueTicks(max, count)).toEqual(ticks));
