-- expand: members of accounts and the keys callers present. Of a key only its SHA-256 is stored.
create table members (
  account_id text not null references accounts (id),
  id text not null,
  name text not null check (length(name) between 1 and 200),
  email text check (length(email) <= 320),
  role text not null check (role in ('viewer', 'developer', 'admin', 'owner')),
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  primary key (account_id, id)
);
alter table members enable row level security;
alter table members force row level security;
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
alter table keys enable row level security;
alter table keys force row level security;
create policy own_keys on keys using (trivium_sees(account_id)) with check (trivium_sees(account_id));
-- Whoever knows the whole hash knows the key: that row, and no other, may be read before the account is known.
create policy presented_key on keys for select using (
  encode(hash, 'hex') = current_setting('trivium.presented_key', true)
  or encode(previous_hash, 'hex') = current_setting('trivium.presented_key', true)
);
grant select, insert, update on keys to trivium_app;

-- A key by its hash, with what decides whether it is taken. Times are left as differences: the database's clock decides.
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
    left join members m on m.account_id = a.id and m.id = found_key.member_id and m.removed_at is null
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
create trigger tell after update on members for each row execute function trivium_tell_account('account_id');
