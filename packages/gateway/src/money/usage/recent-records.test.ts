import { expect, test } from 'vitest';
import type { UsageEvent } from './event.ts';
import { RecentReader } from './recent-reader.ts';
import { RecentRecords } from './recent-records.ts';
import type { RecordFilter } from './record-query.ts';

const event = (requestId: string, more: Partial<UsageEvent> = {}): UsageEvent =>
  ({
    requestId,
    accountId: 'a',
    modelId: 'm/one',
    receivedAtMs: 0,
    outcome: 'ok',
    status: 200,
    costNano: '0',
    durationMs: 1,
    details: { attempts: [], losses: [], unpriced: [], usage: {} },
    ...more,
  }) as unknown as UsageEvent;

function opened(maxRequests = 3, ttlMs = 100) {
  const now = { ms: 0 };
  const bounds = { maxRequests, ttlMs };
  const recent = new RecentRecords(
    () => bounds,
    () => now.ms,
    () => {
      throw new Error('events are kept as they are');
    },
  );
  const found = (...ids: readonly string[]): string => ids.flatMap((id) => recent.find(id)?.requestId ?? []).join('');
  return { recent, reader: new RecentReader(recent), bounds, now, found };
}

test('the newest records evict the oldest', () => {
  const { recent, found } = opened();
  for (const id of ['1', '2', '3', '4', '5']) recent.keep(event(id));
  expect(found('1', '2', '3', '4', '5')).toBe('345');
});

test('records older than the limit are gone', () => {
  const { recent, now, found } = opened();
  recent.keep(event('1'));
  recent.keep(event('2', { receivedAtMs: 50 }));
  now.ms = 100;
  expect(found('1', '2')).toBe('2');
});

test('changed bounds apply from the next request on', () => {
  const { recent, bounds, found } = opened();
  for (const id of ['1', '2', '3']) recent.keep(event(id));
  bounds.maxRequests = 2;
  for (const id of ['4', '5', '6']) recent.keep(event(id));
  expect(found('1', '2', '3', '4', '5', '6')).toBe('56');
  bounds.maxRequests = 4;
  for (const id of ['7', '8']) recent.keep(event(id));
  expect(found('7', '8')).toBe('78');
  bounds.maxRequests = 0;
  recent.keep(event('9'));
  expect(found('5', '6', '7', '8', '9')).toBe('');
});

test('a record is visible to its account and to the operator', async () => {
  const { recent, reader } = opened();
  recent.keep(event('1'));
  expect((await reader.one('a', '1'))?.requestId).toBe('1');
  expect((await reader.one('*', '1'))?.requestId).toBe('1');
  expect(await reader.one('b', '1')).toBeUndefined();
});

test('pages and histograms contain what matches the filter', async () => {
  const { recent, reader, now } = opened(10, 10_000);
  now.ms = 5000;
  recent.keep(event('1', { receivedAtMs: 1000 }));
  recent.keep(event('2', { receivedAtMs: 2000, outcome: 'upstream-broken', status: 502, modelId: 'm/two' }));
  recent.keep(event('3', { receivedAtMs: 2000, outcome: 'over-rate', status: 429, accountId: 'b' }));
  recent.keep(event('4', { receivedAtMs: 3000, durationMs: 900, costNano: '7' }));
  const ids = async (filter: Partial<RecordFilter>, after?: string): Promise<string> => {
    const place = after === undefined ? undefined : { receivedAtMs: 2000, requestId: after };
    const whole = { fromMs: 0, untilMs: 4000, account: '*', ...filter };
    const page = { filter: whole, order: 'newest', limit: 10, ...(place && { after: place }) } as const;
    return (await reader.list(page)).map(({ requestId }) => requestId).join('');
  };
  expect(await ids({})).toBe('4321');
  expect(await ids({}, '3')).toBe('21');
  expect(await ids({ fromMs: 2000, untilMs: 3000 })).toBe('32');
  expect(await ids({ account: 'b' })).toBe('3');
  expect(await ids({ model: 'm/*' })).toBe('4321');
  expect(await ids({ model: 'm/two' })).toBe('2');
  expect(await ids({ outcomes: ['over-rate', 'upstream-broken'] })).toBe('32');
  expect(await ids({ status: [500, 599] })).toBe('2');
  expect(await ids({ minDurationMs: 2 })).toBe('4');
  expect(await ids({ minCostNano: 7n })).toBe('4');
  const filter = { fromMs: 0, untilMs: 4000, account: '*' };
  expect(await reader.histogram({ filter, bucketMs: 2000 })).toEqual([
    { atMs: 0, ok: 1, caller: 0, upstream: 0, gateway: 0 },
    { atMs: 2000, ok: 1, caller: 1, upstream: 1, gateway: 0 },
  ]);
});
