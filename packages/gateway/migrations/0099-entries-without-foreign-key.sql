-- expand: an entry no longer asks whether its account exists. Only functions of the ledger write entries, with the row of the account
-- locked, and no role may delete accounts; the question was an eighth to a fifth of what a settle cost.
do $$
declare usual_timeout constant text := current_setting('lock_timeout');
begin
  -- All that comes later queues behind a lock that waits: so it waits briefly, and lets the others pass in between.
  for tries in 1..500 loop
    begin
      set local lock_timeout = '50ms';
      lock table ledger_accounts, ledger_entries in access exclusive mode;
      alter table ledger_entries drop constraint ledger_entries_account_id_fkey;
      perform set_config('lock_timeout', usual_timeout, true);
      return;
    exception when lock_not_available then
      perform pg_sleep(0.2);
    end;
  end loop;
  raise exception 'the ledger is too busy: end transactions that are long idle, and migrate again';
end $$;
