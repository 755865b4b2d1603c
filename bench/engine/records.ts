/** Records of requests: a bare insert of the same JSON with all indexes, `usage_store` as it was, and as it is. */
import { BLAMED_OUTCOMES } from '../../packages/gateway/src/money/usage/outcome-class.ts';
import { BATCH, type Cost, interleaved, type Session } from './session.ts';

/** How many accounts, keys and models the events of a batch are spread over. */
export type Spread = { readonly accounts: number; readonly keys: number; readonly models: number };

/** A third of a batch: three events for each sum. */
export const WIDE: Spread = { accounts: 64, keys: Math.floor(BATCH / 3), models: 1 };
export const ONE_KEY: Spread = { accounts: 1, keys: 1, models: 1 };

let requests = 0;

function eventOf(at: number, { accounts, keys, models }: Spread): object {
  const [key, provider] = [at % keys, 'host-0'];
  const attempt = {
    provider,
    modelId: 'model-0',
    lane: 'verbatim',
    credential: 'main',
    status: 200,
    startMs: 1.2,
    connectedMs: 1.3,
  };
  return {
    requestId: `01K${String(++requests).padStart(23, '0')}`,
    accountId: `account-${key % accounts}`,
    keyId: `01KEY${String(key).padStart(21, '0')}`,
    askedModel: 'openai/gpt-5.1',
    operation: 'text',
    modelId: `openai/model-${key % models}`,
    provider,
    protocol: 'chat',
    outcome: 'ok',
    status: 200,
    receivedAtMs: Date.now() - 3000,
    durationMs: 400 + ((at * 7) % 9000),
    firstByteMs: 120 + (at % 300),
    inputTokens: 1200,
    outputTokens: 340,
    costNano: '12345',
    estimated: false,
    priceVersion: 'dGVzdC12ZXJzaW9u',
    details: {
      stream: true,
      lane: 'verbatim',
      usage: { prompt: 1200, completion: 340, inputCacheRead: 300 },
      lines: [
        { meter: 'input', kind: 'prompt', quantity: 1200, unit: 'token', priceUsd: '0.00000125', amountUsd: '0.0015' },
        { meter: 'output', kind: 'completion', quantity: 340, unit: 'token', priceUsd: '0.00001', amountUsd: '0.0034' },
      ],
      unpriced: [],
      attempts: [{ ...attempt, sentMs: 1.4, headMs: 118.1, firstContentMs: 120.2, endMs: 812.3, durationMs: 811.1 }],
      losses: [],
      leftOut: [{ provider: 'host-9', why: 'price' }],
      decision: {
        decidedBy: 'price',
        weighed: [
          { provider: 'host-1', picoUsd: '125000000', firstTokenMs: 120.1 },
          { provider: 'host-2', picoUsd: '135000000', firstTokenMs: 150.1 },
        ],
      },
      admittedMs: 0.4,
    },
  };
}

/** The columns of a record without any sum, and without a look at what the ledger knows. */
const BARE_INSERT = `
  insert into bare_events (request_id, day, account_id, key_id, model_id, provider, protocol, outcome, status, received_at, duration_ms,
    first_byte_ms, input_tokens, output_tokens, cost_nano, estimated, price_version, details, operation, asked_model, member_id, refused,
    stream, lane, attempts, losses, cached_tokens, unpriced)
  select "requestId", (at at time zone 'UTC')::date, "accountId", "keyId", "modelId", provider, protocol, outcome, status, at, "durationMs",
    "firstByteMs", "inputTokens", "outputTokens", "costNano", estimated, "priceVersion", details, operation, "askedModel", "memberId", false,
    (details ->> 'stream')::boolean, details ->> 'lane', jsonb_array_length(details -> 'attempts'),
    jsonb_array_length(details -> 'losses'), (details -> 'usage' ->> 'inputCacheRead')::bigint, jsonb_array_length(details -> 'unpriced') > 0
  from (
    select event.*, timestamptz 'epoch' + "receivedAtMs" * interval '1 millisecond' as at
    from jsonb_to_recordset($1::jsonb) as event (
      "requestId" text, "accountId" text, "keyId" text, "modelId" text, provider text, protocol text, outcome text,
      status smallint, "receivedAtMs" bigint, "durationMs" integer, "firstByteMs" integer, "inputTokens" bigint,
      "outputTokens" bigint, "costNano" bigint, estimated boolean, "priceVersion" text, details jsonb,
      operation text, "askedModel" text, "memberId" text)) given`;

export type RecordSessions = { readonly insert: Session; readonly before: Session; readonly now: Session };

export async function furnishRecords({ insert, before, now }: RecordSessions): Promise<void> {
  await insert.client.query('create table bare_events (like usage_events including all)');
  // A run may begin on one day and end on the next.
  for (const { client } of [before, now])
    await client.query('select trivium_usage_day(current_date), trivium_usage_day(current_date + 1)');
}

export function measureRecords(
  { insert, before, now }: RecordSessions,
  spread: Spread,
  rounds: number,
): Promise<Readonly<Record<keyof RecordSessions, Cost[]>>> {
  const events = (): string => JSON.stringify(Array.from({ length: BATCH }, (_, at) => eventOf(at, spread)));
  const store = (session: Session) => (): Promise<Cost> =>
    session.measure(`select ledger_post('[]', $1, $2)`, [events(), BLAMED_OUTCOMES]);
  return interleaved(rounds, {
    insert: () => insert.measure(BARE_INSERT, [events()]),
    before: store(before),
    now: store(now),
  });
}

/** Bytes on disk with indexes, of what was stored until now. */
export type Stored = { readonly record: number; readonly sums: number; readonly settle: number };

export async function storedBytes({ client }: Session): Promise<Stored> {
  const { rows } = await client.query(`
    select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'usage_events'::regclass)
        / (select count(*) from usage_events) as record,
      (pg_total_relation_size('usage_hourly') + pg_total_relation_size('usage_kind_hourly') + pg_total_relation_size('usage_tag_hourly'))
        / (select count(*) from usage_events) as sums,
      (pg_total_relation_size('ledger_entries') + pg_total_relation_size('ledger_accounts') + pg_total_relation_size('ledger_holds'))
        / (select count(*) from ledger_entries) as settle`);
  const [stored] = rows;
  const whole = (bytes: string): number => Math.round(Number(bytes));
  return { record: whole(stored.record), sums: whole(stored.sums), settle: whole(stored.settle) };
}
