-- expand: secrets of new keys, handed over by a link that opens once. A secret is erased when its link is opened or withdrawn, and
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
alter table key_links enable row level security;
alter table key_links force row level security;
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
alter table saved_views enable row level security;
alter table saved_views force row level security;
create policy own_saved_views on saved_views
  using (trivium_sees(coalesce(account_id, '*'))) with check (trivium_sees(coalesce(account_id, '*')));
grant select, insert, update, delete on saved_views to trivium_app;

-- Requests of one conversation, where the caller named it. Only those are in the index.
create index usage_events_by_conversation on usage_events ((details ->> 'conversation'), received_at)
  where details ->> 'conversation' is not null;
