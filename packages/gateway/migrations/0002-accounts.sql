-- expand: who pays. Balances are the ledger's and stand in tables of its own.
create table accounts (
  id text primary key check (length(id) between 1 and 100 and id <> '*'),
  name text not null check (length(name) between 1 and 200),
  kind text not null check (kind in ('prepaid', 'postpaid', 'unlimited')),
  status text not null default 'active' check (status in ('active', 'suspended')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table accounts enable row level security;
alter table accounts force row level security;
create policy own_account on accounts using (trivium_sees(id)) with check (trivium_sees(id));
grant select, insert, update on accounts to trivium_app;
-- The ledger writes for all accounts in one batch, and must know what kind each is.
create policy writer_reads on accounts for select to trivium_writer using (true);
grant select on accounts to trivium_writer;
