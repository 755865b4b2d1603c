-- The book. Amounts are whole nano-USD. The rules are those of src/money/ledger/core, which a test holds this against.
create table ledger_accounts (
  account_id text primary key,
  kind text not null check (kind in ('prepaid', 'postpaid', 'unlimited')),
  overdraft bigint not null check (overdraft >= 0),
  credit bigint not null default 0,
  posted bigint not null default 0 check (posted >= 0),
  pending bigint not null default 0 check (pending >= 0),
  -- What was charged beyond what had been set aside for it.
  overrun bigint not null default 0 check (overrun >= 0),
  -- The chain of its entries ends here, under the same lock.
  sequence bigint not null default 0,
  head text not null default '',
  parent_id text,
  check (kind = 'unlimited' or posted + pending <= credit + overdraft + overrun)
);

-- Which book this is: a node's journal belongs to one, whatever its address.
create table ledger_book (
  id uuid primary key default gen_random_uuid(),
  -- The last heartbeat of a deleted epoch. A process that finds its epoch gone, and whose heartbeats are not later than this, knows that the
  -- database was not set back: it has lived on for a day since.
  forgot_until_ms bigint not null default 0
);
insert into ledger_book default values;
grant select on ledger_book to trivium_writer;

create table ledger_budgets (
  account_id text not null references ledger_accounts,
  scope text not null,
  span text not null check (span in ('day', 'month', 'total')),
  most bigint not null check (most >= 0),
  -- Members of an account change only what members have set.
  set_by text not null default 'operator' check (set_by in ('operator', 'member')),
  primary key (account_id, scope, span)
);

create table ledger_purses (
  account_id text not null references ledger_accounts,
  key text not null,
  scope text not null,
  span text not null,
  start_ms bigint not null,
  posted bigint not null default 0 check (posted >= 0),
  pending bigint not null default 0 check (pending >= 0),
  on_limit_ms bigint,
  primary key (account_id, key)
);

create table ledger_nodes (
  epoch text primary key,
  node text not null,
  beat_at_ms bigint not null,
  state text not null check (state in ('alive', 'replaced', 'dead')),
  -- The last heartbeat by number. A database with less than it has confirmed was set back to an earlier copy.
  beats bigint not null default 0
);
create index ledger_nodes_by_name on ledger_nodes (node) where state = 'alive';

create table ledger_holds (
  account_id text not null references ledger_accounts,
  id text not null,
  number bigint generated always as identity,
  kind text not null check (kind in ('request', 'lease')),
  epoch text not null,
  lease text not null default '',
  granted bigint not null,
  drawn bigint not null default 0,
  state text not null check (state in ('open', 'settled', 'released', 'forgone')),
  checkpoint bigint not null default 0,
  price_version text not null default '',
  purses text[] not null default '{}',
  version integer not null default 0,
  recall text not null default 'none' check (recall in ('none', 'asked', 'yielded')),
  idempotency_key text not null default '',
  forgone bigint not null default 0,
  opened_at timestamptz not null default now(),
  instead text not null default '',
  primary key (account_id, id),
  check (drawn between 0 and granted),
  check (lease = '' or granted = 0)
);
create index ledger_leases on ledger_holds (account_id) where state = 'open' and kind = 'lease';
create index ledger_holds_under on ledger_holds (account_id, lease) where state = 'open' and lease <> '';
create index ledger_holds_of_node on ledger_holds (epoch) where state = 'open';
create unique index ledger_one_hold_per_key on ledger_holds (account_id, idempotency_key)
  where idempotency_key <> '' and state <> 'released';

-- An entry does not ask whether its account exists: only functions of the ledger write entries, with the row of the account locked, and no
-- role may delete accounts; a foreign key was an eighth to a fifth of what a settle cost.
create table ledger_entries (
  account_id text not null,
  sequence bigint not null,
  id text not null,
  kind text not null check (kind in ('deposit', 'withdrawal', 'charge')),
  debit text not null,
  credit text not null check (credit <> debit),
  amount bigint not null check (amount > 0),
  price_version text not null default '',
  estimated boolean not null default false,
  memo text not null default '',
  previous text not null,
  hash text not null,
  at timestamptz not null default now(),
  primary key (account_id, sequence),
  unique (account_id, id)
);

-- Callers see their own; the writer writes everybody's.
do $$ declare name text;
begin
  foreach name in array array['ledger_accounts', 'ledger_budgets', 'ledger_purses', 'ledger_holds', 'ledger_entries'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy own on %I for select to trivium_app using (trivium_sees(account_id))', name);
    execute format('create policy writes on %I to trivium_writer using (true) with check (true)', name);
    execute format('grant select on %I to trivium_app', name);
  end loop;
end $$;
grant select, insert, update on ledger_accounts, ledger_budgets, ledger_purses, ledger_holds, ledger_nodes to trivium_writer;
grant delete on ledger_budgets, ledger_nodes to trivium_writer;
grant update (forgot_until_ms) on ledger_book to trivium_writer;
grant select, insert on ledger_entries to trivium_writer;

-- Two locks on the door that no bug of ours can open: entries never change, and what is closed stays closed.
create function ledger_never() returns trigger language plpgsql as $$
begin
  raise exception '% rows do not change', tg_table_name;
end $$;
create trigger never before update or delete or truncate on ledger_entries execute function ledger_never();
create trigger closed before update on ledger_holds for each row
  when (old.state <> 'open' and (old.state, old.granted, old.drawn) is distinct from (new.state, new.granted, new.drawn))
  execute function ledger_never();
