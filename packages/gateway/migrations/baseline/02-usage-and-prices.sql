-- One row per finished request, in a partition per day, and sums by the hour kept in the same transaction.
create table usage_events (
  request_id text not null,
  -- Of receipt, UTC. Part of the key, so that a replay meets the row it repeats.
  day date not null,
  account_id text not null,
  key_id text not null,
  model_id text not null,
  provider text,
  protocol text not null,
  outcome text not null,
  status smallint not null,
  received_at timestamptz not null,
  duration_ms integer not null,
  first_byte_ms integer,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_nano bigint not null,
  estimated boolean not null,
  price_version text,
  -- Meters, lines of the bill, attempts, losses, why others were left out, the caller's own words.
  details jsonb not null,
  operation text,
  asked_model text,
  member_id text,
  stream boolean,
  lane text,
  attempts smallint,
  losses smallint,
  cached_tokens bigint,
  unpriced boolean,
  -- Refused before it was let in: no usage, no cost, in no sum but `refused`. Of a flood only some have a row.
  refused boolean not null default false,
  -- For readers that follow what is stored; rows are stored when requests end, so `received_at` does not tell.
  stored_at timestamptz default now(),
  stored_tx bigint default (pg_current_xact_id()::text::bigint),
  primary key (request_id, day)
) partition by range (day);
create index usage_events_by_account on usage_events (account_id, received_at);
alter table usage_events enable row level security, force row level security;

-- Whose rows they are is asked once per question, and not once per row.
create policy own_usage on usage_events for select to trivium_app using (
  account_id = (select current_setting('trivium.tenant', true)) or (select current_setting('trivium.tenant', true)) = '*');
create policy writer_usage on usage_events to trivium_writer using (true) with check (true);
grant select on usage_events to trivium_app;
grant select, insert on usage_events to trivium_writer;

create table usage_hourly (
  account_id text not null,
  hour timestamptz not null,
  model_id text not null,
  key_id text not null,
  provider text not null,
  requests bigint not null,
  failed bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_nano bigint not null,
  -- Failures by who is to blame, so that a histogram over days reads sums.
  caller_faults bigint not null default 0,
  upstream_faults bigint not null default 0,
  gateway_faults bigint not null default 0,
  refused bigint not null default 0,
  member_id text,
  cached_tokens bigint not null default 0,
  cache_write_tokens bigint not null default 0,
  reasoning_tokens bigint not null default 0,
  unpriced bigint not null default 0,
  first_token_counts bigint[],
  duration_counts bigint[],
  primary key (account_id, hour, model_id, key_id, provider)
);
create index usage_hourly_by_hour on usage_hourly (hour);
create index usage_hourly_by_key on usage_hourly (account_id, key_id, hour);
alter table usage_hourly enable row level security, force row level security;
create policy own_usage_hourly on usage_hourly for select to trivium_app using (
  account_id = (select current_setting('trivium.tenant', true)) or (select current_setting('trivium.tenant', true)) = '*');
create policy writer_usage_hourly on usage_hourly to trivium_writer using (true) with check (true);
grant select on usage_hourly to trivium_app;
grant select, insert, update, delete on usage_hourly to trivium_writer;

-- What a version of prices stood for, for as long as a bill may name it. Prices are nobody's in particular.
create table price_versions (
  version text primary key,
  rows jsonb not null,
  first_seen timestamptz not null default now()
);
grant select on price_versions to trivium_app;
grant select, insert on price_versions to trivium_writer;

-- Days come and go while the gateway runs as a role that owns nothing: these two may do what it may not.
-- Two nodes may need the partition of a new day at once. Who had to wait for the other may still not see it in the caches of the
-- catalogue, which a lock of ours does not refresh: what is there already is no error.
create function trivium_usage_day(wanted date) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  name text := 'usage_events_' || to_char(wanted, 'YYYYMMDD');
begin
  if wanted not between current_date - 400 and current_date + 2 then
    raise exception 'no partition for %', wanted using errcode = '22008';
  end if;
  if to_regclass(name) is not null then return; end if;
  perform pg_advisory_xact_lock(7214311);
  execute format('create table %I partition of usage_events for values from (%L) to (%L)', name, wanted, wanted + 1);
exception when duplicate_table then
  null;
end $$;
revoke all on function trivium_usage_day(date) from public;
grant execute on function trivium_usage_day(date) to trivium_writer;

-- One day at a time, the oldest first; the name of the one that went, or null when all others are to be kept.
create function trivium_forget_usage_day(keep_from date) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  oldest text;
begin
  select c.relname into oldest
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'usage_events'::regclass and c.relname < 'usage_events_' || to_char(keep_from, 'YYYYMMDD')
  order by c.relname limit 1;
  if oldest is null then return null; end if;
  -- Whoever reads or writes must not queue behind us for long.
  set local lock_timeout = '2s';
  execute 'drop' || format(' table %I', oldest);
  return oldest;
end $$;
revoke all on function trivium_forget_usage_day(date) from public;
grant execute on function trivium_forget_usage_day(date) to trivium_writer;

-- What operators say of prices and terms while the gateway runs. Rows are added and withdrawn, never changed.
create table price_changes (
  id text primary key,
  model_id text not null,
  provider text not null,
  dialect text,
  -- Days, UTC: the first one, and the first one no more.
  from_day date,
  until_day date,
  pricings jsonb not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  withdrawn_at timestamptz
);
alter table price_changes enable row level security, force row level security;
create policy operators_only on price_changes using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update (withdrawn_at) on price_changes to trivium_app;

create table account_terms (
  account_id text not null references accounts (id),
  id bigint generated always as identity,
  from_at timestamptz not null,
  -- Null: from then on the account pays what everybody pays.
  change_percent numeric(9, 4) check (change_percent between -100 and 9900),
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (account_id, id)
);
alter table account_terms enable row level security, force row level security;
create policy own_terms on account_terms for select using (trivium_sees(account_id));
create policy operators_set_terms on account_terms for insert with check (trivium_sees('*'));
grant select, insert on account_terms to trivium_app;

-- Every node takes up what has changed, whoever changed it.
create function trivium_tell_prices() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_prices', '');
  return null;
end $$;
create trigger tell after insert or update on price_changes for each statement execute function trivium_tell_prices();
create trigger tell after insert on account_terms for each statement execute function trivium_tell_prices();
