-- expand: attempts at providers by quarter of an hour, from the records of requests: also of those that another provider answered.
-- Several rows for each, so that batches of different connections do not wait for each other.
create table provider_attempts (
  at timestamptz not null,
  provider text not null,
  -- `ok`, or the kind of fault.
  outcome text not null,
  shard smallint not null,
  attempts bigint not null,
  last_at timestamptz not null,
  -- Until the first content, of attempts that were answered.
  first_content_counts bigint[],
  primary key (at, provider, outcome, shard)
);
alter table provider_attempts enable row level security;
alter table provider_attempts force row level security;
create policy operators_only on provider_attempts for select to trivium_app using (trivium_sees('*'));
create policy writes on provider_attempts to trivium_writer using (true) with check (true);
grant select on provider_attempts to trivium_app;
grant select, insert, update, delete on provider_attempts to trivium_writer;

-- Counts what one statement has stored, in that statement's transaction and in order, so that no two wait for each other.
create function trivium_count_attempts() returns trigger language plpgsql as $$
declare
  bounds constant integer[] := '{10,16,26,41,66,105,168,268,429,687,1100,1759,2815,4504,7206,11529,18447,29515,47224,75558,120893,193428,309485,495176}';
begin
  insert into provider_attempts as kept (at, provider, outcome, shard, attempts, last_at, first_content_counts)
  select date_bin('15 minutes', ended_at, 'epoch'), tried.provider, tried.outcome, pg_backend_pid() % 16, count(*), max(ended_at),
    usage_histogram(width_bucket(first_ms, bounds)) filter (where tried.outcome = 'ok')
  from (
    select attempt ->> 'provider' as provider,
      received_at + coalesce((attempt ->> 'endMs')::float8, duration_ms) * interval '1 millisecond' as ended_at,
      -- An answer that broke off after it had begun is the outcome of its request.
      coalesce(attempt ->> 'fault', case when attempt ? 'heard' then fresh.outcome else 'ok' end) as outcome,
      ((attempt ->> 'firstContentMs')::float8 - (attempt ->> 'startMs')::float8)::integer as first_ms
    from fresh, jsonb_array_elements(fresh.details -> 'attempts') as attempt
    -- What lost to a hedge was ended by us.
    where attempt ? 'fault' or attempt ->> 'hedge' is distinct from 'lost') as tried
  where tried.provider is not null
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (at, provider, outcome, shard) do update set
    attempts = kept.attempts + excluded.attempts,
    last_at = greatest(kept.last_at, excluded.last_at),
    first_content_counts = trivium_add_counts(kept.first_content_counts, excluded.first_content_counts);
  return null;
end $$;
create trigger count_attempts after insert on usage_events referencing new table as fresh
  for each statement execute function trivium_count_attempts();
