import { expect, test } from 'vitest';
import { MAX_LISTED_LOSSES, MORE_LOSSES, PathLosses } from './loss.ts';

test('a list of losses says once that there are more, and stops there', () => {
  const losses = new PathLosses();
  for (let count = 0; count < 2 * MAX_LISTED_LOSSES; count++) losses.add(`m${count}`, 'clamped');
  expect(losses.all).toHaveLength(MAX_LISTED_LOSSES + 1);
  expect(losses.all.at(-2)?.path).toBe(`m${MAX_LISTED_LOSSES - 1}`);
  expect(losses.all.at(-1)).toBe(MORE_LOSSES);
});

test('a path is listed once, with its first reason', () => {
  const losses = new PathLosses();
  losses.add('a', 'clamped');
  losses.addAll([{ path: 'a', why: 'foreign-seal' }]);
  expect(losses.all).toEqual([{ path: 'a', why: 'clamped' }]);
});
