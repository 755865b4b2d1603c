// Reports read rollups where they can: the sums equal those of the hours, to the nano-dollar, even with late events.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsToSum } from '../../packages/gateway/src/control/usage/row-sources.ts';
import { sumUsage } from '../../packages/gateway/src/control/usage/sums-rows.ts';
import { UsageRows } from '../../packages/gateway/src/control/usage/usage-rows.ts';
import { type EncodedEvent, keptOf } from '../../packages/gateway/src/money/usage/encoded-event.ts';
import type { UsageQuestion } from '../../packages/gateway/src/money/usage/question.ts';
import type { SpendQuestion } from '../../packages/gateway/src/money/usage/spend-question.ts';
import type { SpendSum } from '../../packages/gateway/src/money/usage/spend-sum.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.now();
const MIDNIGHT = Math.floor(NOW / DAY_MS) * DAY_MS;
const MOST = 10_000;

let database: TestDatabase;
let store: Store;
let rows: UsageRows;
let stored = 0;

const eventAt = (receivedAtMs: number, n: number): EncodedEvent =>
  keptOf({
    requestId: `r-${stored++}`,
    accountId: `account-${n % 3}`,
    keyId: `key-${n % 5}`,
    memberId: `member-${n % 5}`,
    modelId: `owner/model-${n % 4}`,
    provider: `host-${n % 2}`,
    protocol: n % 7 === 0 ? 'messages' : 'chat',
    outcome: n % 11 === 0 ? 'upstream-broken' : 'ok',
    status: 200,
    receivedAtMs,
    durationMs: 20 * (n % 90),
    firstByteMs: 10 * (n % 90),
    inputTokens: n,
    outputTokens: 5,
    costNano: String(1_000_003 * n + 1),
    estimated: false,
    priceVersion: 'v1',
    details: {
      stream: false,
      lane: 'verbatim',
      usage: { prompt: n, completion: 5 },
      lines: [],
      unpriced: [],
      attempts: [],
      losses: [],
      leftOut: [],
      tags: { team: `team-${n % 3}` },
    },
  });

beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  rows = new UsageRows(store);
  // One every five hours for four days, and some now.
  const times = Array.from({ length: 20 }, (_, at) => NOW - at * 5 * HOUR_MS);
  await rows.store(times.flatMap((at) => Array.from({ length: 30 }, (_, n) => eventAt(at, n))));
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const whole: SpendQuestion = {
  fromMs: MIDNIGHT - 5 * DAY_MS,
  untilMs: MIDNIGHT + DAY_MS,
  bucket: undefined,
  timeZone: 'UTC',
  groups: [],
  filter: {},
  withLatency: true,
};
const team = { key: 'team', isGroup: true };
const QUESTIONS: readonly Partial<SpendQuestion>[] = [
  {},
  { groups: ['account'] },
  { groups: ['member'] },
  { groups: ['account', 'key', 'model', 'provider'] },
  { bucket: 'day', groups: ['model'] },
  { bucket: 'day', groups: ['key'], timeZone: 'Asia/Kolkata' },
  { bucket: 'day', groups: ['provider'], timeZone: 'America/New_York' },
  { bucket: 'hour', groups: ['account'] },
  { bucket: 'month', groups: ['account', 'model'], timeZone: 'Europe/Berlin' },
  { groups: ['protocol', 'outcome'] },
  { bucket: 'day', groups: ['outcome', 'model'], timeZone: 'Europe/Berlin' },
  { groups: ['lane', 'key'], filter: { outcome: 'ok' } },
  { tag: team },
  { bucket: 'day', groups: ['account'], tag: team },
  { groups: ['model'], tag: { ...team, value: 'team-1' } },
  { filter: { key: 'key-2', model: 'owner/model-3' } },
  { bucket: 'day', filter: { member: 'member-1' } },
  // From the middle of a day to the middle of an hour.
  { fromMs: MIDNIGHT - 3 * DAY_MS + 7 * HOUR_MS, untilMs: NOW - 30 * HOUR_MS + 1, groups: ['key'] },
];

const sorted = (sums: readonly SpendSum[]): readonly string[] =>
  sums.map((sum) => JSON.stringify(sum, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).sort();

const ask = (tenant: string, question: Partial<SpendQuestion>): Promise<readonly SpendSum[]> =>
  store.reading(tenant, (db) => sumUsage(db, { ...whole, ...question }, MOST));

/** Removes all rollups. */
async function askHours(tenant: string, question: Partial<SpendQuestion>): Promise<readonly SpendSum[]> {
  const undone = new Error('undone');
  let sums: readonly SpendSum[] = [];
  await store
    .writing(
      tenant,
      (db) => sql`delete from usage_rollup_spans`.execute(db),
      async (db) => {
        sums = await sumUsage(db, { ...whole, ...question }, MOST);
        throw undone;
      },
    )
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return sums;
}

async function expectSameSums(): Promise<void> {
  for (const tenant of [OPERATOR, 'account-1'])
    for (const question of QUESTIONS) {
      const sums = sorted(await ask(tenant, question));
      expect(sums, JSON.stringify(question)).toEqual(sorted(await askHours(tenant, question)));
      expect(sums).not.toEqual([]);
    }
}

const rollUp = async (): Promise<number> => {
  let steps = 0;
  while (await rows.rollUpSome()) steps++;
  return steps;
};

const costOfAll = async (): Promise<bigint | undefined> => (await ask(OPERATOR, {}))[0]?.cost_nano;

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const span = { from: dayAt(whole.fromMs), until: dayAt(whole.untilMs) };
const OWN_QUESTIONS: readonly UsageQuestion[] = [
  { ...span, groups: ['day'] },
  { ...span, groups: ['hour', 'model'] },
  { ...span, groups: ['day', 'hour', 'key'] },
  { ...span, groups: ['provider', 'key', 'model'] },
  { ...span, groups: ['model'], key: 'key-1' },
  { ...span, groups: ['key'], model: 'owner/model-1', from: dayAt(NOW - 2 * DAY_MS) },
];

/** What an account asks about itself. */
const ownReports = async (): Promise<readonly unknown[]> => [
  ...(await Promise.all(OWN_QUESTIONS.map((question) => rows.sums('account-1', question)))),
  await rows.spent('account-1'),
  await rows.spent('account-1', 'key-1'),
  await rows.spent('account-1', 'key-of-another'),
];

test('days are rolled up one at a time, and the sums stay the same', async () => {
  const ownFromHours = await ownReports();
  expect(await rollUp()).toBeGreaterThanOrEqual(4);
  await expectSameSums();
  expect(await ownReports()).toEqual(ownFromHours);
});

test("an account's own reports read the rollups", async () => {
  const spent = await rows.spent('account-1');
  const [before] = await rows.sums('account-1', { ...span, groups: ['key'] });
  await sql`insert into usage_rollups select * from usage_rollups`.execute(store.writer);
  expect(await rows.spent('account-1')).toBeGreaterThan(spent);
  expect((await rows.sums('account-1', { ...span, groups: ['key'] }))[0]!.cost_nano).toBeGreaterThan(before!.cost_nano);
  await sql`delete from usage_rollup_spans`.execute(store.writer);
  await rollUp();
  expect(await rows.spent('account-1')).toBe(spent);
});

test('reports read the rollups', async () => {
  const before = await costOfAll();
  const { rows: levels } = await sql<{ level: string }>`select distinct level from usage_rollups`.execute(store.writer);
  expect(levels.length).toBeGreaterThan(10);
  await sql`delete from usage_rollups`.execute(store.writer);
  expect(await costOfAll()).toBeLessThan(before ?? 0n);
  await sql`delete from usage_rollup_spans`.execute(store.writer);
  await rollUp();
  expect(await costOfAll()).toBe(before);
});

test('late events are in the sums at once, and in the rollups after the next run', async () => {
  const before = (await costOfAll()) ?? 0n;
  await rows.store([eventAt(NOW - 50 * HOUR_MS, 1), eventAt(NOW - 51 * HOUR_MS, 2)]);
  expect(await costOfAll()).toBe(before + 3_000_011n);
  await expectSameSums();
  expect(await rollUp()).toBeGreaterThanOrEqual(1);
  await expectSameSums();
  expect(await costOfAll()).toBe(before + 3_000_011n);
});

test('a correction that is not yet committed when its hour is rolled up is not lost', async () => {
  const before = (await costOfAll()) ?? 0n;
  await store.writer.transaction().execute(async (db) => {
    for (const table of ['usage_hourly', 'usage_kind_hourly', 'usage_tag_hourly'])
      await sql`
        update ${sql.table(table)} set cost_nano = cost_nano + 7
        where hour = (select min(hour) from usage_hourly) and key_id = 'key-2'`.execute(db);
    await rows.store([eventAt(NOW - 95 * HOUR_MS + 60_000, 0)]);
    expect(await rollUp()).toBeGreaterThanOrEqual(1);
    expect(await costOfAll()).toBe(before + 1n);
  });
  expect(await costOfAll()).toBeGreaterThan(before + 1n);
  await expectSameSums();
  expect(await rollUp()).toBeGreaterThanOrEqual(1);
  await expectSameSums();
});

test('a report that has chosen its sources does not see a rollup that follows', async () => {
  const before = await costOfAll();
  const during = await store.reading(OPERATOR, async (db) => {
    const source = await rowsToSum(db, whole);
    await sql`insert into usage_rollups select * from usage_rollups`.execute(store.writer);
    const { rows: sums } = await sql<{ cost: bigint }>`
      select sum(cost_nano)::bigint as cost from (${source}) h`.execute(db);
    return sums[0]?.cost;
  });
  expect(during).toBe(before);
  expect(await costOfAll()).toBeGreaterThan(before ?? 0n);
  await sql`delete from usage_rollup_spans`.execute(store.writer);
  await rollUp();
  expect(await costOfAll()).toBe(before);
});

test('an account sees only its own rollups, and a connection without an account none', async () => {
  const seen = (tenant: string) =>
    store.within(tenant, async (db) => {
      const { rows: accounts } = await sql<{ id: string | null }>`
        select distinct account_id as id from usage_rollups`.execute(db);
      return accounts.map(({ id }) => id);
    });
  expect(await seen('account-1')).toEqual(['account-1']);
  expect(await seen('')).toEqual([]);
  expect(await seen(OPERATOR)).toContain(null);
});

test('rollups are removed with their sums', async () => {
  const tomorrow = new Date(MIDNIGHT + DAY_MS).toISOString().slice(0, 10);
  const longAgo = new Date(MIDNIGHT - 400 * DAY_MS).toISOString().slice(0, 10);
  while (await rows.forgetSome(longAgo, tomorrow));
  expect(await costOfAll()).toBe(0n);
  expect(await rollUp()).toBe(0);
  const { rows: left } = await sql<{ n: bigint }>`select count(*) as n from usage_rollups`.execute(store.writer);
  expect(left).toEqual([{ n: 0n }]);
});
