-- expand: what operators say of prices and terms while the gateway runs. Rows are added and withdrawn, never changed.
create table price_changes (
  id text primary key,
  model_id text not null,
  provider text not null,
  dialect text,
  -- Days, UTC: the first one, and the first one no more.
  from_day date,
  until_day date,
  pricings jsonb not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  withdrawn_at timestamptz
);
alter table price_changes enable row level security;
alter table price_changes force row level security;
create policy operators_only on price_changes using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update (withdrawn_at) on price_changes to trivium_app;

create table account_terms (
  account_id text not null references accounts (id),
  id bigint generated always as identity,
  from_at timestamptz not null,
  -- Null: from then on the account pays what everybody pays.
  change_percent numeric(9, 4) check (change_percent between -100 and 9900),
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (account_id, id)
);
alter table account_terms enable row level security;
alter table account_terms force row level security;
create policy own_terms on account_terms for select using (trivium_sees(account_id));
create policy operators_set_terms on account_terms for insert with check (trivium_sees('*'));
grant select, insert on account_terms to trivium_app;

-- Every node takes up what has changed, whoever changed it.
create function trivium_tell_prices() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_prices', '');
  return null;
end $$;
create trigger tell after insert or update on price_changes for each statement execute function trivium_tell_prices();
create trigger tell after insert on account_terms for each statement execute function trivium_tell_prices();
