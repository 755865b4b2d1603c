import { expect, test } from 'vitest';
import { BUDGET, consoleSizes } from './size.ts';

test('the console is as small as its budget says', { timeout: 120_000 }, async () => {
  const { firstViewBytes, allBytes } = await consoleSizes();
  expect(firstViewBytes).toBeLessThanOrEqual(BUDGET.firstViewBytes);
  expect(allBytes).toBeLessThanOrEqual(BUDGET.allBytes);
});
