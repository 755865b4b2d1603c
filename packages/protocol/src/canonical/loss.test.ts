import { expect, test } from 'vitest';
import { type Loss, listLoss, MAX_LISTED_LOSSES, MORE_LOSSES } from './loss.ts';

test('a list of losses says once that there are more, and stops there', () => {
  const losses: Loss[] = [];
  for (let count = 0; count < 2 * MAX_LISTED_LOSSES; count++) listLoss(losses, { path: `m${count}`, why: 'clamped' });
  expect(losses).toHaveLength(MAX_LISTED_LOSSES + 1);
  expect(losses.at(-2)?.path).toBe(`m${MAX_LISTED_LOSSES - 1}`);
  expect(losses.at(-1)).toBe(MORE_LOSSES);
});
