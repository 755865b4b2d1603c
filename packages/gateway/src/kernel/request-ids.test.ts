import { expect, test } from 'vitest';
import { requestIds } from './request-ids.ts';

test('ids are 26 characters of the alphabet, never repeat, and sort by time', () => {
  let nowMs = 1_760_000_000_000;
  const next = requestIds(() => nowMs);
  const ids = Array.from({ length: 5000 }, () => next());
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  nowMs += 1;
  const later = next();
  expect(ids.every((id) => id < later)).toBe(true);
});

test('the time can be read back from an id', () => {
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const id = requestIds(() => 1_760_000_000_123)();
  const ms = [...id.slice(0, 10)].reduce((sum, letter) => sum * 32 + alphabet.indexOf(letter), 0);
  expect(ms).toBe(1_760_000_000_123);
});
