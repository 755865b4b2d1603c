-- What a node posts of requests that are over is one transaction: entries of the ledger, rows of usage and sums by the hour.

-- Counts by bucket, for the bounds of src/money/usage/latency-histogram.ts.
create function usage_count_bucket(counts bigint[], bucket integer) returns bigint[] language plpgsql immutable as $$
begin
  if bucket is not null then counts[bucket + 1] := counts[bucket + 1] + 1; end if;
  return counts;
end $$;
create aggregate usage_histogram (integer) (sfunc = usage_count_bucket, stype = bigint[],
  initcond = '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}');

-- What the ledger has charged for a request, and whether it may still charge something: it has no entry, and its hold is not closed.
create type usage_charge as (charged bigint, price_version text, is_open boolean);

create function usage_charged(account text, request text) returns usage_charge
  language plpgsql stable set enable_seqscan = off as $$
declare answer usage_charge; entry ledger_entries; correction ledger_entries; hold ledger_holds;
begin
  -- In this order, because only the index of ids has it: the one of sequences would read all entries of the account.
  select * into entry from ledger_entries e where e.account_id = account and e.id >= request
    order by e.account_id, e.id limit 1;
  if entry.id is distinct from request then entry := null; end if;
  select * into correction from ledger_entries e where e.account_id = account and e.id >= 'correction:' || request
    order by e.account_id, e.id limit 1;
  if correction.id is distinct from 'correction:' || request then correction := null; end if;
  select * into hold from ledger_holds h where h.account_id = account and h.id = request;
  answer.charged := coalesce(entry.amount, 0)
    + coalesce(case correction.debit when account then correction.amount else -correction.amount end, 0);
  answer.price_version := coalesce(entry.price_version, correction.price_version);
  answer.is_open := entry.id is null and coalesce(hold.state, 'open') = 'open';
  return answer;
end $$;

/*
 * Storing an event twice leaves one row and one sum: the sums take only what the rows took. Rows and sums are taken in order, so
 * that no two wait for each other. `classes`: the outcomes that callers, upstreams and the gateway are to blame for.
 * What a request costs is what its node says, but for those whose process died and those that the ledger has listed because it
 * charged something else.
 */
create function usage_store(events jsonb, classes jsonb) returns void language plpgsql as $$
declare
  caller text[] := array(select jsonb_array_elements_text(classes -> 'caller'));
  upstream text[] := array(select jsonb_array_elements_text(classes -> 'upstream'));
  gateway text[] := array(select jsonb_array_elements_text(classes -> 'gateway'));
  bounds constant integer[] := '{10,16,26,41,66,105,168,268,429,687,1100,1759,2815,4504,7206,11529,18447,29515,47224,75558,120893,193428,309485,495176}';
begin
  with given as materialized (
    select event.*, timestamptz 'epoch' + "receivedAtMs" * interval '1 millisecond' as at,
      -- In a case, so that the ledger is asked for few of them.
      case when outcome = 'interrupted' or listed.request_id is not null then usage_charged("accountId", "requestId") end as ledger
    from jsonb_to_recordset(events) as event (
      "requestId" text, "accountId" text, "keyId" text, "modelId" text, provider text, protocol text, outcome text,
      status smallint, "receivedAtMs" bigint, "durationMs" integer, "firstByteMs" integer, "inputTokens" bigint,
      "outputTokens" bigint, "costNano" bigint, estimated boolean, "priceVersion" text, details jsonb,
      operation text, "askedModel" text, "memberId" text, refused boolean)
    left join usage_unmatched listed on listed.account_id = "accountId" and listed.request_id = "requestId"
  ),
  stored as (
    insert into usage_events (request_id, day, account_id, key_id, model_id, provider, protocol, outcome, status,
      received_at, duration_ms, first_byte_ms, input_tokens, output_tokens, cost_nano, estimated, price_version, details,
      operation, asked_model, member_id, refused, stream, lane, attempts, losses, cached_tokens, unpriced)
    select "requestId", (at at time zone 'UTC')::date, "accountId", "keyId", "modelId", provider, protocol, outcome,
      status, at, "durationMs", "firstByteMs", "inputTokens", "outputTokens",
      case when (ledger).is_open is distinct from false then "costNano" else (ledger).charged end, estimated,
      coalesce("priceVersion", (ledger).price_version), details, operation, "askedModel", "memberId", coalesce(refused, false),
      (details ->> 'stream')::boolean, details ->> 'lane', jsonb_array_length(details -> 'attempts'),
      jsonb_array_length(details -> 'losses'), (details -> 'usage' ->> 'inputCacheRead')::bigint,
      jsonb_array_length(details -> 'unpriced') > 0
    from given
    order by "requestId"
    on conflict (request_id, day) do nothing
    returning request_id, account_id, received_at, model_id, key_id, provider, protocol, outcome, lane, usage_events.refused,
      input_tokens, output_tokens, cost_nano, member_id, cached_tokens, unpriced, duration_ms, first_byte_ms,
      coalesce((details -> 'usage' ->> 'inputCacheWrite')::bigint, 0)
        + coalesce((details -> 'usage' ->> 'inputCacheWrite5Min')::bigint, 0)
        + coalesce((details -> 'usage' ->> 'inputCacheWrite1H')::bigint, 0) as cache_write_tokens,
      coalesce((details -> 'usage' ->> 'internalReasoning')::bigint, 0) as reasoning_tokens, details -> 'tags' as tags),
  fresh as (
    select stored.*, date_trunc('hour', received_at, 'UTC') as hour, width_bucket(duration_ms, bounds) as duration_bucket,
      width_bucket(first_byte_ms, bounds) as first_token_bucket from stored),
  asked as (
    select account_id, request_id, fresh.outcome, (ledger).is_open
    from fresh join given on "accountId" = account_id and "requestId" = request_id where (ledger).is_open is not null),
  -- What they are charged is known when their holds are closed, or when all journals of the dead are posted.
  unknown as (
    insert into usage_unmatched (account_id, request_id)
    select account_id, request_id from asked where is_open and outcome = 'interrupted' on conflict do nothing),
  -- Their rows say it now. Of rows that were there before, the ledger has learnt something since: they stay listed.
  known as (
    delete from usage_unmatched listed using asked
    where listed.account_id = asked.account_id and listed.request_id = asked.request_id and not is_open),
  totals as (
    insert into request_totals (hour, shard, ok, caller_faults, upstream_faults, gateway_faults)
    select hour, pg_backend_pid() % 16, count(*) filter (where outcome = 'ok'),
      count(*) filter (where outcome = any(caller)), count(*) filter (where outcome = any(upstream)),
      count(*) filter (where outcome = any(gateway))
    from fresh group by 1 order by 1
    on conflict (hour, shard) do update set
      ok = request_totals.ok + excluded.ok,
      caller_faults = request_totals.caller_faults + excluded.caller_faults,
      upstream_faults = request_totals.upstream_faults + excluded.upstream_faults,
      gateway_faults = request_totals.gateway_faults + excluded.gateway_faults),
  tagged as (select fresh.*, tag.key as tag, tag.value as given from fresh, jsonb_each_text(tags) as tag),
  kept_values as materialized (
    select account_id, tag, distinct_values.given, trivium_tag_value(account_id, tag, distinct_values.given) as value
    from (select distinct account_id, tag, tagged.given from tagged order by 1, 2, 3) as distinct_values),
  by_tag as (
    insert into usage_tag_hourly (account_id, hour, tag, value, model_id, key_id, provider, requests, failed, refused,
      caller_faults, upstream_faults, gateway_faults, input_tokens, output_tokens, cached_tokens, cache_write_tokens,
      reasoning_tokens, unpriced, cost_nano, first_token_counts, duration_counts, member_id)
    select account_id, hour, tag, value, model_id, key_id, coalesce(provider, ''), count(*) filter (where not refused),
      count(*) filter (where outcome <> 'ok' and not refused), count(*) filter (where refused),
      count(*) filter (where outcome = any(caller)), count(*) filter (where outcome = any(upstream)),
      count(*) filter (where outcome = any(gateway)), sum(input_tokens), sum(output_tokens), sum(coalesce(cached_tokens, 0)),
      sum(cache_write_tokens), sum(reasoning_tokens), count(*) filter (where unpriced), sum(cost_nano),
      usage_histogram(first_token_bucket) filter (where not refused), usage_histogram(duration_bucket) filter (where not refused),
      max(member_id)
    from tagged join kept_values using (account_id, tag, given)
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (account_id, hour, tag, value, model_id, key_id, provider) do update set
      requests = usage_tag_hourly.requests + excluded.requests,
      failed = usage_tag_hourly.failed + excluded.failed,
      refused = usage_tag_hourly.refused + excluded.refused,
      caller_faults = usage_tag_hourly.caller_faults + excluded.caller_faults,
      upstream_faults = usage_tag_hourly.upstream_faults + excluded.upstream_faults,
      gateway_faults = usage_tag_hourly.gateway_faults + excluded.gateway_faults,
      input_tokens = usage_tag_hourly.input_tokens + excluded.input_tokens,
      output_tokens = usage_tag_hourly.output_tokens + excluded.output_tokens,
      cached_tokens = usage_tag_hourly.cached_tokens + excluded.cached_tokens,
      cache_write_tokens = usage_tag_hourly.cache_write_tokens + excluded.cache_write_tokens,
      reasoning_tokens = usage_tag_hourly.reasoning_tokens + excluded.reasoning_tokens,
      unpriced = usage_tag_hourly.unpriced + excluded.unpriced,
      cost_nano = usage_tag_hourly.cost_nano + excluded.cost_nano,
      first_token_counts = trivium_add_counts(usage_tag_hourly.first_token_counts, excluded.first_token_counts),
      duration_counts = trivium_add_counts(usage_tag_hourly.duration_counts, excluded.duration_counts),
      member_id = coalesce(excluded.member_id, usage_tag_hourly.member_id)),
  by_kind as (
    insert into usage_kind_hourly (account_id, hour, protocol, outcome, lane, model_id, key_id, provider, requests, failed, refused,
      caller_faults, upstream_faults, gateway_faults, input_tokens, output_tokens, cached_tokens, cache_write_tokens,
      reasoning_tokens, unpriced, cost_nano, first_token_counts, duration_counts, member_id)
    select account_id, hour, protocol, outcome, coalesce(lane, ''), model_id, key_id, coalesce(provider, ''),
      count(*) filter (where not refused),
      count(*) filter (where outcome <> 'ok' and not refused), count(*) filter (where refused),
      count(*) filter (where outcome = any(caller)), count(*) filter (where outcome = any(upstream)),
      count(*) filter (where outcome = any(gateway)), sum(input_tokens), sum(output_tokens), sum(coalesce(cached_tokens, 0)),
      sum(cache_write_tokens), sum(reasoning_tokens), count(*) filter (where unpriced), sum(cost_nano),
      usage_histogram(first_token_bucket) filter (where not refused), usage_histogram(duration_bucket) filter (where not refused),
      max(member_id)
    from fresh group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (account_id, hour, protocol, outcome, lane, model_id, key_id, provider) do update set
      requests = usage_kind_hourly.requests + excluded.requests,
      failed = usage_kind_hourly.failed + excluded.failed,
      refused = usage_kind_hourly.refused + excluded.refused,
      caller_faults = usage_kind_hourly.caller_faults + excluded.caller_faults,
      upstream_faults = usage_kind_hourly.upstream_faults + excluded.upstream_faults,
      gateway_faults = usage_kind_hourly.gateway_faults + excluded.gateway_faults,
      input_tokens = usage_kind_hourly.input_tokens + excluded.input_tokens,
      output_tokens = usage_kind_hourly.output_tokens + excluded.output_tokens,
      cached_tokens = usage_kind_hourly.cached_tokens + excluded.cached_tokens,
      cache_write_tokens = usage_kind_hourly.cache_write_tokens + excluded.cache_write_tokens,
      reasoning_tokens = usage_kind_hourly.reasoning_tokens + excluded.reasoning_tokens,
      unpriced = usage_kind_hourly.unpriced + excluded.unpriced,
      cost_nano = usage_kind_hourly.cost_nano + excluded.cost_nano,
      first_token_counts = trivium_add_counts(usage_kind_hourly.first_token_counts, excluded.first_token_counts),
      duration_counts = trivium_add_counts(usage_kind_hourly.duration_counts, excluded.duration_counts),
      member_id = coalesce(excluded.member_id, usage_kind_hourly.member_id))
  insert into usage_hourly (account_id, hour, model_id, key_id, provider, requests, failed, refused, caller_faults, upstream_faults,
    gateway_faults, input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, unpriced, cost_nano,
    first_token_counts, duration_counts, member_id)
  select account_id, hour, model_id, key_id, coalesce(provider, ''), count(*) filter (where not refused),
      count(*) filter (where outcome <> 'ok' and not refused), count(*) filter (where refused),
      count(*) filter (where outcome = any(caller)), count(*) filter (where outcome = any(upstream)),
      count(*) filter (where outcome = any(gateway)), sum(input_tokens), sum(output_tokens), sum(coalesce(cached_tokens, 0)),
      sum(cache_write_tokens), sum(reasoning_tokens), count(*) filter (where unpriced), sum(cost_nano),
      usage_histogram(first_token_bucket) filter (where not refused), usage_histogram(duration_bucket) filter (where not refused),
      max(member_id)
  from fresh group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (account_id, hour, model_id, key_id, provider) do update set
      requests = usage_hourly.requests + excluded.requests,
      failed = usage_hourly.failed + excluded.failed,
      refused = usage_hourly.refused + excluded.refused,
      caller_faults = usage_hourly.caller_faults + excluded.caller_faults,
      upstream_faults = usage_hourly.upstream_faults + excluded.upstream_faults,
      gateway_faults = usage_hourly.gateway_faults + excluded.gateway_faults,
      input_tokens = usage_hourly.input_tokens + excluded.input_tokens,
      output_tokens = usage_hourly.output_tokens + excluded.output_tokens,
      cached_tokens = usage_hourly.cached_tokens + excluded.cached_tokens,
      cache_write_tokens = usage_hourly.cache_write_tokens + excluded.cache_write_tokens,
      reasoning_tokens = usage_hourly.reasoning_tokens + excluded.reasoning_tokens,
      unpriced = usage_hourly.unpriced + excluded.unpriced,
      cost_nano = usage_hourly.cost_nano + excluded.cost_nano,
      first_token_counts = trivium_add_counts(usage_hourly.first_token_counts, excluded.first_token_counts),
      duration_counts = trivium_add_counts(usage_hourly.duration_counts, excluded.duration_counts),
      member_id = coalesce(excluded.member_id, usage_hourly.member_id);
end $$;

-- The ledger first: locks are always taken in this order, and a row says what was charged.
create function ledger_post(commands jsonb, events jsonb, classes jsonb) returns jsonb language plpgsql as $$
declare results jsonb := ledger_apply(commands);
begin
  perform usage_store(events, classes);
  return results;
end $$;

-- Sums of usage over a day, and over an hour without keys, made of the sums by the hour once these are over.
-- Which ones there are: src/control/usage/roll-up-levels.ts. A column that a level does not tell apart is null.
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
alter table usage_rollups enable row level security, force row level security;

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

-- Nodes are notified of messages that are due at once, so that they need not look for them every second.
create function trivium_notify_messages() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_messages', '');
  return null;
end $$;
create trigger notify_nodes after insert or update on webhook_messages for each row
  when (new.state = 'due' and new.due_at <= now()) execute function trivium_notify_messages();
create trigger notify_nodes after insert or update on alert_messages for each row
  when (new.state = 'due' and new.due_at <= now()) execute function trivium_notify_messages();
