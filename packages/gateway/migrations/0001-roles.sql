-- expand: the two roles every connection takes on, and who may see which account's rows.
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
