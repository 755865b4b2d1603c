-- expand: when a member last proved to be there, whether one is a service account, what the groups of the identity provider give,
-- and members that are out, with their keys and sessions, but stay as rows.
alter table members
  add column last_proof_at timestamptz,
  -- From when the age of a proof counts for members that have none yet: their creation, or this step.
  add column proof_from timestamptz not null default now(),
  add column is_service_account boolean not null default false,
  add column deactivated_at timestamptz,
  -- The directory that deactivated it, which may bring it back. Null: people did.
  add column deactivated_by text,
  -- `rights`, the most that its keys may do, and `tags` of its calls.
  add column granted jsonb;

-- A proof drops the member's own keys from caches, not those of the whole account: everyone refreshes at nine o'clock.
drop trigger tell on members;
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

-- As before, and keys of deactivated members are no keys.
create or replace function trivium_find_key(presented bytea)
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
