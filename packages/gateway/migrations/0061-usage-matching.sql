-- expand: requests whose row of usage may say something else than the ledger has charged, until the two agree.
create table usage_unmatched (
  account_id text not null,
  request_id text not null,
  listed_at timestamptz not null default now(),
  look_at timestamptz not null default now(),
  primary key (account_id, request_id)
);
create index usage_unmatched_due on usage_unmatched (look_at);
alter table usage_unmatched enable row level security;
alter table usage_unmatched force row level security;
create policy writes on usage_unmatched to trivium_writer using (true) with check (true);
grant select, insert, update, delete on usage_unmatched to trivium_writer;
grant update (cost_nano, price_version) on usage_events to trivium_writer;

-- What the ledger could not charge any more, the row of usage must not show as charged.
create function trivium_list_forgone() returns trigger language plpgsql as $$
begin
  insert into usage_unmatched (account_id, request_id) values (new.account_id, new.id) on conflict do nothing;
  return null;
end $$;
create trigger list_forgone after insert or update of forgone on ledger_holds for each row
  when (new.forgone > 0 and new.kind = 'request') execute function trivium_list_forgone();
