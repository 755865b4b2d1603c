-- expand: content capture: which accounts and keys want it until when, the data keys it is encrypted under, and where it is.

-- Rules are added and never changed: the latest of an account or key counts, and the API can say why a request has no content.
create table capture_rules (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id) on delete cascade,
  -- Null: of the whole account.
  key_id text,
  bodies text not null check (bodies in ('off', 'errors', 'sample', 'all', 'inherit')),
  sample_percent double precision not null check (sample_percent > 0 and sample_percent <= 100),
  keep_hours integer not null check (keep_hours between 1 and 720),
  until_at timestamptz,
  from_at timestamptz not null default now(),
  created_by text not null,
  check (until_at is not null or bodies in ('off', 'inherit'))
);
create index capture_rules_latest on capture_rules (account_id, key_id, from_at desc);
alter table capture_rules enable row level security;
alter table capture_rules force row level security;
create policy own_capture_rules on capture_rules using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert on capture_rules to trivium_app;

-- Every node takes up what has changed.
create function trivium_tell_capture() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_capture', new.account_id);
  return null;
end $$;
create trigger tell after insert on capture_rules for each row execute function trivium_tell_capture();

-- One data key per account, wrapped by the operator's. Without its row the content of the account is unreadable for good.
create table capture_keys (
  account_id text primary key references accounts (id) on delete cascade,
  id text not null unique check (id ~ '^cak_[A-Za-z0-9_-]{1,64}$'),
  sealed bytea not null,
  wrapped_key bytea not null,
  wrapping text not null,
  created_at timestamptz not null default now()
);
alter table capture_keys enable row level security;
alter table capture_keys force row level security;
create policy own_capture_keys on capture_keys using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on capture_keys to trivium_app;

create table captures (
  request_id text primary key,
  account_id text not null,
  data_key_id text not null references capture_keys (id) on delete cascade,
  blob_id text not null,
  store_id text not null,
  bytes bigint not null,
  received_at timestamptz not null,
  expires_at timestamptz not null,
  stored_at timestamptz not null default now()
);
create index captures_by_account on captures (account_id, received_at desc);
create index captures_by_data_key on captures (data_key_id);
create index captures_by_expiry on captures (expires_at);
alter table captures enable row level security;
alter table captures force row level security;
create policy own_captures on captures using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, delete on captures to trivium_app;

-- Which stores nodes keep content in: from two folders on, some of it cannot be read everywhere.
create table capture_stores (
  id text primary key,
  kind text not null check (kind in ('folder', 's3')),
  seen_at timestamptz not null default now()
);
grant select, insert, update, delete on capture_stores to trivium_app;
