-- expand: requests of all accounts by the hour and by who is to blame: sums by account, model and key are too many rows to add up
-- for a histogram of all. Several rows an hour, so that batches of different connections do not wait for each other.
create table request_totals (
  hour timestamptz not null,
  shard smallint not null,
  ok bigint not null,
  caller_faults bigint not null,
  upstream_faults bigint not null,
  gateway_faults bigint not null,
  primary key (hour, shard)
);
alter table request_totals enable row level security;
alter table request_totals force row level security;
create policy operators_only on request_totals for select to trivium_app using (trivium_sees('*'));
create policy writer_totals on request_totals to trivium_writer using (true) with check (true);
grant select on request_totals to trivium_app;
grant select, insert, update, delete on request_totals to trivium_writer;

insert into request_totals
select hour, 0, sum(requests - failed), sum(caller_faults), sum(upstream_faults), sum(gateway_faults)
from usage_hourly group by hour;
