-- expand: responses made in the background. A row and its hold are made in one transaction, and end in one. An account of the
-- configuration file may have no row in accounts, so there is no reference to it. It does not end with the account's data key,
-- since its hold must be closed: whoever works on it finds that it cannot be read any more.
create table background_jobs (
  account_id text not null,
  id text not null check (id ~ '^resp_[A-Za-z0-9_-]{1,64}$'),
  -- Of the request that asked for it; the hold has the same id.
  request_id text not null,
  key_id text not null,
  model_id text not null,
  price_version text not null,
  hold_nano bigint not null,
  state text not null default 'queued'
    check (state in ('queued', 'running', 'completed', 'incomplete', 'failed', 'cancelled')),
  -- Its events are kept.
  is_streamed boolean not null,
  -- Counts who has worked on it; whoever writes names its number.
  run integer not null default 0,
  lease_until timestamptz,
  is_cancel_asked boolean not null default false,
  data_key_id text not null,
  -- The response as it is shown until it ends.
  shown bytea not null,
  -- What has to be done; only until it ends.
  sealed bytea,
  bytes integer not null,
  created_at timestamptz not null default now(),
  deadline_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz not null,
  primary key (account_id, id),
  check ((state in ('queued', 'running')) = (finished_at is null)),
  check ((finished_at is null) = (sealed is not null))
);
alter table background_jobs alter column sealed set storage external;
create index background_jobs_open on background_jobs (created_at) where finished_at is null;
create index background_jobs_by_expiry on background_jobs (expires_at) where finished_at is not null;

-- In batches, each encrypted.
create table background_events (
  account_id text not null references capture_keys (account_id) on delete cascade,
  id text not null,
  first integer not null,
  last integer not null check (last >= first),
  data_key_id text not null,
  bytes integer not null,
  sealed bytea not null,
  primary key (account_id, id, first),
  foreign key (account_id, id) references background_jobs (account_id, id) on delete cascade
);
alter table background_events alter column sealed set storage external;

do $$
declare
  name text;
begin
  foreach name in array array['background_jobs', 'background_events'] loop
    execute format('create trigger count_added after insert on %I referencing new table as changed
      for each statement execute function trivium_count_stored()', name);
    execute format('create trigger count_removed after delete on %I referencing old table as changed
      for each statement execute function trivium_count_stored()', name);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_rows on %I using (trivium_sees(account_id)) with check (trivium_sees(account_id))', name);
    execute format('grant select, insert, update, delete on %I to trivium_app', name);
  end loop;
end $$;
create trigger count_changed after update on background_jobs referencing old table as removed new table as added
  for each statement execute function trivium_recount_stored();
