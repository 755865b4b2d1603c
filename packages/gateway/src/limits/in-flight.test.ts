import { expect, test } from 'vitest';
import { InFlightLimits } from './in-flight.ts';

const caller = (keyId: string) => ({ keyId, accountId: 'a', strict: false, mayUse: () => true });
const take = (limits: InFlightLimits, keyId: string) => {
  const taken = limits.take(caller(keyId));
  return 'kind' in taken ? taken.kind : taken;
};

test('one key, then everybody, is refused at the bound; a place given back is free again', () => {
  const limits = new InFlightLimits(() => ({ inFlight: 3, inFlightPerKey: 2 }));
  const first = take(limits, 'a');
  take(limits, 'a');
  expect(take(limits, 'a')).toBe('over-rate');
  expect(take(limits, 'b')).toBeTypeOf('object');
  expect(take(limits, 'c')).toBe('overloaded');
  if (typeof first === 'string') throw new Error('refused');
  first.release();
  first.release();
  expect(limits.taken).toBe(2);
  expect(take(limits, 'a')).toBeTypeOf('object');
  expect(take(limits, 'c')).toBe('overloaded');
});

test('new bounds count from the next request on', () => {
  let inFlight = 0;
  const limits = new InFlightLimits(() => ({ inFlight, inFlightPerKey: 10 }));
  expect(take(limits, 'a')).toBe('overloaded');
  inFlight = 1;
  expect(take(limits, 'a')).toBeTypeOf('object');
});
