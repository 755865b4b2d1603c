import { expect, test } from 'vitest';
import { AbsentCalls } from './absent-calls.ts';

const TTL_MS = 60_000;

test('a call missed once is looked up again soon, one missed twice not before its TTL ends', () => {
  let nowMs = 0;
  const absent = new AbsentCalls(() => nowMs);
  absent.missed('a', TTL_MS);
  expect(absent.has('a')).toBe(true);
  nowMs = 5000;
  expect(absent.has('a')).toBe(false);
  absent.missed('a', TTL_MS);
  nowMs = 64_000;
  expect(absent.has('a')).toBe(true);
  nowMs = 65_000;
  expect(absent.has('a')).toBe(false);
});

test('a call without seals is not looked up, unless they are stored after all', () => {
  const absent = new AbsentCalls(() => 0);
  absent.never('a', TTL_MS);
  expect([absent.has('a'), absent.has('b')]).toEqual([true, false]);
  absent.forget('a');
  expect(absent.has('a')).toBe(false);
});

test('the oldest is evicted first', () => {
  const absent = new AbsentCalls(() => 0);
  for (let call = 0; call <= 20_000; call++) absent.never(`${call}`, TTL_MS);
  expect([absent.size, absent.has('0'), absent.has('1')]).toEqual([20_000, false, true]);
});
