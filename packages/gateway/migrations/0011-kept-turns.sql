-- expand: opaque state of answers with tool calls, for callers that bring back nothing but the calls. Encrypted by the gateway.
create table kept_turns (
  account_id text not null,
  call_id text not null check (length(call_id) between 1 and 512),
  sealed bytea not null,
  expires_at timestamptz not null,
  primary key (account_id, call_id)
);
create index kept_turns_by_expiry on kept_turns (expires_at);
alter table kept_turns enable row level security;
alter table kept_turns force row level security;
create policy own_turns on kept_turns using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on kept_turns to trivium_app;
