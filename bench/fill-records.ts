/** A table of request records as a busy gateway leaves it, made by SQL: spread over 30 days, with their hourly sums. */
import { Client } from 'pg';

export const DAY_MS = 86_400_000;
export const DAYS = 30;

/** One failure in fifty; one model and one key of a hundred thousandth of all requests. */
const fillDay = (day: string, perDay: number): string => `
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

export type Filled = {
  readonly records: number;
  /** With indexes. */
  readonly bytesEach: number;
  /** The end of the last day that has any. */
  readonly untilMs: number;
};

export async function fillRecords(databaseUrl: string, wanted: number): Promise<Filled> {
  const perDay = Math.ceil(wanted / DAYS);
  const untilMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS;
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    for (let day = DAYS; day > 0; day--)
      await owner.query(fillDay(new Date(untilMs - day * DAY_MS).toISOString().slice(0, 10), perDay));
    await owner.query('vacuum analyze usage_events');
    await owner.query('vacuum analyze usage_hourly');
    const { rows } = await owner.query<{ bytes: string }>(
      "select sum(pg_total_relation_size(inhrelid))::text as bytes from pg_inherits where inhparent = 'usage_events'::regclass",
    );
    const records = perDay * DAYS;
    return { records, bytesEach: Math.round(Number(rows[0]?.bytes) / records), untilMs };
  } finally {
    await owner.end();
  }
}
