-- expand: what files declare, as `apply` last made it. It decides what may be pruned, and shows what was changed by hand since. Never a secret.
create table declared (
  -- Empty: of no account.
  account_id text not null,
  kind text not null,
  name text not null,
  value jsonb not null,
  applied_by text not null,
  applied_at timestamptz not null default now(),
  primary key (account_id, kind, name)
);
alter table declared enable row level security;
alter table declared force row level security;
create policy own_declared on declared using (trivium_sees(coalesce(nullif(account_id, ''), '*')))
  with check (trivium_sees(coalesce(nullif(account_id, ''), '*')));
grant select, insert, update, delete on declared to trivium_app;

-- Models, their further names and rules of alerts that operators set while the gateway runs.
create table own_models (
  id text primary key,
  definition jsonb not null,
  updated_by text not null,
  updated_at timestamptz not null default now()
);
create table model_aliases (
  name text primary key,
  model text not null,
  updated_by text not null,
  updated_at timestamptz not null default now()
);
create table alert_rules (
  kind text primary key,
  rule jsonb not null,
  updated_by text not null,
  updated_at timestamptz not null default now()
);
do $$
declare name text;
begin
  foreach name in array array['own_models', 'model_aliases', 'alert_rules'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy operators_only on %I using (trivium_sees(''*'')) with check (trivium_sees(''*''))', name);
    execute format('grant select, insert, update, delete on %I to trivium_app', name);
    -- Every node takes up what has changed, as with prices.
    execute format('create trigger tell after insert or update or delete on %I for each statement execute function trivium_tell_prices()', name);
  end loop;
end $$;
