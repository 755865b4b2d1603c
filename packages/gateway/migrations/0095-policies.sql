-- expand: routing policies that operators set while the gateway runs. A version is added for every change and never altered, so that every
-- decision can be explained; the latest of a name is in force. Null: removed.
create table policies (
  name text not null,
  version integer not null,
  policy jsonb,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (name, version)
);
alter table policies enable row level security;
alter table policies force row level security;
create policy operators_only on policies using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert on policies to trivium_app;

-- The accounts below these, each with the one above it: a policy of an account holds for all of them. Runs as the writer, which sees the tree,
-- and answers operators only.
create function trivium_policy_trees(roots text[]) returns table (account_id text, parent_id text) language sql stable security definer
  set search_path = public, pg_temp as $$
  with recursive below (account_id, parent_id, depth) as (
    select a.account_id, a.parent_id, 1 from ledger_accounts a where a.parent_id = any(roots)
    union
    select a.account_id, a.parent_id, b.depth + 1 from below b join ledger_accounts a on a.parent_id = b.account_id where b.depth < 8)
  select distinct b.account_id, b.parent_id from below b where current_setting('trivium.tenant', true) = '*' order by 1
$$;
do $$ begin
  grant create on schema public to trivium_writer;
  alter function trivium_policy_trees(text[]) owner to trivium_writer;
  revoke create on schema public from trivium_writer;
exception when insufficient_privilege then null; end $$;
revoke all on function trivium_policy_trees(text[]) from public;
grant execute on function trivium_policy_trees(text[]) to trivium_app;

create function trivium_tell_policies() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_policies', '');
  return null;
end $$;
create trigger tell after insert on policies for each statement execute function trivium_tell_policies();
-- An account that moves comes under the policies of others.
create trigger tell_policies after update of parent_id on ledger_accounts
  for each row when (old.parent_id is distinct from new.parent_id) execute function trivium_tell_policies();
