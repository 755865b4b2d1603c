-- expand: a budget without a limit is none. Its purses stay: what was spent of it is history, and counts should it come back.
grant delete on ledger_budgets to trivium_writer;

create or replace function ledger_set_budget(c jsonb) returns jsonb language plpgsql as $$
begin
  if c ->> 'limit' is null then
    delete from ledger_budgets
      where account_id = c ->> 'account' and scope = c ->> 'scope' and span = c ->> 'span';
  else
    insert into ledger_budgets (account_id, scope, span, most)
      values (c ->> 'account', c ->> 'scope', c ->> 'span', (c ->> 'limit')::bigint)
      on conflict (account_id, scope, span) do update set most = excluded.most;
  end if;
  -- Leases were granted under the old terms.
  update ledger_holds set recall = 'asked'
    where account_id = c ->> 'account' and kind = 'lease' and state = 'open' and recall = 'none';
  perform pg_notify('trivium_ledger', c ->> 'account');
  return '{"is":"done"}';
end $$;
