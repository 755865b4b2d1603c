-- expand: what the last audit of each account found. One process of the deployment audits, and reads only what has changed since.
create table ledger_audits (
  account_id text primary key,
  -- Of the account's row when it was audited: every movement of money makes a new one.
  version text not null,
  violations integer not null,
  audited_at timestamptz not null default now()
);
create index ledger_audits_failed on ledger_audits (account_id) where violations > 0;
alter table ledger_audits enable row level security;
alter table ledger_audits force row level security;
create policy writes on ledger_audits to trivium_writer using (true) with check (true);

create table ledger_audit_rounds (
  only_row boolean primary key default true check (only_row),
  claimed_by text not null default '',
  claimed_until timestamptz not null default '-infinity',
  ended_at timestamptz not null default '-infinity',
  -- Accounts audited before are audited again, whether or not they have changed: rows may be changed behind the ledger's back.
  all_since timestamptz not null default now()
);
insert into ledger_audit_rounds default values;

grant select, insert, update on ledger_audits, ledger_audit_rounds to trivium_writer;
