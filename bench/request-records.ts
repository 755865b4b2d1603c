/**
 * How long pages of the list of requests and sums of usage take on a table of N records: `npm run bench:records -- 2000000`.
 * Fills a database of its own by SQL, spread over 30 days, and prints the median and the 95th percentile of each question.
 */
import { Client } from 'pg';
import { RecordRows } from '../packages/gateway/src/store/postgres/record-rows.ts';
import { Store } from '../packages/gateway/src/store/postgres/store.ts';
import { UsageRows } from '../packages/gateway/src/store/postgres/usage-rows.ts';
import { OUTCOMES_BY_CLASS } from '../packages/gateway/src/usage/outcome-class.ts';
import type { RecordFilter } from '../packages/gateway/src/usage/record-query.ts';
import { freshDatabase } from '../tests/support/database.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAYS = 30;
const TRIES = 40;
const TARGET_MS = 300;

const rows = Number(process.argv[2] ?? 200_000);
const perDay = Math.ceil(rows / DAYS);
const until = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS;

/** One failure in fifty; one model and one key of a hundred thousandth of all requests. */
const fillDay = (day: string): string => `
  select trivium_usage_day(date '${day}');
  insert into usage_events (request_id, day, account_id, key_id, model_id, provider, protocol, outcome, status, received_at,
    duration_ms, first_byte_ms, input_tokens, output_tokens, cost_nano, estimated, price_version, details, operation,
    asked_model, member_id, stream, lane, attempts, losses, cached_tokens, unpriced, refused)
  select to_char(at, 'YYYYMMDDHH24MISS') || lpad(n::text, 12, '0'), date '${day}', 'account-' || n % 50, 'key-' || n % 1000,
    case when n % 100000 = 7 then 'rare/model' else 'owner/model-' || n % 40 end, 'host-' || n % 12, 'chat',
    case when n % 50 = 0 then 'upstream-broken' else 'ok' end, case when n % 50 = 0 then 502 else 200 end, at,
    200 + (n * 7919) % 9000, 210, 1200, 340, 8700000 + n % 1000, false, 'v', jsonb_build_object('stream', true, 'lane', 'verbatim',
      'usage', '{"prompt": 1200, "completion": 340}'::jsonb, 'lines', '[]'::jsonb, 'unpriced', '[]'::jsonb, 'losses', '[]'::jsonb,
      'leftOut', '[]'::jsonb, 'attempts', '[{"provider": "host", "lane": "verbatim", "startMs": 1, "sentMs": 1.2, "headMs": 200,
      "firstContentMs": 210, "endMs": 840, "durationMs": 839, "status": 200}]'::jsonb),
    'text', 'model', 'member-' || n % 200, true, 'verbatim', 1, 0, 0, false, false
  from generate_series(1, ${perDay}) n,
    lateral (select timestamptz '${day} 00:00Z' + n * (interval '24 hours' / ${perDay + 1}) as at) as times;
  insert into usage_hourly (account_id, hour, model_id, key_id, provider, requests, failed, input_tokens, output_tokens,
    cost_nano, upstream_faults)
  select account_id, date_trunc('hour', received_at, 'UTC'), model_id, key_id, provider, count(*),
    count(*) filter (where outcome <> 'ok'), sum(input_tokens), sum(output_tokens), sum(cost_nano),
    count(*) filter (where outcome <> 'ok')
  from usage_events where day = date '${day}' group by 1, 2, 3, 4, 5;
  insert into request_totals
  select date_trunc('hour', received_at, 'UTC'), n, count(*) filter (where outcome = 'ok'), 0,
    count(*) filter (where outcome <> 'ok'), 0
  from usage_events, generate_series(0, 15) n where day = date '${day}' group by 1, 2;`;

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const database = await freshDatabase();
const store = new Store(database.settings);
try {
  const owner = new Client({ connectionString: database.url });
  await owner.connect();
  const startedAt = performance.now();
  for (let day = DAYS - 1; day >= 0; day--)
    await owner.query(fillDay(new Date(until - (day + 1) * DAY_MS).toISOString().slice(0, 10)));
  await owner.query('vacuum analyze usage_events');
  await owner.query('vacuum analyze usage_hourly');
  const { rows: sizes } = await owner.query<{ bytes: string }>(
    "select sum(pg_total_relation_size(inhrelid))::text as bytes from pg_inherits where inhparent = 'usage_events'::regclass",
  );
  await owner.end();
  const bytesEach = Math.round(Number(sizes[0]?.bytes) / (perDay * DAYS));
  console.log(
    `${perDay * DAYS} records in ${Math.round((performance.now() - startedAt) / 1000)} s, ${bytesEach} bytes each with indexes`,
  );

  const records = new RecordRows(store);
  const usage = new UsageRows(store);
  const whole = { fromMs: until - DAYS * DAY_MS, untilMs: until, account: '*' };
  const page = (filter: Partial<RecordFilter>) => async (): Promise<void> => {
    const asked = { ...whole, ...filter };
    // Somewhere in the list: every page is reached by the place where the one before ended.
    const receivedAtMs = asked.fromMs + Math.random() * (asked.untilMs - asked.fromMs);
    await records.list({ filter: asked, order: 'newest', limit: 100, after: { receivedAtMs, requestId: '0' } });
  };
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const span = { from: day(whole.fromMs), until: day(until) };
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
  };
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
    console.log(
      `${name.padEnd(38)} p50 ${quantile(times, 0.5).toFixed(1).padStart(7)} ms   p95 ${p95.toFixed(1).padStart(7)} ms   ${verdict}`,
    );
  }
} finally {
  await store.close();
  await database.drop();
}
