-- expand: people who are signed in from their programs. Of every token only the SHA-256 is stored.
create table grants (
  account_id text not null,
  id text not null,
  member_id text not null,
  client text not null check (client in ('claude-code', 'trivium-cli', 'app')),
  label text not null check (length(label) between 1 and 200),
  -- Id of the issuer in the configuration, and who the person is there.
  issuer text not null,
  subject text not null,
  email text check (length(email) <= 320),
  groups text[] not null default '{}',
  scope text not null,
  cap_nano bigint check (cap_nano > 0),
  -- The issuer's refresh token; null: it gave none.
  sealed bytea,
  wrapped_key bytea,
  wrapping text,
  -- Of a refresh token the first half names the grant, and the second changes with every use.
  selector bytea not null unique check (octet_length(selector) = 32),
  verifier bytea not null check (octet_length(verifier) = 32),
  previous_verifier bytea check (octet_length(previous_verifier) = 32),
  -- Makes the next second half from the presented one, so that all who present it meanwhile get the same.
  rotation_salt bytea,
  rotated_at timestamptz,
  -- One process asks the issuer; the others wait until then.
  proving_until timestamptz,
  created_at timestamptz not null default now(),
  proven_at timestamptz not null default now(),
  last_used_at timestamptz,
  ends_at timestamptz,
  ended_at timestamptz,
  ended_why text,
  primary key (account_id, id),
  foreign key (account_id, member_id) references members (account_id, id),
  check ((sealed is null) = (wrapped_key is null) and (sealed is null) = (wrapping is null))
);
create index grants_by_member on grants (account_id, member_id);
alter table grants enable row level security;
alter table grants force row level security;
create policy own_grants on grants using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on grants to trivium_app;

create table access_tokens (
  hash bytea primary key check (octet_length(hash) = 32),
  account_id text not null,
  grant_id text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  foreign key (account_id, grant_id) references grants (account_id, id) on delete cascade
);
create index access_tokens_by_grant on access_tokens (account_id, grant_id);
alter table access_tokens enable row level security;
alter table access_tokens force row level security;
create policy own_tokens on access_tokens using (trivium_sees(account_id)) with check (trivium_sees(account_id));
-- As for keys: whoever knows the whole hash knows the token.
create policy presented_token on access_tokens for select
  using (encode(hash, 'hex') = current_setting('trivium.presented_key', true));
grant select, insert, delete on access_tokens to trivium_app;

-- Sign-ins on their way, of all three kinds, from the first request of a program until it has its grant or key.
create table sign_ins (
  -- That of the grant, if it becomes one.
  id text primary key,
  door text not null check (door in ('device', 'code', 'key')),
  client text not null check (client in ('claude-code', 'trivium-cli', 'app')),
  label text not null check (length(label) between 1 and 200),
  -- Where it was asked for; for IPv6, the network of the asker.
  address text not null,
  state text not null default 'asked' check (state in ('asked', 'begun', 'proven', 'allowed', 'denied', 'spent')),
  -- What the program holds: the device code, or after consent the authorization code.
  code_hash bytea unique check (octet_length(code_hash) = 32),
  user_code text unique,
  polled_at timestamptz,
  redirect_uri text,
  challenge text,
  client_state text,
  -- What the browser holds.
  visit_hash bytea unique check (octet_length(visit_hash) = 32),
  visits integer not null default 0,
  issuer text,
  subject text,
  account_id text,
  member_id text,
  email text,
  groups text[] not null default '{}',
  sealed bytea,
  wrapped_key bytea,
  wrapping text,
  proven_at timestamptz,
  -- What the person chose, or the program proposed.
  cap_nano bigint,
  cap_span text check (cap_span in ('day', 'month', 'total')),
  days integer,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sign_ins_by_address on sign_ins (address);
create index sign_ins_by_end on sign_ins (expires_at);
alter table sign_ins enable row level security;
alter table sign_ins force row level security;
create policy operators_only on sign_ins using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on sign_ins to trivium_app;

-- Wrong user codes by address.
create table sign_in_tries (
  address text primary key,
  failures integer not null,
  since timestamptz not null
);
alter table sign_in_tries enable row level security;
alter table sign_in_tries force row level security;
create policy operators_only on sign_in_tries using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on sign_in_tries to trivium_app;

-- As trivium_find_caller, for tokens as well. That one stays for the release before.
create function trivium_find_presented(presented bytea)
  returns table (id text, account_id text, member_id text, rights jsonb, expires_in_ms float8, account_status text, member_role text,
    account_rates jsonb, signed_in jsonb)
  language plpgsql volatile as $$
declare
  token access_tokens%rowtype;
begin
  return query select f.*, null::jsonb from trivium_find_caller(presented) f;
  if found then return; end if;
  perform set_config('trivium.presented_key', encode(presented, 'hex'), true);
  select * into token from access_tokens t where t.hash = presented and t.expires_at > now();
  perform set_config('trivium.presented_key', '', true);
  if token.hash is null then return; end if;
  perform set_config('trivium.tenant', token.account_id, true);
  -- Waits for nobody: two batches of lookups could otherwise wait for each other.
  perform from grants g where g.account_id = token.account_id and g.id = token.grant_id
    and (g.last_used_at is null or g.last_used_at < now() - interval '1 minute') for update skip locked;
  if found then
    update grants g set last_used_at = now() where g.account_id = token.account_id and g.id = token.grant_id;
  end if;
  return query
    select g.id, a.id::text, m.id::text, '{}'::jsonb,
      (extract(epoch from least(token.expires_at, g.ends_at) - now()) * 1000)::float8, a.status::text, m.role::text, a.rate_limits,
      jsonb_build_object('id', g.id, 'client', g.client, 'email', g.email, 'groups', to_jsonb(g.groups))
    from grants g
    join accounts a on a.id = g.account_id
    join members m on m.account_id = g.account_id and m.id = g.member_id and m.removed_at is null
    where g.account_id = token.account_id and g.id = token.grant_id and g.ended_at is null
      and (g.ends_at is null or g.ends_at > now());
  perform set_config('trivium.tenant', '', true);
end $$;

-- Every node forgets the tokens of a grant that has ended, or whose person has changed.
create function trivium_tell_grant() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_keys', 'key:' || encode(t.hash, 'hex'))
    from access_tokens t where t.account_id = new.account_id and t.grant_id = new.id and t.expires_at > now();
  return null;
end $$;
create trigger tell after update on grants for each row
  when (old.ended_at is distinct from new.ended_at or old.ends_at is distinct from new.ends_at
    or old.groups is distinct from new.groups or old.email is distinct from new.email)
  execute function trivium_tell_grant();

create function trivium_tell_token() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_keys', 'key:' || encode(old.hash, 'hex'));
  return null;
end $$;
create trigger tell after delete on access_tokens for each row when (old.expires_at > now())
  execute function trivium_tell_token();
