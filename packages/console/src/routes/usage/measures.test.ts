import { expect, test } from 'vitest';
import { measures } from './measures.ts';

test('spend of a few nano-dollars is not shown as nothing', () =>
  expect(
    measures()
      .find(({ id }) => id === 'spend')
      ?.format(0.000_000_004),
  ).toBe('$0.000000004'));
