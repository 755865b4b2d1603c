-- expand: what operators and members have changed. Rows are only ever added, and each holds the hash of the one before.
create table audit (
  -- In the order of the chain, without gaps: given by the trigger.
  id bigint primary key default 0,
  at timestamptz not null default now(),
  -- Null: concerns no single account.
  account_id text,
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}',
  previous_hash bytea,
  hash bytea
);
create index audit_by_account on audit (account_id, id);
alter table audit enable row level security;
alter table audit force row level security;
create policy own_audit on audit using (trivium_sees(coalesce(account_id, '*')))
  with check (trivium_sees(coalesce(account_id, '*')));
grant select, insert on audit to trivium_app;

create function trivium_audit_hash(previous bytea, row_of audit) returns bytea language sql stable
  return sha256(coalesce(previous, '') || convert_to(concat_ws(chr(31), row_of.id, extract(epoch from row_of.at), coalesce(row_of.account_id, chr(30)),
    row_of.actor, row_of.action, row_of.subject, row_of.detail), 'UTF8'));

create function trivium_chain_audit() returns trigger language plpgsql as $$
declare
  tenant text := coalesce(current_setting('trivium.tenant', true), '');
begin
  -- One chain for all: whoever adds a row waits for the one before to be committed.
  perform pg_advisory_xact_lock(7214310);
  perform set_config('trivium.tenant', '*', true);
  select a.id + 1, a.hash into new.id, new.previous_hash from audit a order by a.id desc limit 1;
  new.id := coalesce(new.id, 1);
  perform set_config('trivium.tenant', tenant, true);
  new.hash := trivium_audit_hash(new.previous_hash, new);
  return new;
end $$;
create trigger chain before insert on audit for each row execute function trivium_chain_audit();

create function trivium_refuse() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger append_only before update or delete or truncate on audit execute function trivium_refuse();

-- The rows whose hash does not follow from themselves and the row before; none when nothing was touched.
create function trivium_audit_breaks() returns setof bigint language sql stable as $$
  select id from (
    select a.id, a.hash, a.previous_hash, lag(a.hash) over (order by a.id) as before, trivium_audit_hash(a.previous_hash, a) as own
    from audit a
  ) chained where hash is distinct from own or previous_hash is distinct from before order by id
$$;
