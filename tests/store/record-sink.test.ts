/** The order in which the record sink reads records: none is skipped, and changed ones are read again. */
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoredSinkRows } from '../../packages/gateway/src/control/usage/sink-rows.ts';
import { UsageRows } from '../../packages/gateway/src/control/usage/usage-rows.ts';
import { type EncodedEvent, interruptedOf, keptOf } from '../../packages/gateway/src/money/usage/encoded-event.ts';
import { dayOf } from '../../packages/gateway/src/money/usage/request-stamp.ts';
import { becomeSoleUser, RECORD_SINK_LOCK } from '../../packages/gateway/src/store/postgres/sole-user.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const DAY_MS = 86_400_000;
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const SINK = 'a-destination';

let database: TestDatabase;
let store: Store;
let usage: UsageRows;
let rows: StoredSinkRows;
let other: Client;
beforeEach(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  usage = new UsageRows(store);
  rows = new StoredSinkRows(store, Date.now);
  other = new Client({ connectionString: database.url });
  await other.connect();
});
afterEach(async () => {
  await other.end();
  await store.close();
  await database.drop();
});

const event = (requestId: string, tags?: Record<string, string>): EncodedEvent =>
  keptOf({
    ...interruptedOf({
      requestId,
      accountId: 'acme',
      keyId: 'app',
      memberId: 'ada',
      modelId: 'a/b',
      protocol: 'chat',
      receivedAtMs: NOON,
      tags,
    }),
    costNano: '1000',
  });

const INSERT_AS_OTHER = `insert into usage_events (request_id, day, account_id, key_id, model_id, protocol, outcome, status, received_at,
  duration_ms, input_tokens, output_tokens, cost_nano, estimated, details)
  values ($1, $2, 'acme', 'app', 'a/b', 'chat', 'ok', 200, now(), 1, 1, 1, 1, false, '{}')`;

type Copied = {
  readonly request_id: string;
  readonly cost_nano: number;
  readonly version: number;
  readonly tags: object;
};

/** Reads until no row is left. */
async function copyAll(limit = 2): Promise<readonly Copied[]> {
  const copied: Copied[] = [];
  for (;;) {
    const turn = await rows.draw(SINK);
    const { lines, next, isLast } = await rows.read(turn, limit);
    expect(lines.length).toBeLessThanOrEqual(limit);
    copied.push(...lines.map((line) => JSON.parse(line)));
    expect(await rows.advance(SINK, turn, next)).toBe(true);
    if (isLast) return copied;
  }
}

const idsOf = (copied: readonly Copied[]): string[] => [...new Set(copied.map(({ request_id }) => request_id))].sort();

/** Waits for the ids: a running transaction in any database of the server holds back the horizon of all databases. */
async function copyUntil(...ids: readonly string[]): Promise<readonly Copied[]> {
  const copied: Copied[] = [];
  const take = async (): Promise<readonly string[]> => {
    copied.push(...(await copyAll()));
    return idsOf(copied);
  };
  await expect.poll(take, { timeout: 20_000, interval: 50 }).toEqual(expect.arrayContaining([...ids]));
  return copied;
}

const isSettled = async (): Promise<boolean> => (await copyAll()).length === 0 && (await rows.lagMs()) === 0;
const settled = () => expect.poll(isSettled, { timeout: 20_000, interval: 50 }).toBe(true);

test('the sink copies existing rows in bounded batches, and then new ones', async () => {
  await usage.store(['a', 'b', 'c', 'd', 'e'].map((id) => event(id)));
  await copyUntil('a', 'b', 'c', 'd', 'e');
  await settled();
  await usage.store(['f', 'g', 'h', 'i'].map((id) => event(id)));
  await usage.store([event('j')]);
  expect(await rows.lagMs()).toBeGreaterThan(0);
  expect(idsOf(await copyUntil('f', 'g', 'h', 'i', 'j'))).toEqual(['f', 'g', 'h', 'i', 'j']);
  await settled();
});

test('the sink does not skip a transaction that began early and commits late', async () => {
  await usage.store([event('before')]);
  await copyUntil('before');
  await settled();
  await other.query('begin');
  await other.query(INSERT_AS_OTHER, ['late', dayOf(NOON)]);
  await usage.store([event('after')]);
  // `after` is held back too: its transaction id is above one that still runs.
  expect(await copyAll()).toEqual([]);
  expect(await rows.lagMs()).toBeGreaterThan(0);
  await other.query('commit');
  expect(idsOf(await copyUntil('after', 'late'))).toEqual(['after', 'late']);
});

test('the sink does not skip a transaction that is open while existing rows are copied', async () => {
  await usage.store([event('before')]);
  await other.query('begin');
  await other.query(INSERT_AS_OTHER, ['a-late-one', dayOf(NOON)]);
  expect(idsOf(await copyAll())).toEqual(['before']);
  await other.query('commit');
  await copyUntil('a-late-one');
});

test('the sink copies a changed row again, with a higher version', async () => {
  await usage.store([event('a'), event('b')]);
  const first = await copyUntil('a', 'b');
  await settled();
  await sql`update usage_events set cost_nano = 5 where request_id = 'a'`.execute(store.writer);
  const second = await copyUntil('a');
  expect(second.map(({ request_id, cost_nano }) => [request_id, cost_nano])).toEqual([['a', 5]]);
  expect(second[0]!.version).toBeGreaterThan(Math.max(...first.map(({ version }) => version)));
});

test('a process that another has overtaken cannot move the position', async () => {
  await usage.store([event('a')]);
  const slow = await rows.draw(SINK);
  const { next } = await rows.read(slow, 10);
  await rows.draw(SINK);
  expect(await rows.advance(SINK, slow, next)).toBe(false);
  await copyUntil('a');
});

test('the sink restarts from the beginning for another destination, and after a restore to another server', async () => {
  await usage.store([event('a'), event('b')]);
  await copyUntil('a', 'b');
  await settled();
  expect((await rows.draw('another')).isFilling).toBe(true);
  await copyUntil('a', 'b');
  await settled();
  await other.query(`update record_sinks set server = 'another'`);
  await copyUntil('a', 'b');
  await settled();
  await other.query('update record_sinks set next_tx = next_tx + 1000000000');
  await copyUntil('a', 'b');
});

test('tag values equal those of the sums: above the limit they are `other`', async () => {
  await other.query(
    `insert into usage_tag_values select 'acme', 'team', 'value-' || n from generate_series(1, 1000) as n`,
  );
  await usage.store([event('known', { team: 'value-7', stage: '' }), event('beyond', { team: 'new' })]);
  const copied = await copyUntil('known', 'beyond');
  expect(copied.find(({ request_id }) => request_id === 'known')?.tags).toEqual({ team: 'value-7', stage: '' });
  expect(copied.find(({ request_id }) => request_id === 'beyond')?.tags).toEqual({ team: 'other' });
});

test('one process at a time runs the sink, and the next takes over when it exits', async () => {
  const first = await becomeSoleUser(database.url, RECORD_SINK_LOCK);
  expect(first).toBeDefined();
  expect(await becomeSoleUser(database.url, RECORD_SINK_LOCK)).toBeUndefined();
  await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'trivium_sole_user' and datname = current_database()`);
  await expect.poll(() => first?.isLost, { timeout: 10_000 }).toBe(true);
  const second = await becomeSoleUser(database.url, RECORD_SINK_LOCK);
  expect(second).toBeDefined();
  await second?.release();
});

test('two connections that create the partition of a day at once both succeed', async () => {
  const day = dayOf(NOON - 9 * DAY_MS);
  await other.query('begin');
  await other.query('select trivium_usage_day($1)', [day]);
  const waiting = sql`select trivium_usage_day(${day}::date)`.execute(store.writer);
  const isWaiting = async () =>
    (
      await sql<{ n: bigint }>`select count(*) as n from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(store.app)
    ).rows[0]?.n;
  await expect.poll(isWaiting, { timeout: 10_000 }).toBe(1n);
  await other.query('commit');
  await expect(waiting).resolves.toBeDefined();
});
