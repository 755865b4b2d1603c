-- expand: what is given back takes no budget below nothing, should an earlier settlement have named other budgets.
create or replace function ledger_refund(account text, purses text[], id text, amount bigint, price_version text,
  estimated boolean, memo text) returns void language plpgsql as $$
begin
  update ledger_accounts set posted = posted - amount where account_id = account;
  if cardinality(purses) > 0 then
    update ledger_purses set posted = greatest(posted - amount, 0) where account_id = account and key = any(purses);
  end if;
  perform ledger_enter(account, 'charge', 'house:revenue', account, id, amount, price_version, estimated, memo);
end $$;
