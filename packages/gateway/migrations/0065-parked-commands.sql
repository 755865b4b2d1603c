-- expand: commands that the book refused when they stood alone. They were owed; an operator looks, mends the cause and posts them.
create table ledger_parked (
  -- Of the command: parked again, it is the same row.
  digest text primary key,
  account_id text not null,
  command text not null,
  problem text not null,
  parked_at timestamptz not null default now()
);
alter table ledger_parked enable row level security;
alter table ledger_parked force row level security;
create policy writes on ledger_parked to trivium_writer using (true) with check (true);
grant select, insert, delete on ledger_parked to trivium_writer;
