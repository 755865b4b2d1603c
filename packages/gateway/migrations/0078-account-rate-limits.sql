-- expand: accounts may have rate limits of their own. Null: as the configuration has it.
alter table accounts add column rate_limits jsonb;

-- As trivium_find_key, with what the account's keys share. That one stays for the release before.
create function trivium_find_caller(presented bytea)
  returns table (id text, account_id text, member_id text, rights jsonb, expires_in_ms float8, account_status text, member_role text,
    account_rates jsonb)
  language plpgsql volatile as $$
declare
  caller record;
begin
  select * into caller from trivium_find_key(presented);
  if caller.id is null then return; end if;
  perform set_config('trivium.tenant', caller.account_id, true);
  return query
    select caller.id::text, caller.account_id::text, caller.member_id::text, caller.rights::jsonb, caller.expires_in_ms::float8,
      caller.account_status::text, caller.member_role::text, a.rate_limits
    from accounts a where a.id = caller.account_id;
  perform set_config('trivium.tenant', '', true);
end $$;
