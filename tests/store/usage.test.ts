/** Usage in PostgreSQL: stored once however often it is reported, summed in the same transaction, deleted in steps. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matching } from '../../packages/gateway/src/control/usage/unmatched-rows.ts';
import { UsageRows } from '../../packages/gateway/src/control/usage/usage-rows.ts';
import { requestIds } from '../../packages/gateway/src/kernel/request-ids.ts';
import { PostgresLedger } from '../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { type EncodedEvent, interruptedOf, keptOf } from '../../packages/gateway/src/money/usage/encoded-event.ts';
import type { UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import { BOUNDS_MS, BUCKETS } from '../../packages/gateway/src/money/usage/latency-histogram.ts';
import { dayOf } from '../../packages/gateway/src/money/usage/request-stamp.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { openPrepaid } from '../ledger-sql/money-stand.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let store: Store;
let rows: UsageRows;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  rows = new UsageRows(store);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const DAY_MS = 86_400_000;
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;

const usageOf = (requestId: string, members: Partial<UsageEvent> = {}): UsageEvent => ({
  requestId,
  accountId: 'acme',
  keyId: 'app',
  modelId: 'a/b',
  provider: 'hostly',
  protocol: 'chat',
  outcome: 'ok',
  status: 200,
  receivedAtMs: NOON,
  durationMs: 120,
  firstByteMs: 40,
  inputTokens: 10,
  outputTokens: 5,
  costNano: '1000',
  estimated: false,
  priceVersion: 'v1',
  details: {
    stream: false,
    usage: { prompt: 10, completion: 5 },
    lines: [],
    unpriced: [],
    attempts: [],
    losses: [],
    leftOut: [],
  },
  ...members,
});

const event = (requestId: string, members: Partial<UsageEvent> = {}): EncodedEvent =>
  keptOf(usageOf(requestId, members));

const today = (groups: ('day' | 'hour' | 'model' | 'key' | 'provider')[], account: string) =>
  rows.sums(account, {
    from: new Date(NOON - DAY_MS).toISOString().slice(0, 10),
    until: new Date(NOON + DAY_MS).toISOString().slice(0, 10),
    groups,
  });

test('sums keep a thousand values of a tag separate, and all others together', async () => {
  const details = (team: string) => ({ ...usageOf('').details, tags: { team } });
  const events = Array.from({ length: 1100 }, (_, at) =>
    event(`v-${at}`, { accountId: 'crowd', details: details(`team-${at}`) }),
  );
  // Create the partition of the day before both begin.
  await rows.store(events.slice(0, 1));
  await Promise.all([rows.store(events.slice(0, 600)), rows.store(events.slice(600))]);
  await rows.store([event('v-again', { accountId: 'crowd', details: details('team-9999') })]);
  const { rows: sums } = await sql<{ values: bigint; others: bigint; cost: bigint }>`
    select count(distinct value) as values, coalesce(sum(requests) filter (where value = 'other'), 0)::bigint as others,
      sum(cost_nano)::bigint as cost from usage_tag_hourly where account_id = 'crowd'`.execute(store.writer);
  expect(sums).toEqual([{ values: 1001n, others: 101n, cost: 1_101_000n }]);
});

test('days are those of UTC, whatever the time zone of the database server', async () => {
  const account = { accountId: 'zoned' };
  const day = dayOf(NOON);
  const [start, end] = [NOON - DAY_MS / 2, NOON + DAY_MS / 2];
  await rows.store([
    event('z-before', { ...account, receivedAtMs: start - 1 }),
    event('z-first', { ...account, receivedAtMs: start }),
    event('z-last', { ...account, receivedAtMs: end - 1 }),
  ]);
  const settings = { ...database.settings, url: `${database.url}?options=-c%20TimeZone%3DAsia%2FTokyo` };
  const elsewhere = new Store(settings);
  try {
    const question = { from: day, until: dayOf(end), groups: ['day'] as const };
    expect(await new UsageRows(elsewhere).sums('zoned', question)).toMatchObject([{ day, requests: 2n }]);
  } finally {
    await elsewhere.close();
  }
});

test('a batch reported twice, whole or in part, is stored and summed once', async () => {
  const account = { accountId: 'once' };
  const batch = ['r1', 'r2', 'r3'].map((id) => event(id, account));
  await rows.store(batch);
  await rows.store(batch);
  await rows.store([event('r3', account), event('r4', { ...account, outcome: 'upstream-broken' })]);
  expect(await today(['day'], 'once')).toMatchObject([
    { requests: 4n, failed: 1n, input_tokens: 40n, output_tokens: 20n, cost_nano: 4000n },
  ]);
});

test('latencies are counted in the buckets that quantiles are read from', async () => {
  const times = [0, ...BOUNDS_MS.flatMap((bound) => [bound - 1, bound])];
  await rows.store(
    times.map((durationMs, at) => event(`b-${at}`, { accountId: 'buckets', durationMs, firstByteMs: null })),
  );
  const { rows: sums } = await sql<{ counts: string; none: string }>`
    select duration_counts::text as counts, first_token_counts::text as none from usage_hourly
    where account_id = 'buckets'`.execute(store.writer);
  const counts = (each: number, last: number): string =>
    `{${[...Array.from({ length: BUCKETS - 1 }, () => each), last].join(',')}}`;
  // Values on both sides of each bound; for the last bound only the bound itself.
  expect(sums).toEqual([{ counts: counts(2, 1), none: counts(0, 0) }]);
});

test('two nodes that store overlapping events at once end with the same sums', async () => {
  const other = new UsageRows(store);
  const all = Array.from({ length: 200 }, (_, n) => event(`both-${n}`, { accountId: 'both', modelId: `m/${n % 7}` }));
  await Promise.all([rows, other].flatMap((one) => [one.store(all), one.store([...all].reverse())]));
  expect(await today(['day'], 'both')).toMatchObject([{ requests: 200n, cost_nano: 200_000n }]);
  expect(await today(['model'], 'both')).toHaveLength(7);
});

test('an account reads only its own rows', async () => {
  await rows.store([event('mine', { accountId: 'mine' })]);
  expect(await rows.find('mine', 'mine')).toMatchObject({ request_id: 'mine', cost_nano: 1000n, price_version: 'v1' });
  expect(await rows.find('other', 'mine')).toBeUndefined();
  expect(await today(['key'], 'other')).toEqual([]);
  expect(await rows.spent('mine')).toBe(1000n);
  expect(await rows.spent('mine', 'app')).toBe(1000n);
  expect(await rows.spent('mine', 'another')).toBe(0n);
});

test('characters that the database cannot store are removed from texts', async () => {
  const details = { ...usageOf('x').details, metadata: { note: 'a\u0000b\ud800c' } };
  await rows.store([event('odd', { accountId: 'odd', keyId: 'k\u0000', details })]);
  expect((await rows.find('odd', 'odd'))?.details.metadata).toEqual({ note: 'a\ufffdb\ufffdc' });
});

test('a refused batch is reported as refused; an unreachable database is not', async () => {
  const broken = event('late', { receivedAtMs: NOON - 500 * DAY_MS });
  const ledgerDatabase = new PostgresLedger(store.writer);
  const error = await ledgerDatabase.apply([{ do: 'usage', usage: broken }]).catch((caught: unknown) => caught);
  expect(ledgerDatabase.isRefusal(error)).toBe(true);
  expect(ledgerDatabase.isRefusal(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))).toBe(false);
  expect(ledgerDatabase.isRefusal(Object.assign(new Error('shutting down'), { code: '57P01' }))).toBe(false);
});

test('old days are deleted one at a time, then old sums, and the rest stays', async () => {
  const days = [200, 201, 0].map((ago) => event(`old-${ago}`, { accountId: 'old', receivedAtMs: NOON - ago * DAY_MS }));
  await rows.store(days);
  const keepFrom = new Date(NOON - 100 * DAY_MS).toISOString().slice(0, 10);
  let steps = 0;
  while (await rows.forgetSome(keepFrom, keepFrom)) steps++;
  expect(steps).toBe(3);
  expect(await rows.find('old', 'old-200')).toBeUndefined();
  expect(await rows.find('old', 'old-0')).toBeDefined();
  const left = await store.within(OPERATOR, (db) =>
    sql<{ n: bigint }>`select count(*) as n from usage_hourly where account_id = 'old'`.execute(db),
  );
  expect(left.rows).toEqual([{ n: 1n }]);
  const kinds = await sql<{ n: bigint }>`select count(*) as n from usage_kind_hourly where account_id = 'old'`.execute(
    store.writer,
  );
  expect(kinds.rows).toEqual([{ n: 1n }]);
});

describe('usage equals the charges in the ledger', () => {
  const ledgerDatabase = () => new PostgresLedger(store.writer);
  const look = async (): Promise<void> => {
    await sql`update usage_unmatched set look_at = now()`.execute(store.writer);
    while (await rows.matchSome());
  };
  const costOf = async (account: string, request: string): Promise<bigint | undefined> =>
    (await rows.find(account, request))?.cost_nano;
  const charged = async (account: string): Promise<bigint> =>
    (
      await sql<{ posted: bigint }>`select posted from ledger_accounts where account_id = ${account}`.execute(
        store.writer,
      )
    ).rows[0]!.posted;
  const interrupted = (accountId: string, requestId: string): EncodedEvent =>
    keptOf(interruptedOf({ ...usageOf(requestId), accountId }));

  test('usage of a crashed process equals its last checkpoint after the reap, once', async () => {
    await openPrepaid(store, 'dead', 10_000n);
    const figures = { account: 'dead', priceVersion: 'v1' };
    const hold = { do: 'hold', ...figures, epoch: 'dying', amount: 900n, scopes: [], idempotencyKey: '' } as const;
    await ledgerDatabase().apply([
      { do: 'register', node: 'n', epoch: 'dying' },
      { ...hold, request: 'd-far' },
      { ...hold, request: 'd-not' },
      { do: 'checkpoint', ...figures, request: 'd-far', lease: '', cost: 700n },
    ]);
    await rows.store([interrupted('dead', 'd-far'), interrupted('dead', 'd-not')]);
    await look();
    expect(await costOf('dead', 'd-far')).toBe(0n);
    await ledgerDatabase().apply([
      { do: 'end', epoch: 'dying' },
      { do: 'bury', account: 'dead' },
    ]);
    for (let times = 0; times < 2; times++) {
      await look();
      expect(await rows.find('dead', 'd-far')).toMatchObject({ cost_nano: 700n, price_version: 'v1' });
      expect(await costOf('dead', 'd-not')).toBe(0n);
      expect(await rows.spent('dead')).toBe(await charged('dead'));
      await rows.store([interrupted('dead', 'd-far')]);
    }
    expect(await today(['day'], 'dead')).toMatchObject([{ requests: 2n, failed: 2n, cost_nano: 700n }]);
  });

  test('usage matches a charge that the ledger gets only after the row was stored', async () => {
    await rows.store([interrupted('later', 'l-1')]);
    await look();
    const settle = { do: 'settle', account: 'later', lease: '', cost: 50n, estimated: true, memo: '' } as const;
    await ledgerDatabase().openAccount('later');
    await ledgerDatabase().apply([{ ...settle, request: 'l-1', priceVersion: 'v1' }]);
    await look();
    expect(await rows.spent('later')).toBe(50n);
  });

  test('matching reads only the partitions around the days of the requests', async () => {
    const requestIdAt = (ms: number): string => requestIds(() => ms)();
    const dayNames = (...ago: number[]) => ago.map((days) => dayOf(NOON - days * DAY_MS).replaceAll('-', ''));
    const [recent, old] = [requestIdAt(NOON), requestIdAt(NOON - 50 * DAY_MS)];
    const at = (ago: number) => ({ accountId: 'days', receivedAtMs: NOON - ago * DAY_MS });
    await rows.store([
      keptOf(interruptedOf(usageOf(old, at(50)))),
      ...[51, 49, 20, 2, 1, 0].map((ago) => event(`f-${ago}`, at(ago))),
    ]);
    const due = [recent, old].map((request_id) => ({ account_id: 'days', request_id, listed_at: new Date(NOON) }));
    const plan = await sql<object>`explain (format json) ${matching(due)}`.execute(store.writer);
    const read = new Set(JSON.stringify(plan.rows).match(/(?<=usage_events_)\d{8}(?=")/g));
    // Each day with the days before and after it; tomorrow has no partition yet.
    expect([...read].toSorted()).toEqual(dayNames(51, 50, 49, 1, 0));
    const settle = { do: 'settle', account: 'days', lease: '', cost: 70n, estimated: true, memo: '' } as const;
    await ledgerDatabase().openAccount('days');
    await ledgerDatabase().apply([{ ...settle, request: old, priceVersion: 'v1' }]);
    await look();
    expect(await costOf('days', old)).toBe(70n);
  });

  test('the sums of its tags equal the charge as well', async () => {
    const tagged = { accountId: 'tags', tags: { team: 'search', project: '' } };
    await rows.store([keptOf(interruptedOf({ ...usageOf('g-1'), ...tagged })), event('g-2', { accountId: 'tags' })]);
    await ledgerDatabase().openAccount('tags');
    const settle = { do: 'settle', account: 'tags', lease: '', cost: 55n, estimated: true, memo: '' } as const;
    await ledgerDatabase().apply([{ ...settle, request: 'g-1', priceVersion: 'v1' }]);
    await look();
    const sums = await sql<{ tag: string; value: string; cost_nano: bigint; requests: bigint }>`
      select tag, value, cost_nano, requests from usage_tag_hourly where account_id = 'tags' order by tag`.execute(
      store.writer,
    );
    expect(sums.rows).toEqual([
      { tag: 'project', value: '', cost_nano: 55n, requests: 1n },
      { tag: 'team', value: 'search', cost_nano: 55n, requests: 1n },
    ]);
  });

  test('the sums by protocol, outcome and lane equal the charge as well', async () => {
    await rows.store([
      keptOf(interruptedOf(usageOf('k-1', { accountId: 'kinds', protocol: 'responses' }))),
      event('k-2', { accountId: 'kinds' }),
    ]);
    await ledgerDatabase().openAccount('kinds');
    const settle = { do: 'settle', account: 'kinds', lease: '', cost: 55n, estimated: true, memo: '' } as const;
    await ledgerDatabase().apply([{ ...settle, request: 'k-1', priceVersion: 'v1' }]);
    await look();
    const sums = await sql<{ protocol: string; outcome: string; cost_nano: bigint; requests: bigint }>`
      select protocol, outcome, cost_nano, requests from usage_kind_hourly where account_id = 'kinds' order by protocol`.execute(
      store.writer,
    );
    expect(sums.rows).toEqual([
      { protocol: 'chat', outcome: 'ok', cost_nano: 1000n, requests: 1n },
      { protocol: 'responses', outcome: 'interrupted', cost_nano: 55n, requests: 1n },
    ]);
  });

  test('usage follows corrections after the reap, up and down, whether its row was matched before or comes later', async () => {
    await openPrepaid(store, 'late', 10_000n);
    const figures = { account: 'late', priceVersion: 'v1' };
    const hold = { do: 'hold', ...figures, epoch: 'stalled', amount: 900n, scopes: [], idempotencyKey: '' } as const;
    const settle = { do: 'settle', ...figures, lease: '', estimated: false, memo: '' } as const;
    await ledgerDatabase().apply([{ do: 'register', node: 'stalled', epoch: 'stalled' }]);
    for (const request of ['t-more', 't-less', 't-row'])
      await ledgerDatabase().apply([
        { ...hold, request },
        { do: 'checkpoint', ...figures, request, lease: '', cost: 700n },
      ]);
    await ledgerDatabase().apply([
      { do: 'end', epoch: 'stalled' },
      { do: 'bury', account: 'late' },
    ]);
    await rows.store([interrupted('late', 't-more'), interrupted('late', 't-less')]);
    await look();
    expect(await rows.spent('late')).toBe(1400n);
    await ledgerDatabase().apply([
      { ...settle, request: 't-more', cost: 850n },
      { ...settle, request: 't-less', cost: 600n },
      { ...settle, request: 't-row', cost: 1000n },
      { ...settle, request: 't-gone', lease: 'gone', cost: 40n },
    ]);
    const costNano = '40';
    await rows.store([event('t-row', { accountId: 'late' }), event('t-gone', { accountId: 'late', costNano })]);
    await look();
    expect(await costOf('late', 't-more')).toBe(850n);
    expect(await costOf('late', 't-less')).toBe(600n);
    expect(await costOf('late', 't-row')).toBe(1000n);
    expect(await rows.spent('late')).toBe(2490n);
    expect(await charged('late')).toBe(2490n);
  });
});

test('counts of histograms are added bucket by bucket, whatever their length', async () => {
  const counts = (length: number, of: (at: number) => number): readonly number[] =>
    Array.from({ length }, (_, at) => of(at));
  const full = counts(BUCKETS, (at) => at * 1_000_003);
  const others = [
    counts(BUCKETS, (at) => (at % 3) * 7),
    counts(BUCKETS - 2, (at) => at),
    counts(BUCKETS + 1, (at) => at),
  ];
  for (const other of others) {
    const longest = Math.max(full.length, other.length);
    const { rows: added } = await sql<{ sum: readonly bigint[] }>`
      select trivium_add_counts(${full}::bigint[], ${other}::bigint[]) as sum`.execute(store.writer);
    expect(added[0]?.sum.map(Number)).toEqual(counts(longest, (at) => (full[at] ?? 0) + (other[at] ?? 0)));
  }
  const { rows: kept } = await sql<{ left: readonly bigint[]; right: readonly bigint[]; none: null }>`
    select trivium_add_counts(${full}::bigint[], null) as left, trivium_add_counts(null, ${full}::bigint[]) as right,
      trivium_add_counts(null, null) as none`.execute(store.writer);
  expect([kept[0]?.left.map(Number), kept[0]?.right.map(Number), kept[0]?.none]).toEqual([full, full, null]);
});
