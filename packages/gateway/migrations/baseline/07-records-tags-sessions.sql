-- Records of requests are the rows of usage: what lists filter by, in columns, and requests that were refused, too.
create index usage_events_by_time on usage_events (received_at, request_id);
create index usage_events_by_key on usage_events (key_id, received_at, request_id);
create index usage_events_by_model on usage_events (model_id, received_at, request_id);
create index usage_events_failed on usage_events (received_at, request_id) where outcome <> 'ok';
create index usage_events_stored on usage_events using brin (stored_at) with (autosummarize = on);

-- Requests of all accounts by the hour and by who is to blame: sums by account, model and key are too many rows to add up
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
alter table request_totals enable row level security, force row level security;
create policy operators_only on request_totals for select to trivium_app using (trivium_sees('*'));
create policy writer_totals on request_totals to trivium_writer using (true) with check (true);
grant select on request_totals to trivium_app;
grant select, insert, update, delete on request_totals to trivium_writer;

-- Tags an account has declared. Sums and budgets go by these and by no others, so that callers cannot make up columns.
create table account_tags (
  account_id text not null references accounts (id),
  key text not null check (key ~ '^[a-z][a-z0-9_.-]{0,39}$'),
  -- Requests without it are refused.
  required boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
alter table account_tags enable row level security, force row level security;
create policy own_tags on account_tags using (trivium_sees(account_id)) with check (trivium_sees(account_id));
create policy writer_reads on account_tags for select to trivium_writer using (true);
grant select, insert, update, delete on account_tags to trivium_app;
grant select on account_tags to trivium_writer;

create function trivium_notify_tags() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_tags', coalesce(new.account_id, old.account_id));
  return null;
end $$;

-- People who are signed in at the admin listener, and codes that sign in once. Of both only the SHA-256 is stored.
create table sessions (
  hash bytea primary key check (octet_length(hash) = 32),
  kind text not null check (kind in ('operator', 'key', 'member')),
  method text not null check (method in ('secret', 'key', 'code', 'oidc')),
  -- SHA-256 of the secret or key it was opened with: it lives no longer than that.
  credential bytea check (octet_length(credential) = 32),
  account_id text,
  member_id text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  -- Whose session it is at the identity provider that signed it in, so that a logout there ends it here.
  issuer text, subject text, sid text,
  foreign key (account_id, member_id) references members (account_id, id),
  check ((kind = 'member') = (account_id is not null and member_id is not null))
);
create index sessions_by_member on sessions (account_id, member_id) where member_id is not null;
alter table sessions enable row level security, force row level security;
create policy operators_only on sessions using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on sessions to trivium_app;

create table sign_in_codes (
  hash bytea primary key check (octet_length(hash) = 32),
  -- Null: for an operator.
  account_id text,
  member_id text,
  expires_at timestamptz not null,
  foreign key (account_id, member_id) references members (account_id, id),
  check ((account_id is null) = (member_id is null))
);
alter table sign_in_codes enable row level security, force row level security;
create policy operators_only on sign_in_codes using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, delete on sign_in_codes to trivium_app;

-- Who a member is at an issuer. One subject may be a member of several accounts.
create table member_identities (
  account_id text not null,
  issuer text not null,
  subject text not null,
  member_id text not null,
  created_at timestamptz not null default now(),
  primary key (issuer, subject, account_id),
  foreign key (account_id, member_id) references members (account_id, id)
);
create index member_identities_by_member on member_identities (account_id, member_id);
alter table member_identities enable row level security, force row level security;
create policy own_identities on member_identities using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert on member_identities to trivium_app;

-- The same sums by tag. Histograms: requests below 10 ms, below 16 ms, … by the bounds of src/money/usage/latency-histogram.ts.

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
alter table usage_tag_hourly enable row level security, force row level security;
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
alter table usage_tag_values enable row level security, force row level security;
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
