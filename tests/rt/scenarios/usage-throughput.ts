/** Usage of many requests into PostgreSQL with fsync on, and queries on a table of ten million of them. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { UsageRows } from '../../../packages/gateway/src/control/usage/usage-rows.ts';
import { requestIds } from '../../../packages/gateway/src/kernel/request-ids.ts';
import { startNodeLedger } from '../../../packages/gateway/src/money/ledger/start-node-ledger.ts';
import { type EncodedEvent, keptOf } from '../../../packages/gateway/src/money/usage/encoded-event.ts';
import { eventsInFormerJournal, interruptedIn } from '../../../packages/gateway/src/money/usage/journal-format.ts';
import { BLAMED_OUTCOMES } from '../../../packages/gateway/src/money/usage/outcome-class.ts';
import { Store } from '../../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase } from '../../support/database.ts';
import { rounded } from '../parts/load.ts';
import type { Stage } from '../parts/stage.ts';
import { atLeast, atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly events: number; readonly storedRows: number; readonly leastPerSecond: number };

const FEED = 50;
const MOST_WAITING = 5000;
const CLOSE_MS = 600_000;
const ACCOUNTS = 200;
const KEYS = 5;
const MODELS = 4;
const DAYS = 30;
const DAY_MS = 86_400_000;
const MOST_QUERY_MS = 100;
const QUERY_TRIES = 5;

const event = (n: number, receivedAtMs: number): EncodedEvent =>
  keptOf({
    requestId: `01K${String(n).padStart(23, '0')}`,
    accountId: `account-${n % ACCOUNTS}`,
    keyId: `key-${n % KEYS}`,
    modelId: `owner/model-${n % MODELS}`,
    provider: 'hostly',
    protocol: 'chat',
    outcome: n % 50 === 0 ? 'upstream-broken' : 'ok',
    status: 200,
    receivedAtMs,
    durationMs: 840,
    firstByteMs: 210,
    inputTokens: 1200,
    outputTokens: 340,
    costNano: '8700000',
    estimated: false,
    priceVersion: 'dGVzdC12ZXJzaW9u',
    details: {
      stream: true,
      lane: 'verbatim',
      usage: { prompt: 1000, inputCacheRead: 200, completion: 300, internalReasoning: 40 },
      lines: ['prompt', 'inputCacheRead', 'completion', 'internalReasoning'].map((meter) => ({
        meter,
        kind: meter,
        quantity: 300,
        unit: 'perMTokens',
        priceUsd: '3',
        amountUsd: '0.0009',
      })),
      unpriced: [],
      attempts: [{ provider: 'hostly', lane: 'verbatim', durationMs: 830 }],
      losses: [],
      leftOut: [],
    },
  });

/** Like one process: through its journal, in batches one after the other, with a bounded queue. */
async function storeAll(store: Store, events: number, nowMs: number, stage: Stage): Promise<number> {
  const ledger = await startNodeLedger({
    writer: store.writer,
    journalFolder: stage.folder,
    nextId: requestIds(Date.now),
    monotonicMs: () => performance.now(),
    usage: { interrupted: interruptedIn, inFormerJournal: eventsInFormerJournal, blamedOutcomes: BLAMED_OUTCOMES },
    onTrouble: (error) => {
      throw error;
    },
  });
  const started = performance.now();
  for (let n = 0; n < events; n++) {
    ledger.usage.keep(event(n, nowMs));
    if (n % FEED > 0) continue;
    await setImmediate();
    while (ledger.usage.waiting > MOST_WAITING) await setTimeout(1);
  }
  if (!(await ledger.close(CLOSE_MS))) throw new Error(`${ledger.usage.waiting} events were not stored`);
  return events / ((performance.now() - started) / 1000);
}

/**
 * Rows of the past, made by the database itself: a day at a time in a table of its own that joins the others when it is
 * indexed, which takes a fraction of the time; then the sums as the gateway would have kept them.
 */
async function fillPast(url: string, storedRows: number, nowMs: number, stage: Stage): Promise<void> {
  const perDay = Math.ceil(storedRows / DAYS);
  const owner = new Client({ connectionString: url });
  await owner.connect();
  try {
    for (let ago = DAYS; ago >= 1; ago--) {
      const day = new Date(nowMs - ago * DAY_MS).toISOString().slice(0, 10);
      await owner.query(dayOfUsage(day, perDay));
    }
    await owner.query('analyze usage_hourly');
  } finally {
    await owner.end();
  }
  stage.say(`${perDay * DAYS} rows of the past`);
}

const dayOfUsage = (day: string, rows: number): string => {
  const table = `usage_events_${day.replaceAll('-', '')}`;
  return `
    create table ${table} (like usage_events including defaults);
    insert into ${table}
    select '${day}-' || n, date '${day}', 'account-' || n % ${ACCOUNTS}, 'key-' || n / ${ACCOUNTS} % ${KEYS},
      'owner/model-' || n / ${ACCOUNTS * KEYS} % ${MODELS}, 'hostly', 'chat', 'ok', 200,
      timestamptz '${day} 00:00Z' + (n % 86400) * interval '1 second', 840, 210, 1200, 340, 8700000, false, 'v', '{}'
    from generate_series(1, ${rows}) n;
    alter table ${table} add primary key (request_id, day);
    create index on ${table} (account_id, received_at);
    alter table ${table} add check (day = '${day}');
    alter table usage_events attach partition ${table}
      for values from ('${day}') to (date '${day}' + 1);
    insert into usage_hourly
    select account_id, date_trunc('hour', received_at, 'UTC'), model_id, key_id, provider, count(*), 0,
      sum(input_tokens), sum(output_tokens), sum(cost_nano)
    from ${table} group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5;`;
};

async function slowest(work: () => Promise<unknown>): Promise<number> {
  let worst = 0;
  for (let n = 0; n < QUERY_TRIES; n++) {
    const started = performance.now();
    await work();
    worst = Math.max(worst, performance.now() - started);
  }
  return rounded(worst, 1);
}

async function run({ events, storedRows, leastPerSecond }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const store = new Store({ ...database.settings, statementMs: 600_000 });
  stage.atEnd(() => store.close());
  const rows = new UsageRows(store);
  const nowMs = Date.now();
  const durable = await sql<{ fsync: string; commit: string }>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`.execute(store.writer);
  const isDurable = durable.rows[0]?.fsync === 'on' && durable.rows[0]?.commit === 'on';
  if (storedRows > 0) await fillPast(database.url, storedRows, nowMs, stage);
  await rows.store([event(events, nowMs)]);
  const perSecond = rounded(await storeAll(store, events, nowMs, stage), 0);
  const stored = await rows.spent('account-0');
  const span = {
    from: new Date(nowMs - (DAYS + 1) * DAY_MS).toISOString().slice(0, 10),
    until: new Date(nowMs + DAY_MS).toISOString().slice(0, 10),
  };
  // As a report reads it from the time in the id.
  const around = { first: new Date(nowMs - DAY_MS).toISOString().slice(0, 10), last: span.until };
  const queries = {
    byAccountAndDay: await slowest(() => rows.sums('account-7', { ...span, groups: ['day'] })),
    byKey: await slowest(() => rows.sums('account-7', { ...span, groups: ['day', 'key'], key: 'key-2' })),
    byModel: await slowest(() => rows.sums('account-7', { ...span, groups: ['model'] })),
    byId: await slowest(() => rows.find('account-7', `01K${String(7).padStart(23, '0')}`, around)),
  };
  return {
    figures: { events, perSecond, storedRows: storedRows + events, ...queries, nanoOfOneAccount: Number(stored) },
    checks: [
      exactly('fsync and synchronous_commit on', isDurable ? 1 : 0, 1),
      atLeast('events stored per second', perSecond, leastPerSecond),
      ...Object.entries(queries).map(([name, ms]) => atMost(`ms ${name}`, ms, MOST_QUERY_MS)),
    ],
  };
}

export const usageThroughput = scenario<Parameters>({
  name: 'usage-throughput',
  shows: 'usage of 5,000 requests a second is stored durably, and sums over ten million rows are read within 100 ms',
  // The short form shares its machine with everything else CI runs.
  short: { events: 30_000, storedRows: 100_000, leastPerSecond: 2000 },
  full: { events: 100_000, storedRows: 10_000_000, leastPerSecond: 5000 },
  run,
});
