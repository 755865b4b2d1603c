/** Request records in PostgreSQL: pages without gaps, filters, bars, isolation; refused requests are not in the sums. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RecordRows } from '../../packages/gateway/src/control/requests/record-rows.ts';
import { UsageRows } from '../../packages/gateway/src/control/usage/usage-rows.ts';
import { requestIds } from '../../packages/gateway/src/kernel/request-ids.ts';
import { interruptedOf, keptOf } from '../../packages/gateway/src/money/usage/encoded-event.ts';
import { refusalEventOf, type UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import type { RecordFilter, RecordPage, RecordRow } from '../../packages/gateway/src/money/usage/record-query.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const HOUR_MS = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

let database: TestDatabase;
let store: Store;
let rows: UsageRows;
let records: RecordRows;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  rows = new UsageRows(store);
  records = new RecordRows(store);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const idAt = (ms: number): string => requestIds(() => ms)();

const eventOf = (accountId: string, ms: number, more: Partial<UsageEvent> = {}): UsageEvent => ({
  ...interruptedOf({
    requestId: idAt(ms),
    accountId,
    keyId: 'app',
    modelId: 'a/b',
    protocol: 'chat',
    receivedAtMs: ms,
  }),
  outcome: 'ok',
  status: 200,
  provider: 'hostly',
  operation: 'text',
  askedModel: 'b',
  memberId: 'ann',
  durationMs: 100,
  costNano: '5',
  priceVersion: 'v1',
  ...more,
});

const filterOf = (account: string, more: Partial<RecordFilter> = {}): RecordFilter => ({
  fromMs: NOW - 24 * HOUR_MS,
  untilMs: NOW + HOUR_MS,
  account,
  ...more,
});

async function allPages(
  filter: RecordFilter,
  order: RecordPage['order'],
  limit: number,
): Promise<readonly RecordRow[]> {
  const all: RecordRow[] = [];
  for (;;) {
    const after = all.at(-1);
    const page = await records.list({ filter, order, limit, ...(after !== undefined && { after }) });
    all.push(...page);
    if (page.length < limit) return all;
  }
}

test('pages hold every record once and in order, over days and within one millisecond', async () => {
  const times = Array.from({ length: 60 }, (_, n) => NOW - (n % 20) * HOUR_MS);
  const events = times.map((ms) => eventOf('paged', ms));
  await rows.store(events.map(keptOf));
  const wanted = events
    .toSorted((a, b) => a.receivedAtMs - b.receivedAtMs || (a.requestId < b.requestId ? -1 : 1))
    .map(({ requestId }) => requestId);
  for (const account of ['paged', '*'])
    expect((await allPages(filterOf(account), 'oldest', 7)).map(({ requestId }) => requestId)).toEqual(wanted);
  const newest = await allPages(filterOf('paged'), 'newest', 7);
  expect(newest.map(({ requestId }) => requestId)).toEqual(wanted.toReversed());
  expect(newest[0]).toMatchObject({
    accountId: 'paged',
    memberId: 'ann',
    askedModel: 'b',
    model: 'a/b',
    operation: 'text',
    costNano: 5n,
    isUnpriced: false,
    refused: false,
  });
});

test('every filter narrows the list in the database', async () => {
  const account = 'filtered';
  const details = { ...eventOf(account, NOW).details, lane: 'translated', usage: { prompt: 9, inputCacheRead: 4 } };
  const odd = eventOf(account, NOW, {
    keyId: 'other',
    memberId: 'bob',
    modelId: 'c/d',
    askedModel: 'd',
    provider: 'elsewhere',
    protocol: 'messages',
    operation: 'image',
    outcome: 'upstream-broken',
    status: 502,
    durationMs: 9000,
    costNano: '77',
    details,
  });
  await rows.store([odd, ...[1, 2, 3].map((n) => eventOf(account, NOW - n))].map(keptOf));
  const found = (more: Partial<RecordFilter>) =>
    records.list({ filter: filterOf(account, more), order: 'newest', limit: 9 });
  const filters: Partial<RecordFilter>[] = [
    { keyId: 'other' },
    { memberId: 'bob' },
    { model: 'c/d' },
    { model: 'c/*' },
    { askedModel: 'd' },
    { provider: 'elsewhere' },
    { protocol: 'messages' },
    { operation: 'image' },
    { outcomes: ['upstream-broken', 'internal'] },
    { status: [500, 599] },
    { minCostNano: 77n },
    { minDurationMs: 9000 },
    { requestId: odd.requestId },
    { fromMs: NOW },
  ];
  for (const filter of filters)
    expect(
      (await found(filter)).map(({ requestId }) => requestId),
      JSON.stringify(Object.keys(filter)),
    ).toEqual([odd.requestId]);
  expect(await found({})).toHaveLength(4);
  expect((await found({ requestId: odd.requestId }))[0]).toMatchObject({ lane: 'translated', cachedTokens: 4 });
  expect(await found({ model: 'c\u0000' })).toEqual([]);
});

test('an account sees its own records, and the operator all', async () => {
  const event = eventOf('mine', NOW);
  await rows.store([keptOf(event)]);
  const days = [NOW - 24 * HOUR_MS, NOW + 24 * HOUR_MS].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const one = (account: string) => records.one(account, event.requestId, days as [string, string]);
  expect(await one('mine')).toEqual(JSON.parse(JSON.stringify(event)));
  expect(await one('*')).toMatchObject({ requestId: event.requestId });
  expect(await one('theirs')).toBeUndefined();
  const page = { filter: filterOf('theirs', { requestId: event.requestId }), order: 'newest', limit: 9 } as const;
  expect(await records.list(page)).toEqual([]);
});

test('refused requests are listed and counted as refused, and are in no usage sum', async () => {
  const account = 'refusing';
  const refused = refusalEventOf(
    {
      requestId: idAt(NOW),
      protocol: 'chat',
      route: 'text-call',
      caller: { accountId: account, keyId: 'app' },
      askedModel: 'no/such',
      fault: { kind: 'over-rate', message: 'Rate limit exceeded.' },
      receivedAtMs: NOW,
      durationMs: 1,
    },
    12,
    (text) => text,
  );
  const at = NOW - 3 * HOUR_MS;
  const failed = eventOf(account, at, { outcome: 'upstream-timeout', status: 504 });
  await rows.store([refused, failed, eventOf(account, at), eventOf(account, NOW)].map(keptOf));
  const [first] = await records.list({
    filter: filterOf(account, { outcomes: ['over-rate'] }),
    order: 'newest',
    limit: 9,
  });
  expect(first).toMatchObject({ refused: true, askedModel: 'no/such', model: '', status: 429, isUnpriced: true });
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const sums = await rows.sums(account, { from: day(at), until: day(NOW + 24 * HOUR_MS), groups: ['model'] });
  expect(sums).toMatchObject([{ model: 'a/b', requests: 3n, failed: 1n, cost_nano: 15n }]);
  const bars = [
    { atMs: at, ok: 1, caller: 0, upstream: 1, gateway: 0 },
    { atMs: NOW, ok: 1, caller: 1, upstream: 0, gateway: 0 },
  ];
  // From hourly sums, and counted row by row.
  expect(await records.histogram({ filter: filterOf(account), bucketMs: HOUR_MS })).toEqual(bars);
  const all = await records.histogram({ filter: filterOf('*'), bucketMs: HOUR_MS });
  expect(all).toEqual(await records.histogram({ filter: filterOf('*', { minDurationMs: 0 }), bucketMs: HOUR_MS }));
  const counted = filterOf(account, { minDurationMs: 0 });
  expect(await records.histogram({ filter: counted, bucketMs: HOUR_MS })).toEqual(bars);
});

test('new rows can be followed, whenever their request was received', async () => {
  const [before] = (await records.storedAfter(undefined, 60_000, 5000)).slice(-1);
  const late = eventOf('followed', NOW - 20 * HOUR_MS);
  await rows.store([keptOf(late)]);
  const since = (before?.storedAtMs ?? NOW - HOUR_MS) - 1;
  expect((await records.storedAfter(since, 0, 5000)).map(({ requestId }) => requestId)).toContain(late.requestId);
});
