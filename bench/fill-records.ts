/** A table of request records as a busy gateway leaves it, made by SQL: spread over 30 days, with their hourly sums, which are rolled up. */
import { Client } from 'pg';
import { UsageRows } from '../packages/gateway/src/control/usage/usage-rows.ts';
import { BOUNDS_MS, BUCKETS } from '../packages/gateway/src/money/usage/latency-histogram.ts';
import { Store } from '../packages/gateway/src/store/postgres/store.ts';
import type { TestDatabase } from '../tests/support/database.ts';

export const DAY_MS = 86_400_000;
export const DAYS = 30;

/** SQL expressions over `n` (number of the request in its day), `at` (its arrival time) and the expressions listed before. */
export type Traffic = {
  /** Arrival time as a fraction of the day, over `u`, which grows evenly from 0 to 1. */
  readonly time: string;
  /** Whether the request was sent at all. */
  readonly isSent: string;
  readonly account: string;
  readonly key: string;
  readonly member: string;
  readonly model: string;
  /** May also use `model`. */
  readonly provider: string;
  readonly protocol: string;
  /** May also use `provider`. */
  readonly isFailed: string;
  readonly firstByteMs: string;
  /** After the first byte. */
  readonly streamMs: string;
  readonly inputTokens: string;
  readonly outputTokens: string;
  /** May also use `model`, `input` and `output`. */
  readonly costNano: string;
};

/** Evenly over the day. One failure in fifty; one model of a hundred thousandth of all requests. */
const EVEN: Traffic = {
  time: 'u',
  isSent: 'true',
  account: `'account-' || n % 50`,
  key: `'key-' || n % 1000`,
  member: `'member-' || n % 200`,
  model: `case when n % 100000 = 7 then 'rare/model' else 'owner/model-' || n % 40 end`,
  provider: `'host-' || n % 12`,
  protocol: `'chat'`,
  isFailed: 'n % 50 = 0',
  firstByteMs: '210',
  streamMs: '(n::bigint * 7919 % 9000)::integer',
  inputTokens: '1200',
  outputTokens: '340',
  costNano: '8700000 + n % 1000',
};

const countsOf = (column: string): string => {
  const bucket = `width_bucket(${column}, array[${BOUNDS_MS.join(', ')}])`;
  return `array[${Array.from({ length: BUCKETS }, (_, at) => `count(*) filter (where ${bucket} = ${at})`).join(', ')}]`;
};

const SUM_COLUMNS =
  'requests, failed, input_tokens, output_tokens, cost_nano, upstream_faults, first_token_counts, duration_counts';
const SUMS = `count(*), count(*) filter (where outcome <> 'ok'), sum(input_tokens), sum(output_tokens), sum(cost_nano),
    count(*) filter (where outcome <> 'ok'), ${countsOf('first_byte_ms')}, ${countsOf('duration_ms')}`;

const fillDay = (day: string, perDay: number, of: Traffic): string => `
  select trivium_usage_day(date '${day}');
  insert into usage_events (request_id, day, account_id, key_id, model_id, provider, protocol, outcome, status, received_at,
    duration_ms, first_byte_ms, input_tokens, output_tokens, cost_nano, estimated, price_version, details, operation,
    asked_model, member_id, stream, lane, attempts, losses, cached_tokens, unpriced, refused)
  select to_char(at, 'YYYYMMDDHH24MISS') || lpad(n::text, 12, '0'), date '${day}', ${of.account}, ${of.key}, model, provider,
    ${of.protocol}, case when failed then 'upstream-broken' else 'ok' end, case when failed then 502 else 200 end, at,
    first_byte + ${of.streamMs}, first_byte, input, output, case when failed then 0 else ${of.costNano} end, false, 'v',
    jsonb_build_object('stream', true, 'lane', 'verbatim',
      'usage', '{"prompt": 1200, "completion": 340}'::jsonb, 'lines', '[]'::jsonb, 'unpriced', '[]'::jsonb, 'losses', '[]'::jsonb,
      'leftOut', '[]'::jsonb, 'attempts', '[{"provider": "host", "lane": "verbatim", "startMs": 1, "sentMs": 1.2, "headMs": 200,
      "firstContentMs": 210, "endMs": 840, "durationMs": 839, "status": 200}]'::jsonb),
    'text', model, ${of.member}, true, 'verbatim', 1, 0, 0, false, false
  from generate_series(1, ${perDay}) n,
    lateral (select n::float8 / ${perDay + 1} as u) as evenly,
    lateral (select timestamptz '${day} 00:00Z' + (${of.time}) * interval '24 hours' as at) as times,
    lateral (select ${of.model} as model, ${of.firstByteMs} as first_byte, ${of.inputTokens} as input, ${of.outputTokens} as output) as asked,
    lateral (select ${of.provider} as provider) as served,
    lateral (select ${of.isFailed} as failed) as ended
  where at < now() and (${of.isSent});
  insert into usage_hourly (account_id, hour, model_id, key_id, provider, ${SUM_COLUMNS})
  select account_id, date_trunc('hour', received_at, 'UTC'), model_id, key_id, provider, ${SUMS}
  from usage_events where day = date '${day}' group by 1, 2, 3, 4, 5;
  insert into usage_kind_hourly (account_id, hour, model_id, key_id, provider, protocol, outcome, lane, ${SUM_COLUMNS},
    refused, caller_faults, gateway_faults, cached_tokens, cache_write_tokens, reasoning_tokens, unpriced)
  select account_id, date_trunc('hour', received_at, 'UTC'), model_id, key_id, provider, protocol, outcome, lane, ${SUMS},
    0, 0, 0, 0, 0, 0, 0
  from usage_events where day = date '${day}' group by 1, 2, 3, 4, 5, 6, 7, 8;
  insert into request_totals
  select date_trunc('hour', received_at, 'UTC'), n, count(*) filter (where n = 0 and outcome = 'ok'), 0,
    count(*) filter (where n = 0 and outcome <> 'ok'), 0
  from usage_events, generate_series(0, 15) n where day = date '${day}' group by 1, 2;`;

export type Filled = {
  readonly records: number;
  /** With indexes. */
  readonly bytesEach: number;
  /** The end of the last day that has any. */
  readonly untilMs: number;
  readonly rollUpSeconds: number;
};

async function rollUp({ settings }: TestDatabase): Promise<number> {
  const startedAtMs = performance.now();
  const store = new Store(settings);
  const usage = new UsageRows(store);
  while (await usage.rollUpSome());
  await store.close();
  return Math.round((performance.now() - startedAtMs) / 1000);
}

export async function fillRecords(database: TestDatabase, wanted: number, traffic = EVEN): Promise<Filled> {
  const perDay = Math.ceil(wanted / DAYS);
  const untilMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS;
  const owner = new Client({ connectionString: database.url });
  await owner.connect();
  try {
    for (let day = DAYS; day > 0; day--)
      await owner.query(fillDay(new Date(untilMs - day * DAY_MS).toISOString().slice(0, 10), perDay, traffic));
    await owner.query('vacuum analyze usage_events');
    await owner.query('vacuum analyze usage_hourly');
    await owner.query('vacuum analyze usage_kind_hourly');
    const rollUpSeconds = await rollUp(database);
    await owner.query('vacuum analyze usage_rollups');
    const { rows } = await owner.query<{ records: string; bytes: string }>(
      `select (select count(*) from usage_events)::text as records, sum(pg_total_relation_size(inhrelid))::text as bytes
       from pg_inherits where inhparent = 'usage_events'::regclass`,
    );
    const records = Number(rows[0]?.records);
    return { records, bytesEach: Math.round(Number(rows[0]?.bytes) / records), untilMs, rollUpSeconds };
  } finally {
    await owner.end();
  }
}
