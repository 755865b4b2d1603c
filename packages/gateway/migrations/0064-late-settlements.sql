-- expand: a settlement that comes after its hold was closed is posted as a correction, once. Entries keep their kinds: a charge that
-- credits its account gives back what an estimate had charged too much. No kind is new, so that chains stay as they are.

create function ledger_enter(account text, kind text, debit text, credit text, id text, amount bigint, price_version text,
  estimated boolean, memo text) returns void language plpgsql as $$
declare mine ledger_accounts; hash text;
begin
  select * into mine from ledger_accounts where account_id = account;
  hash := encode(sha256(convert_to(mine.head || '|' || account || '|' || mine.sequence + 1 || '|' || id || '|' || kind || '|' || debit
    || '|' || credit || '|' || amount || '|' || price_version || '|' || estimated::text || '|' || memo, 'UTF8')), 'hex');
  insert into ledger_entries (account_id, sequence, id, kind, debit, credit, amount, price_version, estimated, memo, previous, hash)
    values (account, mine.sequence + 1, id, kind, debit, credit, amount, price_version, estimated, memo, mine.head, hash);
  update ledger_accounts set sequence = sequence + 1, head = hash where account_id = account;
end $$;

create or replace function ledger_write(account text, kind text, id text, amount bigint, price_version text, estimated boolean,
  memo text) returns void language sql
begin atomic
  select ledger_enter(account, kind, case kind when 'deposit' then 'house:funding' else account end,
    case kind when 'deposit' then account when 'charge' then 'house:revenue' else 'house:funding' end,
    id, amount, price_version, estimated, memo);
end;

-- Nothing is set aside for it any more: what there is no room for counts as overrun.
create function ledger_charge_uncovered(account text, purses text[], id text, amount bigint, price_version text,
  estimated boolean, memo text) returns void language plpgsql as $$
declare mine ledger_accounts;
begin
  select * into mine from ledger_accounts where account_id = account;
  perform ledger_charge(account, purses, id, amount, least(amount, greatest((ledger_room(mine, '{}')).room, 0)), 0,
    price_version, estimated, memo);
end $$;

create function ledger_refund(account text, purses text[], id text, amount bigint, price_version text, estimated boolean,
  memo text) returns void language plpgsql as $$
begin
  update ledger_accounts set posted = posted - amount where account_id = account;
  if cardinality(purses) > 0 then
    update ledger_purses set posted = posted - amount where account_id = account and key = any(purses);
  end if;
  perform ledger_enter(account, 'charge', 'house:revenue', account, id, amount, price_version, estimated, memo);
end $$;

-- The row of usage must say what is charged, whenever that became known.
create function ledger_list_usage(account text, request text) returns void language sql
begin atomic
  insert into usage_unmatched (account_id, request_id) values (account, request) on conflict do nothing;
end;

-- A reported figure is the last word; an estimate only ever adds to an estimate.
create function ledger_correct(account text, hold ledger_holds, request text, lease_id text, cost bigint, version_of_prices text,
  estimated boolean, memo text) returns jsonb language plpgsql as $$
declare before ledger_entries; covering ledger_holds; missed bigint; correction text := 'correction:' || request;
begin
  if exists (select from ledger_entries e where e.account_id = account and e.id = correction) then return '{"is":"done"}'; end if;
  select * into before from ledger_entries e where e.account_id = account and e.id = request;
  missed := case when estimated and hold.lease = '' then least(cost, hold.granted) else cost end - coalesce(before.amount, 0);
  if missed = 0 then return '{"is":"done"}'; end if;
  if not before.estimated or (estimated and missed < 0) then return '{"is":"closed"}'; end if;
  if coalesce(hold.lease, lease_id) = '' then covering := hold;
  else select * into covering from ledger_holds h where h.account_id = account and h.id = coalesce(hold.lease, lease_id);
  end if;
  if missed > 0 then
    perform ledger_charge_uncovered(account, coalesce(covering.purses, '{}'), correction, missed, version_of_prices, estimated, memo);
  else
    perform ledger_refund(account, coalesce(covering.purses, '{}'), correction, -missed, version_of_prices, estimated, memo);
  end if;
  perform ledger_list_usage(account, request);
  return '{"is":"done"}';
end $$;

create or replace function ledger_settle(account text, request text, lease_id text, cost bigint, version_of_prices text,
  estimated boolean, memo text) returns jsonb language plpgsql as $$
declare hold ledger_holds; lease ledger_holds; charged bigint; covered bigint; under text;
begin
  select * into hold from ledger_holds where account_id = account and id = request;
  if found and hold.state = 'open' and hold.lease = '' then
    charged := case when estimated then least(cost, hold.granted) else cost end;
    update ledger_holds set state = 'settled', forgone = cost - charged where account_id = account and id = request;
    perform ledger_charge(account, hold.purses, request, charged, least(charged, hold.granted), hold.granted,
      hold.price_version, estimated, memo);
    return '{"is":"done"}';
  end if;
  if hold.state <> 'open' or exists (select from ledger_entries e where e.account_id = account and e.id = request) then
    return ledger_correct(account, hold, request, lease_id, cost, version_of_prices, estimated, memo);
  end if;
  under := coalesce(hold.lease, lease_id);
  select * into lease from ledger_holds where account_id = account and id = under and under <> '';
  if hold.id is null and lease.state is distinct from 'open' then
    -- Admitted without a hold, as accounts without a bound are, or under a lease that is gone: it was served and is charged.
    perform ledger_charge_uncovered(account, coalesce(lease.purses, '{}'), request, cost, version_of_prices, estimated, memo);
    if under <> '' then perform ledger_list_usage(account, request); end if;
    return '{"is":"done"}';
  end if;
  update ledger_holds set state = 'settled' where account_id = account and id = request;
  covered := least(cost, lease.granted - lease.drawn);
  update ledger_holds set drawn = drawn + covered where account_id = account and id = lease.id;
  perform ledger_charge(account, lease.purses, request, cost, covered, covered, version_of_prices, estimated, memo);
  return '{"is":"done"}';
end $$;
