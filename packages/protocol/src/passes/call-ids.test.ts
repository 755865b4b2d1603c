import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callIdForm } from './call-ids.ts';

test('ids get the required form, the same for the same, and never one for two', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 60 }),
      fc.integer({ min: 4, max: 12 }),
      (ids, length) => {
        const form = callIdForm(length);
        const formed = ids.map(form);
        expect(new Set(formed).size).toBe(ids.length);
        for (const id of formed) expect(id).toMatch(new RegExp(`^[A-Za-z0-9]{${length}}$`));
        expect(ids.map(form)).toEqual(formed);
      },
    ),
  );
});

test('an id that already fits is kept, so that a host gets its own back', () => {
  expect(callIdForm(9)('D681PevKs')).toBe('D681PevKs');
});

test('without a required length ids stay unchanged up to the 40 characters of the format’s home', () => {
  const form = callIdForm(0);
  expect(form('call_of_a_long_form')).toBe('call_of_a_long_form');
  expect(form('x'.repeat(40))).toBe('x'.repeat(40));
  const [long, other] = [form('x'.repeat(41)), form(`${'x'.repeat(64)}y`)];
  expect(long).toMatch(/^[A-Za-z0-9]{40}$/);
  expect(other).toMatch(/^[A-Za-z0-9]{40}$/);
  expect(other).not.toBe(long);
  expect(form('x'.repeat(41))).toBe(long);
});
