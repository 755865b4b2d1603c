-- expand: sums of usage over a day, and over an hour without keys, made of the sums by the hour once these are over.
-- Which ones there are: src/store/postgres/rollup-levels.ts. A column that a level does not tell apart is null.
create table usage_rollups (
  level text not null,
  start timestamptz not null,
  account_id text,
  member_id text,
  key_id text,
  model_id text,
  provider text,
  protocol text,
  outcome text,
  lane text,
  tag text,
  value text,
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
  duration_counts bigint[]
);
create index usage_rollups_by_start on usage_rollups (level, start);
create index usage_rollups_by_account on usage_rollups (account_id, level, start) where account_id is not null;
alter table usage_rollups enable row level security;
alter table usage_rollups force row level security;
-- Rows over all accounts have no account, and equal none: only the operator sees them. As a `case`, of which the planner expects half
-- of the rows: of an `or` it expects one in 200, and then sorts them all on disk.
create policy own_usage on usage_rollups for select to trivium_app using (
  case when (select current_setting('trivium.tenant', true)) = '*' then true
    else account_id = (select current_setting('trivium.tenant', true)) end);
create policy writes on usage_rollups to trivium_writer using (true) with check (true);
grant select on usage_rollups to trivium_app;
grant select, insert, delete on usage_rollups to trivium_writer;

-- Hours and days, UTC, that are summed up in every level; the present day as far as its hours are.
create table usage_rollup_spans (
  unit text not null check (unit in ('hour', 'day')),
  start timestamptz not null,
  until timestamptz not null,
  primary key (unit, start)
);
grant select on usage_rollup_spans to trivium_app;
grant select, insert, update, delete on usage_rollup_spans to trivium_writer;

-- Hours whose sums changed when they were over: as long as one is listed, its span is read from the sums by the hour. A row for each
-- transaction: what summed the hour up deletes those it saw, and never one of a transaction that it did not.
create table usage_late_changes (
  hour timestamptz not null,
  change xid8 not null default pg_current_xact_id(),
  primary key (hour, change)
);
grant select on usage_late_changes to trivium_app;
grant select, insert, delete on usage_late_changes to trivium_writer;

create function trivium_list_late_change() returns trigger language plpgsql as $$
begin
  insert into usage_late_changes (hour) values (new.hour) on conflict do nothing;
  return null;
end $$;
-- An hour is summed up two hours after its end at the earliest: all transactions that began before this list begins are long over.
create trigger list_late_change after insert or update on usage_hourly for each row
  when (new.hour < now() - interval '2 hours') execute function trivium_list_late_change();
create trigger list_late_change after insert or update on usage_tag_hourly for each row
  when (new.hour < now() - interval '2 hours') execute function trivium_list_late_change();
create trigger list_late_change after insert or update on usage_kind_hourly for each row
  when (new.hour < now() - interval '2 hours') execute function trivium_list_late_change();
