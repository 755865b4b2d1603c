-- expand: stored responses and conversations. What they say is encrypted by the gateway, under the account's data key: whoever
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
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_rows on %I using (trivium_sees(account_id)) with check (trivium_sees(account_id))', name);
    execute format('grant select, insert, update, delete on %I to trivium_app', name);
  end loop;
end $$;
create trigger count_changed after update on conversations referencing old table as removed new table as added
  for each statement execute function trivium_recount_stored();
