-- expand: a batch locks the accounts above its own only where one of them has a budget of the scope `group`: without one, teams of a company
-- share no balance, and no longer wait for each other. What changes that, the first such budget of a tree or another parent, locks all
-- accounts below instead: it waits for their batches, and those that come later see it.

/*
 * The accounts of a batch in one order. What is read before they are locked may have changed by then: so it is read again until it is
 * the same. While an account is locked, neither the accounts above it change nor whether one of them has a group budget.
 */
create or replace function ledger_lock_accounts(commands jsonb) returns void language plpgsql
  set enable_seqscan = off as $$
declare named text[]; with_all_below text[]; wanted text[]; locked text[];
begin
  with given as materialized (
    select * from jsonb_to_recordset(commands) as c ("do" text, account text, parent text, scope text))
  select coalesce((select array_agg(id) from (select account as id from given union select parent from given) ids where id is not null), '{}'),
    (select array_agg(distinct account) from given where "do" = 'set-parent' or ("do" = 'set-budget' and scope = 'group'))
    into named, with_all_below;
  loop
    -- By the index of parents, which is empty where there is no tree.
    perform from ledger_accounts where parent_id is not null order by parent_id limit 1;
    if found then
      with lines as materialized (
        select one.id, one.line, exists (select from ledger_budgets b where b.account_id = any(one.line) and b.scope = 'group') as is_bound
        from (select id, case when (select a.parent_id from ledger_accounts a where a.account_id = id) is null then array[id]
          else ledger_line(id) end as line from unnest(named) as id) one)
      select coalesce(array_agg(id order by id), '{}') into wanted from (
        select id from lines
        union select unnest(line) from lines where is_bound
        -- Where there is a group budget, all below lock this account already.
        union select unnest(ledger_below(id)) from lines where id = any(with_all_below) and not is_bound) ids;
    else
      wanted := named;
    end if;
    exit when wanted is not distinct from locked;
    perform from ledger_accounts where account_id = any(wanted) order by account_id for update;
    locked := wanted;
  end loop;
end $$;
