/**
 * The tables in ClickHouse. Rows are inserted at least once: ReplacingMergeTree keeps the one with the highest version
 * per sorting key, and every query reads with FINAL, so that duplicates count once, merged or not.
 */
export const REQUESTS_TABLE = 'trivium_requests';
export const MARK_TABLE = 'trivium_sink';

/** The columns of the sorting key never change for a request, and all its versions are in one partition. */
const CREATE_REQUESTS = `
create table if not exists ${REQUESTS_TABLE} (
  request_id String,
  received_at DateTime64(3, 'UTC'),
  account_id LowCardinality(String),
  key_id LowCardinality(String),
  member_id LowCardinality(String),
  asked_model LowCardinality(String),
  model_id LowCardinality(String),
  provider LowCardinality(String),
  protocol LowCardinality(String),
  operation LowCardinality(String),
  lane LowCardinality(String),
  outcome LowCardinality(String),
  status UInt16,
  refused Bool,
  stream Bool,
  estimated Bool,
  unpriced Bool,
  attempts UInt16,
  losses UInt16,
  input_tokens Int64,
  output_tokens Int64,
  cached_tokens Int64,
  cache_write_tokens Int64,
  reasoning_tokens Int64,
  cost_nano Int64,
  duration_ms UInt32,
  first_token_ms Nullable(UInt32),
  tags Map(LowCardinality(String), String),
  version UInt64
) engine = ReplacingMergeTree(version)
partition by toYYYYMM(received_at)
order by (toStartOfHour(received_at), account_id, request_id)`;

const CREATE_MARK = `
create table if not exists ${MARK_TABLE} (id String, created_at DateTime64(3, 'UTC') default now64(3))
engine = MergeTree order by created_at`;

/** Set separately, since the setting may differ from that of an existing table. */
const retention = (days: number): string =>
  `alter table ${REQUESTS_TABLE} modify ttl toDate(received_at) + toIntervalDay(${days})`;

export const schemaStatements = (days: number): readonly string[] => [CREATE_REQUESTS, CREATE_MARK, retention(days)];

export const READ_MARK = `select id from ${MARK_TABLE} order by created_at limit 1`;
