import { describe, expect, test } from 'vitest';
import { ratioOf, spreadOf } from './statistics.ts';

describe('spreadOf', () => {
  test('takes the middle of an odd count and the mean of the two middles of an even one', () => {
    expect(spreadOf([9, 1, 10])).toEqual({ median: 9, min: 1, max: 10 });
    expect(spreadOf([4, 1, 10, 2])).toEqual({ median: 3, min: 1, max: 10 });
  });

  test('refuses an empty list', () => {
    expect(() => spreadOf([])).toThrow('no median');
  });
});

describe('ratioOf', () => {
  test('divides medians and takes its range from pairs of the same round', () => {
    // Round two was slow for both: the medians and the pairs must not see it as a difference.
    expect(ratioOf([2, 20, 3], [1, 10, 1])).toEqual({ median: 3, min: 2, max: 3 });
  });
});
