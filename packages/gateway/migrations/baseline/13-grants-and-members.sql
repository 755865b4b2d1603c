-- Attempts at providers by quarter of an hour, from the records of requests: also of those that another provider answered.
-- Several rows for each, so that batches of different connections do not wait for each other.
create table provider_attempts (
  at timestamptz not null,
  provider text not null,
  -- `ok`, or the kind of fault.
  outcome text not null,
  shard smallint not null,
  attempts bigint not null,
  last_at timestamptz not null,
  -- Until the first content, of attempts that were answered.
  first_content_counts bigint[],
  primary key (at, provider, outcome, shard)
);
alter table provider_attempts enable row level security, force row level security;
create policy operators_only on provider_attempts for select to trivium_app using (trivium_sees('*'));
create policy writes on provider_attempts to trivium_writer using (true) with check (true);
grant select on provider_attempts to trivium_app;
grant select, insert, update, delete on provider_attempts to trivium_writer;

-- Counts what one statement has stored, in that statement's transaction and in order, so that no two wait for each other.
create function trivium_count_attempts() returns trigger language plpgsql as $$
declare
  bounds constant integer[] := '{10,16,26,41,66,105,168,268,429,687,1100,1759,2815,4504,7206,11529,18447,29515,47224,75558,120893,193428,309485,495176}';
begin
  insert into provider_attempts as kept (at, provider, outcome, shard, attempts, last_at, first_content_counts)
  select date_bin('15 minutes', ended_at, 'epoch'), tried.provider, tried.outcome, pg_backend_pid() % 16, count(*), max(ended_at),
    usage_histogram(width_bucket(first_ms, bounds)) filter (where tried.outcome = 'ok')
  from (
    select attempt ->> 'provider' as provider,
      received_at + coalesce((attempt ->> 'endMs')::float8, duration_ms) * interval '1 millisecond' as ended_at,
      -- An answer that broke off after it had begun is the outcome of its request.
      coalesce(attempt ->> 'fault', case when attempt ? 'heard' then fresh.outcome else 'ok' end) as outcome,
      ((attempt ->> 'firstContentMs')::float8 - (attempt ->> 'startMs')::float8)::integer as first_ms
    from fresh, jsonb_array_elements(fresh.details -> 'attempts') as attempt
    -- What lost to a hedge was ended by us.
    where attempt ? 'fault' or attempt ->> 'hedge' is distinct from 'lost') as tried
  where tried.provider is not null
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (at, provider, outcome, shard) do update set
    attempts = kept.attempts + excluded.attempts,
    last_at = greatest(kept.last_at, excluded.last_at),
    first_content_counts = trivium_add_counts(kept.first_content_counts, excluded.first_content_counts);
  return null;
end $$;
create trigger count_attempts after insert on usage_events referencing new table as fresh
  for each statement execute function trivium_count_attempts();

-- People who are signed in from their programs. Of every token only the SHA-256 is stored.
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
alter table grants enable row level security, force row level security;
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
alter table access_tokens enable row level security, force row level security;
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
alter table sign_ins enable row level security, force row level security;
create policy operators_only on sign_ins using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on sign_ins to trivium_app;

-- Wrong user codes by address.
create table sign_in_tries (
  address text primary key,
  failures integer not null,
  since timestamptz not null
);
alter table sign_in_tries enable row level security, force row level security;
create policy operators_only on sign_in_tries using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on sign_in_tries to trivium_app;

-- As trivium_find_caller, for tokens as well.
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

-- Settings that operators give to people's agents. A version is added for every change and never altered; the latest of a name is
-- in force. Null: removed.
create table managed_settings (
  name text not null,
  version integer not null,
  entry jsonb,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (name, version)
);
alter table managed_settings enable row level security, force row level security;
create policy operators_only on managed_settings using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert on managed_settings to trivium_app;

create function trivium_tell_managed_settings() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_managed_settings', '');
  return null;
end $$;
create trigger tell after insert on managed_settings for each statement execute function trivium_tell_managed_settings();

-- What bounds a spender with these scopes now, by budgets and templates, and what is spent of each. `asked`: a list of accounts with
-- scopes; `place` is the place in it, from 1.
create function ledger_spend(asked jsonb, now_ms bigint) returns table (place integer, scope text, span text, most bigint, posted bigint,
  pending bigint, end_ms bigint) language sql stable
  begin atomic
    select bound.place, bound.scope, bound.span, bound.most, coalesce(p.posted, 0), coalesce(p.pending, 0), bound.end_ms from (
      select spender.place, b.account_id as owner, b.scope, b.span, b.most,
        case b.span when 'total' then 0 when 'day' then now_ms - now_ms % 86400000 else ledger_month_ms(now_ms, 0) end as start_ms,
        case b.span when 'total' then 9007199254740991 when 'day' then now_ms - now_ms % 86400000 + 86400000
          else ledger_month_ms(now_ms, 1) end as end_ms
      from (select ordinality::integer as place, value ->> 'account' as account,
          array(select jsonb_array_elements_text(value -> 'scopes')) as scopes from jsonb_array_elements(asked) with ordinality) spender
      join ledger_budgets b on (b.account_id = spender.account and (b.scope = 'account' or b.scope = any(spender.scopes)))
        or (b.scope = 'group' and b.account_id = any(ledger_line(spender.account)))
      union all
      select spender.place, spender.account, t.scope, t.span, ledger_template_limit(spender.account, t.scope, t.span), t.start_ms, t.end_ms
      from (select ordinality::integer as place, value ->> 'account' as account,
          array(select jsonb_array_elements_text(value -> 'scopes')) as scopes from jsonb_array_elements(asked) with ordinality) spender
      cross join lateral ledger_template_reach(spender.account, spender.scopes, now_ms) t
    ) bound
    left join ledger_purses p on p.account_id = bound.owner and p.scope = bound.scope and p.span = bound.span and p.start_ms = bound.start_ms
    order by bound.place, bound.scope collate "C", bound.span;
  end;

-- When a member last proved to be there, what the groups of the identity provider give, and members that are out, with their keys and
-- sessions, but stay as rows.
create trigger tell after update of name, email, role, removed_at, deactivated_at, is_service_account, granted on members
  for each row execute function trivium_tell_account('account_id');

create function trivium_tell_proof() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_keys', 'key:' || encode(told, 'hex'))
    from keys k, unnest(array[k.hash, k.previous_hash]) as told
    where k.account_id = new.account_id and k.member_id = new.id and k.revoked_at is null and told is not null;
  return null;
end $$;
create trigger tell_proof after update of last_proof_at on members for each row execute function trivium_tell_proof();

-- As trivium_find_presented, with what its member's sign-ins say.
create function trivium_find_person(presented bytea)
  returns table (id text, account_id text, member_id text, rights jsonb, expires_in_ms float8, account_status text, member_role text,
    account_rates jsonb, signed_in jsonb, proof_age_ms float8, granted jsonb)
  language plpgsql volatile as $$
declare
  caller record;
begin
  select * into caller from trivium_find_presented(presented);
  if caller.id is null then return; end if;
  perform set_config('trivium.tenant', caller.account_id, true);
  return query
    select caller.id::text, caller.account_id::text, caller.member_id::text, caller.rights::jsonb, caller.expires_in_ms::float8,
      caller.account_status::text, caller.member_role::text, caller.account_rates::jsonb, caller.signed_in::jsonb,
      case when not m.is_service_account
        then (extract(epoch from now() - greatest(m.last_proof_at, m.proof_from)) * 1000)::float8 end,
      m.granted
    from (select) one
    left join members m on m.account_id = caller.account_id and m.id = caller.member_id
    where m.deactivated_at is null;
  perform set_config('trivium.tenant', '', true);
end $$;

-- People as their identity provider's directory (SCIM) and their sign-ins name them. Names may come twice, when one is given to
-- another person: rows of one name, subject or external id are out together.
create table directory_users (
  account_id text not null,
  issuer text not null,
  member_id text not null,
  -- At sign-in; null before the first.
  subject text,
  user_name text not null check (length(user_name) between 1 and 320),
  external_id text check (length(external_id) between 1 and 320),
  -- The directory made it: sign-ins do not rename it.
  is_provisioned boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The directory says that the person is out; and that it does not know the user any more.
  inactive_at timestamptz,
  deleted_at timestamptz,
  primary key (account_id, issuer, member_id),
  foreign key (account_id, member_id) references members (account_id, id)
);
create index directory_users_by_name on directory_users (account_id, issuer, lower(user_name));
create index directory_users_by_subject on directory_users (issuer, subject) where subject is not null;
create index directory_users_by_external_id on directory_users (issuer, external_id) where external_id is not null;
alter table directory_users enable row level security, force row level security;
create policy own_users on directory_users using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update on directory_users to trivium_app;
create index sessions_by_subject on sessions (issuer, subject) where issuer is not null;

-- What ends with a member ends in the transaction of its account.
create policy of_account_seen on sessions for select using (trivium_sees(account_id));
create policy of_account_ended on sessions for delete using (trivium_sees(account_id));
create policy of_account_seen on sign_in_codes for select using (trivium_sees(account_id));
create policy of_account_ended on sign_in_codes for delete using (trivium_sees(account_id));

-- Logout tokens that were used: each works once. Of their ids only the SHA-256 is stored.
create table logout_tokens (
  hash bytea primary key check (octet_length(hash) = 32),
  expires_at timestamptz not null
);
alter table logout_tokens enable row level security, force row level security;
create policy operators_only on logout_tokens using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, delete on logout_tokens to trivium_app;
