-- expand: sums by the hour also have the member, more meters, what had no price, and how long requests took; and the same by tag.
-- Histograms: requests below 10 ms, below 16 ms, … by the bounds of src/usage/latency-histogram.ts. Null in rows of the release before.
alter table usage_hourly add column member_id text;
alter table usage_hourly add column cached_tokens bigint not null default 0;
alter table usage_hourly add column cache_write_tokens bigint not null default 0;
alter table usage_hourly add column reasoning_tokens bigint not null default 0;
alter table usage_hourly add column unpriced bigint not null default 0;
alter table usage_hourly add column first_token_counts bigint[];
alter table usage_hourly add column duration_counts bigint[];

-- A row for each declared tag of a request, with an empty value where the request does not have it.
create table usage_tag_hourly (
  account_id text not null,
  hour timestamptz not null,
  tag text not null,
  value text not null,
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
  primary key (account_id, hour, tag, value, model_id, key_id, provider)
);
create index usage_tag_hourly_by_hour on usage_tag_hourly (hour);
alter table usage_tag_hourly enable row level security;
alter table usage_tag_hourly force row level security;
create policy own_usage on usage_tag_hourly for select to trivium_app using (
  account_id = (select current_setting('trivium.tenant', true)) or (select current_setting('trivium.tenant', true)) = '*');
create policy writes on usage_tag_hourly to trivium_writer using (true) with check (true);
grant select on usage_tag_hourly to trivium_app;
grant select, insert, update, delete on usage_tag_hourly to trivium_writer;

-- The values of a tag that sums keep apart: at most 1000 for each, so that no caller can fill the table. All others are `other`.
create table usage_tag_values (
  account_id text not null,
  tag text not null,
  value text not null,
  primary key (account_id, tag, value)
);
alter table usage_tag_values enable row level security;
alter table usage_tag_values force row level security;
create policy writes on usage_tag_values to trivium_writer using (true) with check (true);
grant select, insert, delete on usage_tag_values to trivium_writer;

create function trivium_tag_value(account text, of_tag text, given text) returns text language plpgsql as $$
begin
  if given in ('', 'other') then return given; end if;
  if exists (select from usage_tag_values v where v.account_id = account and v.tag = of_tag and v.value = given) then
    return given;
  end if;
  -- New values of a tag take turns, so that there are never more.
  perform pg_advisory_xact_lock(hashtextextended(account || ' ' || of_tag, 7214312));
  if (select count(*) from usage_tag_values v where v.account_id = account and v.tag = of_tag) >= 1000 then
    return 'other';
  end if;
  insert into usage_tag_values (account_id, tag, value) values (account, of_tag, given) on conflict do nothing;
  return given;
end $$;

create function trivium_add_counts(left_counts bigint[], right_counts bigint[]) returns bigint[] language sql immutable
  return case when left_counts is null then right_counts when right_counts is null then left_counts
    else (select array_agg(coalesce(a, 0) + coalesce(b, 0) order by place)
      from unnest(left_counts, right_counts) with ordinality as both_counts (a, b, place)) end;
