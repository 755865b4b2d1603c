-- expand: what is paid in is always taken, however much an account owes. Only withdrawals may be refused.
create or replace function ledger_deposit(c jsonb, account ledger_accounts) returns jsonb language plpgsql as $$
declare amount bigint := (c ->> 'amount')::bigint; room bigint;
begin
  if amount = 0 or exists (select from ledger_entries where account_id = account.account_id and id = c ->> 'id') then
    return '{"is":"done"}';
  end if;
  room := (ledger_room(account, '{}')).room;
  if amount < 0 and room + amount < 0 then return ledger_refused('', room, 0); end if;
  update ledger_accounts set credit = credit + amount where account_id = account.account_id;
  perform ledger_write(account.account_id, case when amount < 0 then 'withdrawal' else 'deposit' end, c ->> 'id', abs(amount),
    '', false, c ->> 'memo');
  return '{"is":"done"}';
end $$;
