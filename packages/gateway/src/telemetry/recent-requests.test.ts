import { expect, test } from 'vitest';
import type { RequestRecord } from '../kernel/record.ts';
import { RecentRequests } from './observe.ts';

const record = (requestId: string, receivedAtMs = 0, accountId = 'a'): RequestRecord =>
  ({ requestId, accountId, receivedAtMs }) as RequestRecord;

function opened(maxRequests = 3, ttlMs = 100) {
  const now = { ms: 0 };
  const bounds = { maxRequests, ttlMs };
  const recent = new RecentRequests(
    () => bounds,
    () => now.ms,
  );
  const found = (...ids: readonly string[]): string =>
    ids.flatMap((id) => recent.find('a', id)?.requestId ?? []).join('');
  return { recent, bounds, now, found };
}

test('a request is found by its account and by no other', () => {
  const { recent } = opened();
  recent.keep(record('1'));
  expect(recent.find('a', '1')?.requestId).toBe('1');
  expect(recent.find('b', '1')).toBeUndefined();
  expect(recent.find('a', '2')).toBeUndefined();
});

test('the oldest make room for the newest', () => {
  const { recent, found } = opened();
  for (const id of ['1', '2', '3', '4', '5']) recent.keep(record(id));
  expect(found('1', '2', '3', '4', '5')).toBe('345');
});

test('what is too old is gone', () => {
  const { recent, now, found } = opened();
  recent.keep(record('1', 0));
  recent.keep(record('2', 50));
  now.ms = 100;
  expect(found('1', '2')).toBe('2');
});

test('other bounds hold from the next request on', () => {
  const { recent, bounds, found } = opened();
  for (const id of ['1', '2', '3']) recent.keep(record(id));
  bounds.maxRequests = 2;
  for (const id of ['4', '5', '6']) recent.keep(record(id));
  expect(found('1', '2', '3', '4', '5', '6')).toBe('56');
  bounds.maxRequests = 4;
  for (const id of ['7', '8']) recent.keep(record(id));
  expect(found('7', '8')).toBe('78');
  bounds.maxRequests = 0;
  recent.keep(record('9'));
  expect(found('5', '6', '7', '8', '9')).toBe('');
});
