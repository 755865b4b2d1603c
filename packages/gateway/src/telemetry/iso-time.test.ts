import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoTimes } from './iso-time.ts';

describe('isoTimes', () => {
  test('prints the same as a Date, whatever came before', () => {
    const print = isoTimes();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), fc.nat(3000), (start, step) => {
        for (const time of [start, start + step]) expect(print(time)).toBe(new Date(time).toISOString());
      }),
    );
  });
});
