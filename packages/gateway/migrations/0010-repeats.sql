-- expand: answers by Idempotency-Key. An account of the configuration file has no row in accounts, so there is no reference to it.
create table repeats (
  account_id text not null,
  key text not null check (length(key) between 1 and 255),
  -- SHA-256 of all that must be the same.
  content bytea not null check (length(content) = 32),
  -- Whoever makes the call; what a former one still writes misses.
  request_id text not null,
  node text not null,
  state text not null check (state in ('running', 'kept', 'too-long')),
  -- A node that stops saying so has died, and its key may be taken over.
  alive_until timestamptz not null,
  expires_at timestamptz not null,
  answer jsonb,
  body text,
  primary key (account_id, key),
  check ((state = 'kept') = (answer is not null and body is not null))
);
create index repeats_of_node on repeats (node) where state = 'running';
create index repeats_by_expiry on repeats (expires_at);
alter table repeats enable row level security;
alter table repeats force row level security;
create policy own_repeats on repeats using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on repeats to trivium_app;
