/**
 * How long pages of the list of requests and sums of usage take on a table of N records: `npm run bench:records -- 2000000`,
 * or `-- --full` for 10 million. The last line is JSON with `ok`: every query within 300 ms at the 95th percentile.
 * Fills a separate database by SQL, spread over 30 days, and prints the median and the 95th percentile of each query.
 */

import { RecordRows } from '../packages/gateway/src/control/requests/record-rows.ts';
import { sumUsage } from '../packages/gateway/src/control/usage/sums-rows.ts';
import { UsageRows } from '../packages/gateway/src/control/usage/usage-rows.ts';
import { OUTCOMES_BY_CLASS } from '../packages/gateway/src/money/usage/outcome-class.ts';
import type { RecordFilter } from '../packages/gateway/src/money/usage/record-query.ts';
import type { SpendQuestion } from '../packages/gateway/src/money/usage/spend-question.ts';
import { OPERATOR, Store } from '../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase } from '../tests/support/database.ts';
import { DAY_MS, DAYS, fillRecords } from './fill-records.ts';

const HOUR_MS = 3_600_000;
const TRIES = 40;
const TARGET_MS = 300;
const MAX_ROWS = 10_000;

const FULL_ROWS = 10_000_000;

const rows = process.argv.includes('--full') ? FULL_ROWS : Number(process.argv[2] ?? 200_000);

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const database = await freshDatabase();
const store = new Store(database.settings);
try {
  const startedAt = performance.now();
  const { records: filled, bytesEach, untilMs: until, rollUpSeconds } = await fillRecords(database, rows);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${filled} records in ${seconds} s, ${bytesEach} bytes each with indexes`);
  console.log(`of it, rolled up in ${rollUpSeconds} s`);

  const records = new RecordRows(store);
  const usage = new UsageRows(store);
  const whole = { fromMs: until - DAYS * DAY_MS, untilMs: until, account: '*' };
  const page = (filter: Partial<RecordFilter>) => async (): Promise<void> => {
    const asked = { ...whole, ...filter };
    // Somewhere in the list: pages are reached by cursor.
    const receivedAtMs = asked.fromMs + Math.random() * (asked.untilMs - asked.fromMs);
    await records.list({ filter: asked, order: 'newest', limit: 100, after: { receivedAtMs, requestId: '0' } });
  };
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const span = { from: day(whole.fromMs), until: day(until) };
  const spend = (question: Partial<SpendQuestion>) => (): Promise<unknown> =>
    store.reading(OPERATOR, (db) =>
      sumUsage(
        db,
        {
          fromMs: whole.fromMs,
          untilMs: until,
          bucket: undefined,
          timeZone: 'UTC',
          groups: [],
          filter: {},
          withLatency: false,
          ...question,
        },
        MAX_ROWS,
      ),
    );
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    'page, all': page({}),
    'page, one account': page({ account: 'account-7' }),
    'page, one key': page({ keyId: 'key-77' }),
    'page, one model': page({ model: 'owner/model-3' }),
    'page, a rare model': page({ model: 'rare/model' }),
    'page, one provider': page({ provider: 'host-5' }),
    'page, failures': page({ outcomes: OUTCOMES_BY_CLASS.upstream }),
    'page, slow ones of one day': page({ fromMs: until - DAY_MS, minDurationMs: 9190 }),
    'bars, 30 days': () => records.histogram({ filter: whole, bucketMs: 12 * HOUR_MS }),
    'bars, one account, 30 days': () =>
      records.histogram({ filter: { ...whole, account: 'account-7' }, bucketMs: 12 * HOUR_MS }),
    'bars, one hour': () => records.histogram({ filter: { ...whole, fromMs: until - HOUR_MS }, bucketMs: 60_000 }),
    'sums by day and model, one account': () => usage.sums('account-7', { ...span, groups: ['day', 'model'] }),
    'sums by key, one account': () => usage.sums('account-7', { ...span, groups: ['key'] }),
    'spend of all, one sum': spend({}),
    'spend of all by day and model': spend({ bucket: 'day', groups: ['model'] }),
    'spend of all by account': spend({ groups: ['account'] }),
    'spend of all by account and key': spend({ groups: ['account', 'key'] }),
    'spend of all by provider and outcome': spend({ groups: ['provider', 'outcome'] }),
    'spend of all by local day and model': spend({ bucket: 'day', timeZone: 'Europe/Berlin', groups: ['model'] }),
    'times of all by day and provider': spend({ bucket: 'day', groups: ['provider'], withLatency: true }),
    'spend of one account by day and key': spend({ bucket: 'day', groups: ['key'], filter: { account: 'account-7' } }),
  };
  const above: string[] = [];
  for (const [name, ask] of Object.entries(questions)) {
    await ask();
    const times: number[] = [];
    for (let tries = 0; tries < TRIES; tries++) {
      const at = performance.now();
      await ask();
      times.push(performance.now() - at);
    }
    times.sort((a, b) => a - b);
    const p95 = quantile(times, 0.95);
    const verdict = p95 <= TARGET_MS ? 'ok' : `above ${TARGET_MS} ms`;
    if (p95 > TARGET_MS) above.push(`${name}: ${p95.toFixed(0)} ms`);
    console.log(
      `${name.padEnd(38)} p50 ${quantile(times, 0.5).toFixed(1).padStart(7)} ms   p95 ${p95.toFixed(1).padStart(7)} ms   ${verdict}`,
    );
  }
  console.log(JSON.stringify({ ok: above.length === 0, records: filled, targetMs: TARGET_MS, above }));
} finally {
  await store.close();
  await database.drop();
}
