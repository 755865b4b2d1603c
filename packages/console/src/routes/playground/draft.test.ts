import { expect, test } from 'vitest';
import { withoutColumn } from './draft.ts';

test('the columns beside a removed one keep their answers, and a later one starts empty', () => {
  expect(withoutColumn([0, 1, 2], 0)).toEqual([1, 2, 3]);
  expect(withoutColumn([1, 2, 3], 1)).toEqual([1, 3, 4]);
});
