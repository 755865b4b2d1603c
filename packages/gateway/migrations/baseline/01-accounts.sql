-- expand: the schema of 0.1.0.

-- The two roles every connection takes on, and who may see which account's rows.
-- Roles belong to the server, not to the database: another database of ours may have made them already.
do $$ begin
  create role trivium_app nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$ begin
  create role trivium_writer nologin;
exception when duplicate_object or unique_violation then null;
end $$;
grant trivium_app, trivium_writer to current_user;
grant usage on schema public to trivium_app, trivium_writer;

-- The account a transaction works for, set with set_config('trivium.tenant', …, true); '*' is the operator.
-- Unset means nobody, and nobody sees nothing.
create function trivium_sees(account text) returns boolean
  language sql stable parallel safe
  return coalesce(current_setting('trivium.tenant', true) in (account, '*'), false);

-- Who pays. Balances are the ledger's and stand in tables of its own.
create table accounts (
  id text primary key check (length(id) between 1 and 100 and id <> '*'),
  name text not null check (length(name) between 1 and 200),
  kind text not null check (kind in ('prepaid', 'postpaid', 'unlimited')),
  status text not null default 'active' check (status in ('active', 'suspended')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Null: as the configuration has it.
  rate_limits jsonb
);
alter table accounts enable row level security, force row level security;
create policy own_account on accounts using (trivium_sees(id)) with check (trivium_sees(id));
grant select, insert, update on accounts to trivium_app;

-- The ledger writes for all accounts in one batch, and must know what kind each is.
create policy writer_reads on accounts for select to trivium_writer using (true);
grant select on accounts to trivium_writer;

-- Members of accounts and the keys callers present. Of a key only its SHA-256 is stored.
create table members (
  account_id text not null references accounts (id),
  id text not null,
  name text not null check (length(name) between 1 and 200),
  email text check (length(email) <= 320),
  role text not null check (role in ('viewer', 'developer', 'admin', 'owner')),
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  last_proof_at timestamptz,
  -- From when the age of a proof counts for members that have none yet: their creation, or the step that brought the column.
  proof_from timestamptz not null default now(),
  is_service_account boolean not null default false,
  deactivated_at timestamptz,
  -- The directory that deactivated it, which may bring it back. Null: people did.
  deactivated_by text,
  -- `rights`, the most that its keys may do, and `tags` of its calls.
  granted jsonb,
  primary key (account_id, id)
);
alter table members enable row level security, force row level security;
create policy own_members on members using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update on members to trivium_app;

create table keys (
  account_id text not null references accounts (id),
  id text not null,
  -- Whose it is, and which key made it: it dies with either.
  member_id text,
  parent_id text,
  name text not null check (length(name) between 1 and 200),
  prefix text not null,
  hash bytea not null unique check (octet_length(hash) = 32),
  -- The secret before the last rotation, for as long as it is still taken.
  previous_hash bytea unique check (octet_length(previous_hash) = 32),
  previous_until timestamptz,
  rights jsonb not null default '{}',
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  foreign key (account_id, member_id) references members (account_id, id),
  foreign key (account_id, parent_id) references keys (account_id, id)
);
create index keys_by_parent on keys (account_id, parent_id) where parent_id is not null;
create index keys_by_member on keys (account_id, member_id) where member_id is not null;
alter table keys enable row level security, force row level security;
create policy own_keys on keys using (trivium_sees(account_id)) with check (trivium_sees(account_id));

-- Whoever knows the whole hash knows the key: that row, and no other, may be read before the account is known.
create policy presented_key on keys for select using (
  encode(hash, 'hex') = current_setting('trivium.presented_key', true)
  or encode(previous_hash, 'hex') = current_setting('trivium.presented_key', true)
);
grant select, insert, update on keys to trivium_app;

-- Keys of removed and deactivated members are no keys.
create function trivium_find_key(presented bytea)
  returns table (id text, account_id text, member_id text, rights jsonb, expires_in_ms float8, account_status text, member_role text)
  language plpgsql volatile as $$
declare
  found_key keys%rowtype;
begin
  perform set_config('trivium.presented_key', encode(presented, 'hex'), true);
  select * into found_key from keys k
    where (k.hash = presented or (k.previous_hash = presented and k.previous_until > now()))
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
  perform set_config('trivium.presented_key', '', true);
  if found_key.id is null then return; end if;
  perform set_config('trivium.tenant', found_key.account_id, true);
  return query
    select found_key.id, a.id, found_key.member_id, found_key.rights,
      (extract(epoch from least(found_key.expires_at,
        case when found_key.previous_hash = presented then found_key.previous_until end) - now()) * 1000)::float8,
      a.status, m.role
    from accounts a
    left join members m on m.account_id = a.id and m.id = found_key.member_id
      and m.removed_at is null and m.deactivated_at is null
    where a.id = found_key.account_id and (found_key.member_id is null or m.id is not null);
  perform set_config('trivium.tenant', '', true);
end $$;

-- Whatever changes a key, whoever does it: every node forgets what it knew.
create function trivium_tell_keys() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform pg_notify('trivium_keys', 'new:' || encode(new.hash, 'hex'));
    return null;
  end if;
  perform pg_notify('trivium_keys', 'key:' || encode(told, 'hex'))
    from unnest(array[new.hash, new.previous_hash, old.hash, old.previous_hash]) as told where told is not null;
  return null;
end $$;
create trigger tell after insert or update on keys for each row execute function trivium_tell_keys();

create function trivium_tell_account() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_keys', 'account:' || (to_jsonb(new) ->> tg_argv[0]));
  return null;
end $$;
create trigger tell after update on accounts for each row execute function trivium_tell_account('id');

-- What operators and members have changed. Rows are only ever added, and each holds the hash of the one before.
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
alter table audit enable row level security, force row level security;
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

-- The secrets operators present at the admin API, as SHA-256. Only the operator's transactions see them.
create table operator_secrets (
  hash bytea primary key check (octet_length(hash) = 32),
  -- The one made at the first start: there is at most one, whoever starts first.
  is_first boolean unique check (is_first),
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
alter table operator_secrets enable row level security, force row level security;
create policy operators_only on operator_secrets using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update on operator_secrets to trivium_app;

-- What hosts ask of us, encrypted: each under a key of its own, and that one under the operator's.
create table provider_credentials (
  provider text primary key check (provider ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  sealed bytea not null,
  wrapped_key bytea not null,
  -- Which of the operator's keys wrapped it.
  wrapping text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table provider_credentials enable row level security, force row level security;
create policy operators_only on provider_credentials using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on provider_credentials to trivium_app;

-- Every node takes up what has changed, whoever changed it.
create function trivium_tell_credentials() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_credentials', coalesce(new.provider, old.provider));
  return null;
end $$;
create trigger tell after insert or update or delete on provider_credentials
  for each row execute function trivium_tell_credentials();

-- Opaque state of answers with tool calls, for callers that bring back nothing but the calls. Encrypted by the gateway.
create table kept_turns (
  account_id text not null,
  call_id text not null check (length(call_id) between 1 and 512),
  sealed bytea not null,
  expires_at timestamptz not null,
  primary key (account_id, call_id)
);
create index kept_turns_by_expiry on kept_turns (expires_at);
alter table kept_turns enable row level security, force row level security;
create policy own_turns on kept_turns using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on kept_turns to trivium_app;
