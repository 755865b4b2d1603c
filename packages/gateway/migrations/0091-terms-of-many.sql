-- expand: the terms of many accounts in one statement. Those that the ledger does not know are opened, as the directory defines them.
create function ledger_terms_of(given_ids text[]) returns table (account text, kind text, budgeted text[]) language plpgsql as $$
begin
  perform ledger_open_known(missing.id) from (
    select given.id from unnest(given_ids) given (id)
    left join ledger_accounts l on l.account_id = given.id
    left join accounts a on a.id = given.id
    where l.account_id is null or a.kind <> l.kind
    order by given.id) missing;
  return query
    select a.account_id, a.kind, array(
      select distinct b.scope from ledger_budgets b
      where b.account_id = any(line.ids) and (b.account_id = a.account_id or b.scope = 'group'))
    from ledger_accounts a
    cross join lateral (
      select case when a.parent_id is null then array[a.account_id] else ledger_line(a.account_id) end as ids) line
    where a.account_id = any(given_ids);
end $$;
