-- Secrets of new keys, handed over by a link that opens once. A secret is erased when its link is opened or withdrawn, and
-- once its time is over.
create table key_links (
  account_id text not null references accounts,
  id text not null,
  key_id text not null,
  -- SHA-256 of the code in the link.
  code_hash bytea not null unique check (octet_length(code_hash) = 32),
  sealed bytea,
  wrapped_key bytea,
  wrapping text,
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  opened_at timestamptz,
  withdrawn_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, key_id) references keys (account_id, id),
  check ((sealed is null) = (wrapped_key is null) and (sealed is null) = (wrapping is null))
);
alter table key_links enable row level security, force row level security;
create policy own_key_links on key_links using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on key_links to trivium_app;

-- Filters of the console's lists under a name. Those of operators are of no account.
create table saved_views (
  id text primary key,
  account_id text references accounts,
  -- Who saved it: `operator`, `member:<id>` or `key:<id>`.
  owner text not null,
  page text not null check (page in ('requests', 'usage')),
  name text not null,
  -- The part of the address after `?`.
  search text not null check (length(search) <= 2000),
  shared boolean not null default false,
  created_at timestamptz not null default now()
);
create index saved_views_by_owner on saved_views (account_id, page, owner);
alter table saved_views enable row level security, force row level security;
create policy own_saved_views on saved_views
  using (trivium_sees(coalesce(account_id, '*'))) with check (trivium_sees(coalesce(account_id, '*')));
grant select, insert, update, delete on saved_views to trivium_app;

-- Requests of one conversation, where the caller named it. Only those are in the index.
create index usage_events_by_conversation on usage_events ((details ->> 'conversation'), received_at)
  where details ->> 'conversation' is not null;

-- Stored responses and conversations. What they say is encrypted by the gateway, under the account's data key: whoever
-- deletes that key erases them, and copies of these rows cannot be read any more.
create table stored_responses (
  account_id text not null references capture_keys (account_id) on delete cascade,
  id text not null check (id ~ '^resp_[A-Za-z0-9_-]{1,64}$'),
  data_key_id text not null,
  previous_id text,
  -- The conversation it was added to, and how much of that was its history.
  conversation_id text,
  conversation_until bigint,
  -- Of items whose ids were chosen by an upstream; others name their response.
  item_ids text[],
  bytes integer not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  sealed bytea not null,
  primary key (account_id, id)
);

-- Ciphertext does not compress.
alter table stored_responses alter column sealed set storage external;
create index stored_responses_by_expiry on stored_responses (expires_at);
create index stored_responses_by_item on stored_responses using gin (item_ids) where item_ids is not null;

create table conversations (
  account_id text not null references capture_keys (account_id) on delete cascade,
  id text not null check (id ~ '^conv_[A-Za-z0-9_-]{1,64}$'),
  data_key_id text not null,
  next_position bigint not null default 0,
  bytes integer not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- Its metadata.
  sealed bytea not null,
  primary key (account_id, id)
);
create index conversations_by_expiry on conversations (expires_at);

create table conversation_items (
  account_id text not null,
  conversation_id text not null,
  position bigint not null,
  item_id text not null check (length(item_id) between 1 and 128),
  bytes integer not null,
  sealed bytea not null,
  primary key (account_id, conversation_id, position),
  unique (account_id, item_id, conversation_id),
  foreign key (account_id, conversation_id) references conversations (account_id, id) on delete cascade
);
alter table conversation_items alter column sealed set storage external;

-- What an account stores, kept exact by the triggers below.
create table stored_totals (
  account_id text primary key,
  bytes bigint not null
);

-- One statement each, since every stored turn needs both: their plans stay with the connection.
create function trivium_stored_bytes(accounts text[]) returns table (account_id text, bytes bigint) language plpgsql as $$
begin
  perform set_config('trivium.tenant', '*', true);
  return query select kept.account_id, kept.bytes from stored_totals as kept where kept.account_id = any(accounts);
end $$;

-- Returns the ids of those that were stored: the others' keys are not their accounts' any more.
create function trivium_store_responses(
  accounts text[], ids text[], keys text[], previous_ids text[], conversation_ids text[], untils bigint[],
  -- By blanks.
  items text[],
  contents bytea[], keep_ms bigint
) returns setof text language plpgsql as $$
begin
  perform set_config('trivium.tenant', '*', true);
  return query insert into stored_responses as kept
    (account_id, id, data_key_id, previous_id, conversation_id, conversation_until, item_ids, bytes, expires_at, sealed)
  select given.account_id, given.id, k.id, given.previous_id, given.conversation_id, given.conversation_until,
    string_to_array(given.item_ids, ' '), octet_length(given.sealed), now() + keep_ms * interval '1 ms', given.sealed
  from unnest(accounts, ids, keys, previous_ids, conversation_ids, untils, items, contents)
    as given (account_id, id, key_id, previous_id, conversation_id, conversation_until, item_ids, sealed)
    join capture_keys as k on k.account_id = given.account_id and k.id = given.key_id
  on conflict do nothing
  returning kept.id;
end $$;

create function trivium_count_stored() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into stored_totals as kept (account_id, bytes)
    select account_id, sum(bytes) from changed group by account_id order by account_id
    on conflict (account_id) do update set bytes = kept.bytes + excluded.bytes;
  else
    -- In order, so that no two wait for each other.
    perform from stored_totals where account_id in (select account_id from changed) order by account_id for update;
    update stored_totals as kept set bytes = kept.bytes - gone.bytes
    from (select account_id, sum(bytes) as bytes from changed group by account_id) as gone
    where kept.account_id = gone.account_id;
  end if;
  return null;
end $$;

create function trivium_recount_stored() returns trigger language plpgsql as $$
begin
  update stored_totals as kept set bytes = kept.bytes + grown.bytes
  from (select account_id, sum(bytes) as bytes
    from (select account_id, bytes from added union all select account_id, -bytes from removed) as both_sides
    group by account_id having sum(bytes) <> 0) as grown
  where kept.account_id = grown.account_id;
  return null;
end $$;
do $$
declare
  name text;
begin
  foreach name in array array['stored_responses', 'conversations', 'conversation_items'] loop
    execute format('create trigger count_added after insert on %I referencing new table as changed
      for each statement execute function trivium_count_stored()', name);
    execute format('create trigger count_removed after delete on %I referencing old table as changed
      for each statement execute function trivium_count_stored()', name);
  end loop;
  foreach name in array array['stored_responses', 'conversations', 'conversation_items', 'stored_totals'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy own_rows on %I using (trivium_sees(account_id)) with check (trivium_sees(account_id))', name);
    execute format('grant select, insert, update, delete on %I to trivium_app', name);
  end loop;
end $$;
create trigger count_changed after update on conversations referencing old table as removed new table as added
  for each statement execute function trivium_recount_stored();

-- Responses made in the background. A row and its hold are made in one transaction, and end in one. An account of the
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
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy own_rows on %I using (trivium_sees(account_id)) with check (trivium_sees(account_id))', name);
    execute format('grant select, insert, update, delete on %I to trivium_app', name);
  end loop;
end $$;
create trigger count_changed after update on background_jobs referencing old table as removed new table as added
  for each statement execute function trivium_recount_stored();
