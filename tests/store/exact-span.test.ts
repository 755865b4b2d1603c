// A span begins and ends at its edges to the millisecond, wherever its parts are read from.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RecordRows } from '../../packages/gateway/src/control/requests/record-rows.ts';
import { sumUsage } from '../../packages/gateway/src/control/usage/sums-rows.ts';
import { UsageRows } from '../../packages/gateway/src/control/usage/usage-rows.ts';
import { keptOf } from '../../packages/gateway/src/money/usage/encoded-event.ts';
import type { UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import type { SpendQuestion } from '../../packages/gateway/src/money/usage/spend-question.ts';
import type { SpendSum } from '../../packages/gateway/src/money/usage/spend-sum.ts';
import { divide } from '../../packages/gateway/src/store/postgres/exact-span.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW = Date.now();
const HOUR = Math.floor(NOW / HOUR_MS) * HOUR_MS;
const MOST = 10_000;

let database: TestDatabase;
let store: Store;
let rows: UsageRows;

const eventOf = (at: number): UsageEvent => {
  const refused = at % 9 === 4;
  return {
    requestId: `r-${at}`,
    accountId: `account-${at % 2}`,
    keyId: `key-${at % 3}`,
    modelId: refused ? '' : `owner/model-${at % 4}`,
    provider: refused ? null : `host-${at % 2}`,
    protocol: 'chat',
    outcome: refused ? 'over-rate' : at % 7 === 0 ? 'upstream-broken' : at % 13 === 0 ? 'cancelled' : 'ok',
    ...(refused && { refused: true }),
    status: 200,
    receivedAtMs: NOW - at * 7 * MINUTE_MS - at * 37,
    durationMs: at,
    firstByteMs: refused ? null : at,
    inputTokens: at,
    outputTokens: 5,
    costNano: refused ? '0' : String(1_000_003 * at + 1),
    estimated: false,
    priceVersion: 'v1',
    details: {
      stream: false,
      lane: 'verbatim',
      usage: { inputCacheWrite: at, internalReasoning: 2 },
      lines: [],
      unpriced: [],
      attempts: [],
      losses: [],
      leftOut: [],
      tags: { team: `team-${at % 3}` },
    },
  };
};
const EVENTS = Array.from({ length: 500 }, (_, at) => eventOf(at));

beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  rows = new UsageRows(store);
  await rows.store(EVENTS.map(keptOf));
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const SPANS: readonly (readonly [string, number, number])[] = [
  ['within one hour', HOUR - 50 * MINUTE_MS, HOUR - 20 * MINUTE_MS],
  ['over one hour', HOUR - 65 * MINUTE_MS - 1, HOUR - 20 * MINUTE_MS],
  ['over a day', HOUR - 30 * HOUR_MS - 17 * MINUTE_MS, HOUR - 4 * HOUR_MS - 1],
  ['until now', NOW - 24 * HOUR_MS, NOW + MINUTE_MS],
  ['from an hour to within one', HOUR - 20 * HOUR_MS, HOUR - 3 * HOUR_MS + 12_345],
];

const isIn = (fromMs: number, untilMs: number, account?: string) =>
  EVENTS.filter(
    ({ receivedAtMs, accountId }) =>
      receivedAtMs >= fromMs && receivedAtMs < untilMs && (account === undefined || account === accountId),
  );

const ask = (
  tenant: string,
  question: Partial<SpendQuestion> & { readonly fromMs: number; readonly untilMs: number },
) =>
  store.reading(tenant, (db) =>
    sumUsage(db, { bucket: undefined, timeZone: 'UTC', groups: [], filter: {}, withLatency: true, ...question }, MOST),
  );

const figuresOf = (sums: readonly SpendSum[]) => ({
  recorded: sums.reduce((sum, { requests, refused }) => sum + Number(requests + refused), 0),
  errors: sums.reduce((sum, row) => sum + Number(row.caller_faults + row.upstream_faults + row.gateway_faults), 0),
  failed: sums.reduce((sum, { failed }) => sum + Number(failed), 0),
  costNano: sums.reduce((sum, { cost_nano }) => sum + cost_nano, 0n),
  cacheWrite: sums.reduce((sum, row) => sum + Number(row.cache_write_tokens), 0),
  timed: sums.reduce((sum, row) => sum + row.first_token_counts!.reduce((all, one) => all + Number(one), 0), 0),
});

const expected = (events: readonly UsageEvent[]) => ({
  recorded: events.length,
  errors: events.filter(({ outcome }) => outcome !== 'ok').length,
  failed: events.filter(({ outcome, refused }) => outcome !== 'ok' && refused !== true).length,
  costNano: events.reduce((sum, { costNano }) => sum + BigInt(costNano), 0n),
  cacheWrite: events.reduce((sum, { details }) => sum + (details.usage.inputCacheWrite ?? 0), 0),
  timed: events.filter(({ firstByteMs }) => firstByteMs !== null).length,
});

describe.each([
  ['from the hourly tables', false],
  ['from rollups', true],
])('read %s', (_, isRolledUp) => {
  beforeAll(async () => {
    while (isRolledUp && (await rows.rollUpSome()));
  });

  test.each(SPANS)('sums of a span %s have its rows, however they are grouped', async (_name, fromMs, untilMs) => {
    const groupings: readonly Partial<SpendQuestion>[] = [
      {},
      { bucket: 'hour' },
      { bucket: 'day', timeZone: 'Asia/Kolkata', groups: ['account'] },
      { groups: ['account', 'key', 'model', 'provider', 'member'] },
      { groups: ['protocol', 'outcome', 'lane'] },
    ];
    const events = isIn(fromMs, untilMs);
    expect(events.length).toBeGreaterThan(0);
    for (const grouping of groupings)
      expect(figuresOf(await ask(OPERATOR, { fromMs, untilMs, ...grouping })), JSON.stringify(grouping)).toEqual(
        expected(events),
      );
    const own = await ask('account-1', { fromMs, untilMs, groups: ['key'] });
    expect(figuresOf(own)).toEqual(expected(isIn(fromMs, untilMs, 'account-1')));
    const tagged = await ask(OPERATOR, { fromMs, untilMs, tag: { key: 'team', isGroup: true } });
    expect(figuresOf(tagged)).toEqual(expected(events));
    for (const sum of tagged)
      expect(Number(sum.requests + sum.refused)).toBe(
        events.filter(({ details }) => details.tags?.['team'] === sum.tag).length,
      );
  });

  test.each(SPANS)(
    'the histogram of a span %s has its rows, with and without filters',
    async (_name, fromMs, untilMs) => {
      const records = new RecordRows(store);
      const countOf = async (filter: object, bucketMs = HOUR_MS): Promise<number> =>
        (await records.histogram({ filter: { account: '*', fromMs, untilMs, ...filter }, bucketMs })).reduce(
          (sum, { ok, caller, upstream, gateway }) => sum + ok + caller + upstream + gateway,
          0,
        );
      const events = isIn(fromMs, untilMs);
      expect(await countOf({})).toBe(events.length);
      expect(await countOf({}, MINUTE_MS)).toBe(events.length);
      expect(await countOf({ keyId: 'key-1' })).toBe(events.filter(({ keyId }) => keyId === 'key-1').length);
      expect(await countOf({ account: 'account-0' })).toBe(isIn(fromMs, untilMs, 'account-0').length);
    },
  );
});

test('once single rows are deleted, the edges of a span are rounded to the hour', async () => {
  const today = Math.floor(NOW / (24 * HOUR_MS)) * 24 * HOUR_MS;
  const [fromMs, untilMs] = [today - 10 * HOUR_MS, today - 4 * HOUR_MS];
  const whole = expected(isIn(fromMs, untilMs));
  while (await rows.forgetSome(new Date(today).toISOString().slice(0, 10), '2020-01-01'));
  expect(figuresOf(await ask(OPERATOR, { fromMs: fromMs + MINUTE_MS, untilMs: untilMs - MINUTE_MS }))).toEqual(whole);
});

test('the hour that lasts is whole, and the parts of others are edges', () => {
  const [from, until] = [HOUR - 3 * HOUR_MS + 5, HOUR + 10];
  expect(divide({ fromMs: from, untilMs: until }, HOUR + 10, 0)).toEqual({
    hours: { fromMs: HOUR - 2 * HOUR_MS, untilMs: HOUR + HOUR_MS },
    edges: [{ fromMs: from, untilMs: HOUR - 2 * HOUR_MS }],
  });
  expect(divide({ fromMs: from, untilMs: until }, HOUR + HOUR_MS, 0)).toEqual({
    hours: { fromMs: HOUR - 2 * HOUR_MS, untilMs: HOUR },
    edges: [
      { fromMs: from, untilMs: HOUR - 2 * HOUR_MS },
      { fromMs: HOUR, untilMs: until },
    ],
  });
  expect(divide({ fromMs: from, untilMs: from + 5 }, HOUR, 0).edges).toEqual([{ fromMs: from, untilMs: from + 5 }]);
  expect(divide({ fromMs: from, untilMs: until }, HOUR + HOUR_MS, HOUR - HOUR_MS)).toEqual({
    hours: { fromMs: HOUR - 3 * HOUR_MS, untilMs: HOUR },
    edges: [{ fromMs: HOUR, untilMs: until }],
  });
});
