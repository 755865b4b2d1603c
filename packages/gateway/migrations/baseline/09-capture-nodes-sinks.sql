-- Content capture: which accounts and keys want it until when, the data keys it is encrypted under, and where it is.

-- Rules are added and never changed: the latest of an account or key counts, and the API can say why a request has no content.
create table capture_rules (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id) on delete cascade,
  -- Null: of the whole account.
  key_id text,
  bodies text not null check (bodies in ('off', 'errors', 'sample', 'all', 'inherit')),
  sample_percent double precision not null check (sample_percent > 0 and sample_percent <= 100),
  keep_hours integer not null check (keep_hours between 1 and 720),
  until_at timestamptz,
  from_at timestamptz not null default now(),
  created_by text not null,
  check (until_at is not null or bodies in ('off', 'inherit'))
);
create index capture_rules_latest on capture_rules (account_id, key_id, from_at desc);
alter table capture_rules enable row level security, force row level security;
create policy own_capture_rules on capture_rules using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert on capture_rules to trivium_app;

-- Every node takes up what has changed.
create function trivium_tell_capture() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_capture', new.account_id);
  return null;
end $$;
create trigger tell after insert on capture_rules for each row execute function trivium_tell_capture();

-- One data key per account, wrapped by the operator's. Without its row the content of the account is unreadable for good.
create table capture_keys (
  account_id text primary key references accounts (id) on delete cascade,
  id text not null unique check (id ~ '^cak_[A-Za-z0-9_-]{1,64}$'),
  sealed bytea not null,
  wrapped_key bytea not null,
  wrapping text not null,
  created_at timestamptz not null default now()
);
alter table capture_keys enable row level security, force row level security;
create policy own_capture_keys on capture_keys using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on capture_keys to trivium_app;

create table captures (
  request_id text primary key,
  account_id text not null,
  data_key_id text not null references capture_keys (id) on delete cascade,
  blob_id text not null,
  store_id text not null,
  bytes bigint not null,
  received_at timestamptz not null,
  expires_at timestamptz not null,
  stored_at timestamptz not null default now()
);
create index captures_by_account on captures (account_id, received_at desc);
create index captures_by_data_key on captures (data_key_id);
create index captures_by_expiry on captures (expires_at);
alter table captures enable row level security, force row level security;
create policy own_captures on captures using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, delete on captures to trivium_app;

-- Which stores nodes keep content in: from two folders on, some of it cannot be read everywhere.
create table capture_stores (
  id text primary key,
  kind text not null check (kind in ('folder', 's3')),
  seen_at timestamptz not null default now()
);
grant select, insert, update, delete on capture_stores to trivium_app;

-- Answers by Idempotency-Key. An account of the configuration file has no row in accounts, so there is no reference to it.
create table repeats (
  account_id text not null,
  key text not null check (length(key) between 1 and 255),
  -- SHA-256 of all that must be the same.
  content bytea not null check (length(content) = 32),
  -- Whoever makes the call; what a former one still writes misses.
  request_id text not null,
  node text not null,
  state text not null check (state in ('running', 'kept', 'too-long')),
  -- A node that stops saying so has died, and its key may be taken over.
  alive_until timestamptz not null,
  expires_at timestamptz not null,
  answer jsonb,
  body text,
  -- Answers are encrypted under the data key of their account: whoever deletes that key erases them. Those of accounts that can have no such
  -- key stay as they are.
  data_key_id text references capture_keys (id) on delete cascade,
  sealed bytea,
  primary key (account_id, key)
);
create index repeats_of_node on repeats (node) where state = 'running';
create index repeats_by_expiry on repeats (expires_at);
alter table repeats enable row level security, force row level security;
create policy own_repeats on repeats using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on repeats to trivium_app;
alter table repeats alter column sealed set storage external;
create index repeats_by_data_key on repeats (data_key_id) where data_key_id is not null;

-- As trivium_find_key, with what the account's keys share.
create function trivium_find_caller(presented bytea)
  returns table (id text, account_id text, member_id text, rights jsonb, expires_in_ms float8, account_status text, member_role text,
    account_rates jsonb)
  language plpgsql volatile as $$
declare
  caller record;
begin
  select * into caller from trivium_find_key(presented);
  if caller.id is null then return; end if;
  perform set_config('trivium.tenant', caller.account_id, true);
  return query
    select caller.id::text, caller.account_id::text, caller.member_id::text, caller.rights::jsonb, caller.expires_in_ms::float8,
      caller.account_status::text, caller.member_role::text, a.rate_limits
    from accounts a where a.id = caller.account_id;
  perform set_config('trivium.tenant', '', true);
end $$;

-- The processes that serve. Each writes its own row every few seconds; a row that is not renewed is deleted by any other.
create table nodes (
  id text primary key check (length(id) <= 300),
  seen_at timestamptz not null default now(),
  report jsonb not null check (pg_column_size(report) <= 8192),
  -- Its configuration without secrets, as one JSON text. Null: too large to be shown by other nodes.
  settings text check (octet_length(settings) <= 262144)
);
alter table nodes enable row level security, force row level security;
create policy operators_only on nodes using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on nodes to trivium_app;

-- Sums by the hour also by protocol, outcome and lane, in a table of their own: those without are asked for far more often, and
-- have a fraction of the rows. Empty where it is not known: of hours before there was this table, and of requests that had none.
create table usage_kind_hourly (
  account_id text not null,
  hour timestamptz not null,
  protocol text not null,
  outcome text not null,
  lane text not null,
  model_id text not null,
  key_id text not null,
  provider text not null,
  member_id text,
  requests bigint not null,
  failed bigint not null,
  refused bigint not null,
  caller_faults bigint not null,
  upstream_faults bigint not null,
  gateway_faults bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_tokens bigint not null,
  cache_write_tokens bigint not null,
  reasoning_tokens bigint not null,
  unpriced bigint not null,
  cost_nano bigint not null,
  first_token_counts bigint[],
  duration_counts bigint[],
  primary key (account_id, hour, protocol, outcome, lane, model_id, key_id, provider)
);
create index usage_kind_hourly_by_hour on usage_kind_hourly (hour);
alter table usage_kind_hourly enable row level security, force row level security;
create policy own_usage on usage_kind_hourly for select to trivium_app using (
  account_id = (select current_setting('trivium.tenant', true)) or (select current_setting('trivium.tenant', true)) = '*');
create policy writes on usage_kind_hourly to trivium_writer using (true) with check (true);
grant select on usage_kind_hourly to trivium_app;
grant select, insert, update, delete on usage_kind_hourly to trivium_writer;

-- Rows of usage are followed in an order that no late commit slips behind: the number of the transaction that wrote or changed them.
create index usage_events_by_tx on usage_events (stored_tx) where stored_tx is not null;

create function trivium_usage_changed() returns trigger language plpgsql as $$
begin
  new.stored_tx := pg_current_xact_id()::text::bigint;
  return new;
end $$;
create trigger usage_events_changed before update on usage_events
  for each row execute function trivium_usage_changed();

-- How far the copy of the records in an analytics database has come; one row for the one there is.
create table record_sinks (
  -- The mark that the destination bears: another one there is filled from the beginning.
  id text primary key,
  -- Of the server that numbers the transactions: after a restore into another the numbers mean nothing.
  server text not null,
  -- Later readings of a row bear a higher version. Also the fence: who has been overtaken can no longer move the position.
  version bigint not null,
  -- While rows from before are read: by day and id. Then: by transaction, day and id.
  is_filling boolean not null,
  next_tx bigint not null,
  after_day date not null,
  after_request text not null,
  -- The first day that the copy has in full.
  covered_from date not null
);
grant select, insert, update, delete on record_sinks to trivium_writer;
create policy reads on usage_tag_values for select to trivium_app using (trivium_sees('*'));
grant select on usage_tag_values to trivium_app;
