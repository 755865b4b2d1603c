-- expand: who set a budget. Members of an account change only what members have set. Those set before count as the operator's.
alter table ledger_budgets add column set_by text not null default 'operator' check (set_by in ('operator', 'member'));

create or replace function ledger_set_budget(c jsonb) returns jsonb language plpgsql as $$
begin
  if c ->> 'limit' is null then
    delete from ledger_budgets
      where account_id = c ->> 'account' and scope = c ->> 'scope' and span = c ->> 'span';
  else
    insert into ledger_budgets (account_id, scope, span, most, set_by)
      values (c ->> 'account', c ->> 'scope', c ->> 'span', (c ->> 'limit')::bigint, coalesce(c ->> 'setBy', 'operator'))
      on conflict (account_id, scope, span) do update
        set most = excluded.most, set_by = coalesce(c ->> 'setBy', ledger_budgets.set_by);
  end if;
  -- Leases were granted under the old terms.
  perform ledger_recall(case c ->> 'scope' when 'group' then ledger_below(c ->> 'account') else array[c ->> 'account'] end, '', true);
  return '{"is":"done"}';
end $$;
