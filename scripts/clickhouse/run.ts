/**
 * The copy of records on ClickHouse's real engine (chdb, behind an HTTP front of ours): `npm run clickhouse -- [rows] [--full]`.
 * Records are stored while processes that copy them are killed with SIGKILL. Then every kind of report must be equal, to the
 * nano-dollar, to the sums by the hour in PostgreSQL. The last line is JSON with `ok`; exits 1 when it is false.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { sql } from 'kysely';
import { ClickHouse } from '../../packages/gateway/src/control/usage/clickhouse/clickhouse.ts';
import { REQUESTS_TABLE } from '../../packages/gateway/src/control/usage/clickhouse/clickhouse-schema.ts';
import { StoredSinkRows } from '../../packages/gateway/src/control/usage/sink-rows.ts';
import { sumUsage } from '../../packages/gateway/src/control/usage/sums-rows.ts';
import type { SpendQuestion } from '../../packages/gateway/src/money/usage/spend-question.ts';
import type { SpendSum } from '../../packages/gateway/src/money/usage/spend-sum.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { operatorAgent } from '../../packages/gateway/src/upstream/dialling-agent.ts';
import { freshDatabase } from '../../tests/support/database.ts';
import { startFront } from './front.ts';
import { DAYS, LAST_MS, storeRecords } from './records.ts';

const DEFAULT_ROWS = 200_000;
const FULL_ROWS = 2_000_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 120_000;
/** Of the records, stored before the copy begins: those are read by day. */
const EARLY_SHARE = 0.4;
/** Inserts after which one process after another dies; the last does not. */
const DEATHS = [1, 3, 2, 5, 1];
const CORRECTED_ROWS = 1000;
const PATIENCE_MS = 1_800_000;
const MAX_ROWS = 1_000_000;
const SINK = fileURLToPath(new URL('sink-process.ts', import.meta.url));

const wanted = process.argv.includes('--full')
  ? FULL_ROWS
  : Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? DEFAULT_ROWS);

const WHOLE: SpendQuestion = {
  fromMs: LAST_MS - DAYS * DAY_MS,
  untilMs: LAST_MS + DAY_MS,
  bucket: undefined,
  timeZone: 'UTC',
  groups: [],
  filter: {},
  withLatency: true,
};
const QUESTIONS: Readonly<Record<string, Partial<SpendQuestion>>> = {
  'one sum': {},
  'by account, member, key, model, provider': { groups: ['account', 'member', 'key', 'model', 'provider'] },
  'by protocol, outcome, lane': { groups: ['protocol', 'outcome', 'lane'] },
  'by day and outcome, of one account': { bucket: 'day', groups: ['outcome'], filter: { account: 'account-2' } },
  'by hour and account': { bucket: 'hour', groups: ['account'] },
  'by hour in Kolkata': { bucket: 'hour', timeZone: 'Asia/Kolkata', withLatency: false },
  'by day in Berlin and model': { bucket: 'day', timeZone: 'Europe/Berlin', groups: ['model'] },
  'by day in New York': { bucket: 'day', timeZone: 'America/New_York' },
  'by month in Kathmandu': { bucket: 'month', timeZone: 'Asia/Kathmandu', groups: ['provider'] },
  'by tag of many values': { tag: { key: 'team', isGroup: true } },
  'by day and tag': { bucket: 'day', tag: { key: 'stage', isGroup: true }, groups: ['account'] },
  'one value of a tag': { tag: { key: 'stage', isGroup: false, value: "dev'\\ü" }, groups: ['key'] },
  'one account by model': { filter: { account: 'account-3' }, groups: ['model'] },
  'all filters': {
    filter: { account: 'account-1', member: 'member-1', key: 'key-1', model: 'owner/model-3', provider: 'host-2' },
  },
  'no member': { filter: { member: '' }, groups: ['key'] },
  'an end within an hour': { fromMs: LAST_MS - 3 * DAY_MS, untilMs: LAST_MS - DAY_MS + HOUR_MS / 2, groups: ['model'] },
  'what is not there': { filter: { account: "nobody' or 1=1" }, groups: ['model'] },
};

/** The order of rows with equal cost and requests is not defined. */
const comparable = (sums: readonly SpendSum[]): string[] =>
  sums
    .map((sum) =>
      JSON.stringify(
        Object.entries(sum).sort(([a], [b]) => (a < b ? -1 : 1)),
        exactly,
      ),
    )
    .sort();
const exactly = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

const startSink = (databaseUrl: string, clickhouseUrl: string, dieAfter: number): ChildProcess =>
  spawn(
    process.execPath,
    [
      '--conditions=trivium-source',
      '--disable-warning=ExperimentalWarning',
      SINK,
      databaseUrl,
      clickhouseUrl,
      `${dieAfter}`,
    ],
    { stdio: 'inherit' },
  );

const problems: string[] = [];
const startedAt = performance.now();
const front = await startFront();
const database = await freshDatabase();
const store = new Store({ ...database.settings, statementMs: TIMEOUT_MS });
const agent = operatorAgent(new URL(front.url), { connectMs: TIMEOUT_MS, ca: [] }, 2);
const plain = createClient({
  url: front.url,
  http_agent: agent,
  request_timeout: TIMEOUT_MS,
  log: { level: ClickHouseLogLevel.OFF },
});
const clickhouse = await ClickHouse.open(
  { url: front.url, database: 'trivium', days: 400, timeoutMs: TIMEOUT_MS },
  agent,
);
const children: ChildProcess[] = [];

/** Rows as they are stored, and as every report reads them. */
async function counts(): Promise<{ stored: number; final: number }> {
  const query = `select (select count() from trivium.${REQUESTS_TABLE}) as stored, (select count() from trivium.${REQUESTS_TABLE} final) as final`;
  const answer = await plain.query({ query, format: 'JSONEachRow' });
  const [row] = await answer.json<{ stored: string; final: string }>();
  return { stored: Number(row?.stored), final: Number(row?.final) };
}

/** As requests are corrected whose charge becomes known later. */
const correct = () =>
  sql`with changed as (
      update usage_events set cost_nano = cost_nano + 7 where request_id in (
        select request_id from usage_events where not refused order by request_id limit ${CORRECTED_ROWS})
      returning account_id, date_trunc('hour', received_at, 'UTC') as hour, model_id, key_id, coalesce(provider, '') as provider,
        details -> 'tags' as tags, protocol, outcome, coalesce(lane, '') as lane),
    by_kind as (
      update usage_kind_hourly h set cost_nano = h.cost_nano + more from (
        select account_id, hour, protocol, outcome, lane, model_id, key_id, provider, 7 * count(*) as more
        from changed group by 1, 2, 3, 4, 5, 6, 7, 8) as c
      where (h.account_id, h.hour, h.protocol, h.outcome, h.lane, h.model_id, h.key_id, h.provider)
        = (c.account_id, c.hour, c.protocol, c.outcome, c.lane, c.model_id, c.key_id, c.provider)),
    by_tag as (
      update usage_tag_hourly h set cost_nano = h.cost_nano + more from (
        select account_id, hour, model_id, key_id, provider, tag.key as tag,
          trivium_tag_value(account_id, tag.key, tag.value) as value, 7 * count(*) as more
        from changed, jsonb_each_text(tags) as tag group by 1, 2, 3, 4, 5, 6, 7) as c
      where (h.account_id, h.hour, h.model_id, h.key_id, h.provider, h.tag, h.value)
        = (c.account_id, c.hour, c.model_id, c.key_id, c.provider, c.tag, c.value))
    update usage_hourly h set cost_nano = h.cost_nano + more from (
      select account_id, hour, model_id, key_id, provider, 7 * count(*) as more from changed group by 1, 2, 3, 4, 5) as c
    where (h.account_id, h.hour, h.model_id, h.key_id, h.provider) = (c.account_id, c.hour, c.model_id, c.key_id, c.provider)`.execute(
    store.writer,
  );

try {
  await plain.command({ query: 'create database trivium' });
  const early = Math.floor(wanted * EARLY_SHARE);
  await storeRecords(store, 0, early);
  const writing = storeRecords(store, early, wanted).then(correct);
  let kills = 0;
  for (const dieAfter of DEATHS) {
    const child = startSink(database.url, front.url, dieAfter);
    children.push(child);
    const [, signal] = await once(child, 'exit');
    if (signal === 'SIGKILL') kills++;
  }
  // Two at once, of which one feeds; it dies in the middle of whatever it does, and the other goes on.
  const first = startSink(database.url, front.url, 0);
  children.push(first);
  await sleep(2000);
  children.push(startSink(database.url, front.url, 0));
  await sleep(1000);
  first.kill('SIGKILL');
  await once(first, 'exit');
  kills++;
  await writing;
  const storedS = Math.round((performance.now() - startedAt) / 1000);

  const rows = new StoredSinkRows(store, Date.now);
  const isDone = async (): Promise<boolean> => (await rows.coveredFromMs()) !== undefined && (await rows.lagMs()) === 0;
  for (const endMs = performance.now() + PATIENCE_MS; !(await isDone()); await sleep(200))
    if (performance.now() > endMs) throw new Error('the copy does not come to its end');
  const copiedS = Math.round((performance.now() - startedAt) / 1000);

  const { stored, final } = await counts();
  if (final !== wanted) problems.push(`${final} records in ClickHouse, not ${wanted}`);
  let costNano = 0n;
  let compared = 0;
  for (const [name, changes] of Object.entries(QUESTIONS)) {
    const question = { ...WHOLE, ...changes };
    const ours = await store.within(OPERATOR, (db) => sumUsage(db, question, MAX_ROWS));
    const askedAt = performance.now();
    const theirs = await clickhouse.sums(question, MAX_ROWS);
    const tookMs = Math.round(performance.now() - askedAt);
    const [a, b] = [comparable(ours), comparable(theirs)];
    const at = a.findIndex((row, index) => row !== b[index]);
    const isEqual = a.length === b.length && at === -1;
    if (!isEqual)
      problems.push(`${name}: ${a.length} and ${b.length} rows; ${a[Math.max(at, 0)]} is not ${b[Math.max(at, 0)]}`);
    if (name === 'one sum') costNano = ours[0]?.cost_nano ?? 0n;
    compared += a.length;
    console.log(`${isEqual ? 'equal' : 'DIFFERS'}  ${name}: ${a.length} rows, ${tookMs} ms`);
  }
  const report = {
    ok: problems.length === 0,
    records: wanted,
    repeated: stored - final,
    kills,
    compared,
    costNano,
    storedS,
    copiedS,
    problems,
  };
  console.log(JSON.stringify(report, exactly));
} finally {
  for (const child of children) child.kill('SIGKILL');
  await clickhouse.close();
  await plain.close();
  agent.destroy();
  await store.close();
  await database.drop();
  await front.close();
}
process.exitCode = problems.length === 0 ? 0 : 1;
