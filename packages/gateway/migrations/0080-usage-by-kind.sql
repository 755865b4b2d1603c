-- expand: sums by the hour also by protocol, outcome and lane, in a table of their own: those without are asked for far more often, and
-- have a fraction of the rows. Empty where it is not known: of hours before this step, and of requests that had none.
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
alter table usage_kind_hourly enable row level security;
alter table usage_kind_hourly force row level security;
create policy own_usage on usage_kind_hourly for select to trivium_app using (
  account_id = (select current_setting('trivium.tenant', true)) or (select current_setting('trivium.tenant', true)) = '*');
create policy writes on usage_kind_hourly to trivium_writer using (true) with check (true);
grant select on usage_kind_hourly to trivium_app;
grant select, insert, update, delete on usage_kind_hourly to trivium_writer;

insert into usage_kind_hourly
select account_id, hour, '', '', '', model_id, key_id, provider, member_id, requests, failed, refused, caller_faults, upstream_faults,
  gateway_faults, input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, unpriced, cost_nano,
  first_token_counts, duration_counts
from usage_hourly;
