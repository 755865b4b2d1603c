-- The book, command by command.

-- How amounts move.
create function ledger_refused(scope text, room bigint, recallable bigint) returns jsonb language sql immutable
  return jsonb_build_object('is', 'refused', 'scope', scope, 'room', room::text, 'recallable', recallable::text);

create function ledger_granted(amount bigint, valid_for_ms bigint) returns jsonb language sql immutable
  return jsonb_build_object('is', 'granted', 'amount', amount::text, 'validForMs', valid_for_ms);

create function ledger_month_ms(now_ms bigint, later integer) returns bigint language sql immutable
  return (extract(epoch from date_trunc('month', timestamp 'epoch' + now_ms * interval '1 millisecond')
    + later * interval '1 month') * 1000)::bigint;

-- The purses that a spender with these scopes draws on now, and until when.
create function ledger_reach(account text, scopes text[], now_ms bigint, out keys text[], out ends_at_ms bigint)
  language plpgsql as $$
declare budget record; first_ms bigint; purse text; line text[] := ledger_line(account);
begin
  keys := '{}';
  ends_at_ms := 9007199254740991;
  for budget in select * from (
    select b.account_id as owner, b.scope, b.span, 0 as place, null::bigint as start_ms, null::bigint as end_ms from ledger_budgets b
    where b.account_id = account and b.scope <> 'group' and (b.scope = 'account' or b.scope = any(scopes))
    union all
    select b.account_id, b.scope, b.span, array_position(line, b.account_id), null, null from ledger_budgets b
    where b.account_id = any(line) and b.scope = 'group'
    union all
    select account, t.scope, t.span, 0, t.start_ms, t.end_ms from ledger_template_reach(account, scopes, now_ms) t
    where exists (select from ledger_templates any_of where any_of.account_id = account)
    ) reached order by place, (scope || span) collate "C"
  loop
    first_ms := coalesce(budget.start_ms, case budget.span when 'total' then 0 when 'day' then now_ms - now_ms % 86400000
      else ledger_month_ms(now_ms, 0) end);
    purse := case budget.scope when 'group' then '@' || budget.owner || ' ' else '' end
      || budget.scope || ' ' || budget.span || ' ' || first_ms;
    insert into ledger_purses (account_id, key, scope, span, start_ms)
      values (budget.owner, purse, budget.scope, budget.span, first_ms) on conflict do nothing;
    keys := keys || purse;
    ends_at_ms := least(ends_at_ms, coalesce(budget.end_ms, case budget.span when 'total' then 9007199254740991
      when 'day' then first_ms + 86400000 else ledger_month_ms(now_ms, 1) end));
  end loop;
end $$;

-- Where there is least room, and how much.
create function ledger_room(account ledger_accounts, purses text[], out scope text, out purse text, out room bigint)
  language plpgsql as $$
declare each record;
begin
  scope := '';
  purse := '';
  room := case account.kind when 'unlimited' then 4611686018427387904
    else account.credit + account.overdraft - account.posted - account.pending end;
  if cardinality(purses) = 0 then return; end if;
  for each in select p.key, p.scope,
      coalesce(b.most, ledger_template_limit(p.account_id, p.scope, p.span), 4611686018427387904) - p.posted - p.pending as room
    from unnest(purses) with ordinality as wanted (key, place)
    cross join lateral (select * from ledger_purses q
      where q.account_id = coalesce(ledger_owner(wanted.key), account.account_id) and q.key = wanted.key limit 1) p
    left join ledger_budgets b on b.account_id = p.account_id and b.scope = p.scope and b.span = p.span
    order by wanted.place
  loop
    if each.room < room then
      scope := each.scope;
      purse := each.key;
      room := each.room;
    end if;
  end loop;
end $$;

create function ledger_set_aside(account text, purses text[], amount bigint) returns void language plpgsql as $$
begin
  if amount = 0 then return; end if;
  update ledger_accounts set pending = pending + amount where account_id = account;
  perform ledger_move_budgets(account, purses, 0, amount);
end $$;

-- Moves what was covered out of pending in the same step, so that no check sees a state in between.
create function ledger_charge(account text, purses text[], id text, amount bigint, covered bigint, freed bigint,
  price_version text, estimated boolean, memo text) returns void language plpgsql as $$
begin
  update ledger_accounts set posted = posted + amount, pending = pending - freed, overrun = overrun + amount - covered
    where account_id = account;
  perform ledger_move_budgets(account, purses, amount, -freed);
  if amount > 0 then perform ledger_write(account, 'charge', id, amount, price_version, estimated, memo); end if;
end $$;

-- Taking and resizing holds.
create function ledger_refuse_or_recall(account text, scope text, purse text, room bigint, amount bigint)
  returns jsonb language plpgsql as $$
declare recallable bigint; wanted text := purse; accounts text[] := array[account]; owner text := ledger_owner(purse);
begin
  if owner is not null then accounts := ledger_below(owner); end if;
  select coalesce(sum(granted - drawn), 0) into recallable from ledger_holds h
    where h.account_id = any(accounts) and h.kind = 'lease' and h.state = 'open' and h.recall <> 'yielded'
      and (wanted = '' or wanted = any(h.purses));
  if room + recallable < amount then return ledger_refused(scope, room, 0); end if;
  perform ledger_recall(accounts, wanted, false);
  return ledger_refused(scope, room, recallable);
end $$;

create function ledger_hold(c jsonb, account ledger_accounts, now_ms bigint) returns jsonb language plpgsql as $$
declare before ledger_holds; wanted bigint := (c ->> 'amount')::bigint; other text; reach record; tightest record;
  named text := c ->> 'instead'; refusal jsonb;
begin
  select * into before from ledger_holds where account_id = account.account_id and id = c ->> 'request';
  if found then
    return case when before.state = 'open' then ledger_granted(before.granted, 0) else '{"is":"closed"}' end;
  end if;
  if exists (select from ledger_entries where account_id = account.account_id and id = c ->> 'request') then
    return '{"is":"closed"}';
  end if;
  if not exists (select from ledger_nodes where epoch = c ->> 'epoch' and state = 'alive') then return '{"is":"fenced"}'; end if;
  if c ->> 'idempotencyKey' <> '' then
    select id into other from ledger_holds
      where account_id = account.account_id and idempotency_key = c ->> 'idempotencyKey' and state <> 'released';
    if found then return jsonb_build_object('is', 'duplicate', 'of', other); end if;
  end if;
  select * into reach from ledger_reach(account.account_id, array(select jsonb_array_elements_text(c -> 'scopes')), now_ms);
  if named is null then
    select * into tightest from ledger_room(account, reach.keys);
  else
    select * into tightest from ledger_room_instead(account, reach.keys, named);
  end if;
  if tightest.room < wanted then
    refusal := ledger_refuse_or_recall(account.account_id, tightest.scope, tightest.purse, tightest.room, wanted);
    if named is not null or cardinality(reach.keys) = 0 then return refusal; end if;
    return ledger_or_instead(refusal, account.account_id, reach.keys, wanted, now_ms);
  end if;
  insert into ledger_holds (account_id, id, kind, epoch, granted, state, price_version, purses, idempotency_key, instead)
    values (account.account_id, c ->> 'request', 'request', c ->> 'epoch', wanted, 'open', c ->> 'priceVersion', reach.keys,
      c ->> 'idempotencyKey', coalesce(named, ''));
  perform ledger_set_aside(account.account_id, reach.keys, wanted);
  return ledger_granted(wanted, 0);
end $$;

create function ledger_lease(c jsonb, account ledger_accounts, now_ms bigint) returns jsonb language plpgsql as $$
declare before ledger_holds; amount bigint; reach record; tightest record;
begin
  select * into before from ledger_holds where account_id = account.account_id and id = c ->> 'lease';
  if found then
    return case when before.state = 'open' then ledger_granted(before.granted, 0) else '{"is":"closed"}' end;
  end if;
  if not exists (select from ledger_nodes where epoch = c ->> 'epoch' and state = 'alive') then return '{"is":"fenced"}'; end if;
  select * into reach from ledger_reach(account.account_id, array(select jsonb_array_elements_text(c -> 'scopes')), now_ms);
  select * into tightest from ledger_room(account, reach.keys);
  amount := least((c ->> 'wanted')::bigint, tightest.room / 4);
  if amount < (c ->> 'least')::bigint then return ledger_refused(tightest.scope, tightest.room, 0); end if;
  insert into ledger_holds (account_id, id, kind, epoch, granted, state, purses)
    values (account.account_id, c ->> 'lease', 'lease', c ->> 'epoch', amount, 'open', reach.keys);
  perform ledger_set_aside(account.account_id, reach.keys, amount);
  return ledger_granted(amount, least(reach.ends_at_ms - now_ms, 86400000));
end $$;

create function ledger_resize(c jsonb, account ledger_accounts) returns jsonb language plpgsql as $$
declare hold ledger_holds; target bigint; tightest record;
begin
  select * into hold from ledger_holds where account_id = account.account_id and id = c ->> 'hold';
  if not found or hold.state <> 'open' or hold.lease <> '' then return '{"is":"closed"}'; end if;
  if (c ->> 'version')::integer <= hold.version then return ledger_granted(hold.granted, 0); end if;
  target := greatest((c ->> 'to')::bigint, hold.drawn);
  if target > hold.granted then
    if hold.instead = '' then
      select * into tightest from ledger_room(account, hold.purses);
    else
      select * into tightest from ledger_room_instead(account, hold.purses, hold.instead);
    end if;
    if tightest.room < target - hold.granted then
      update ledger_holds set version = (c ->> 'version')::integer where account_id = hold.account_id and id = hold.id;
      return ledger_refused(tightest.scope, tightest.room, 0);
    end if;
  end if;
  update ledger_holds set version = (c ->> 'version')::integer, granted = target,
    recall = case when (c ->> 'yields')::boolean then 'yielded' else recall end
    where account_id = hold.account_id and id = hold.id;
  perform ledger_set_aside(hold.account_id, hold.purses, target - hold.granted);
  return ledger_granted(target, 0);
end $$;

-- How holds end.
create function ledger_give_back(hold ledger_holds) returns void language plpgsql as $$
begin
  update ledger_holds set state = 'released' where account_id = hold.account_id and id = hold.id;
  perform ledger_set_aside(hold.account_id, hold.purses, hold.drawn - hold.granted);
end $$;

create function ledger_settle(account text, request text, lease_id text, cost bigint, version_of_prices text,
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

create function ledger_close_at_checkpoint(hold ledger_holds) returns void language plpgsql as $$
begin
  if hold.checkpoint = 0 then perform ledger_give_back(hold);
  else perform ledger_settle(hold.account_id, hold.id, hold.lease, hold.checkpoint, hold.price_version, true, '');
  end if;
end $$;

create function ledger_checkpoint(c jsonb) returns jsonb language plpgsql as $$
declare hold ledger_holds; lease ledger_holds; account text := c ->> 'account'; reached bigint := (c ->> 'cost')::bigint;
begin
  select * into hold from ledger_holds where account_id = account and id = c ->> 'request';
  if found then
    if hold.state <> 'open' then return '{"is":"closed"}'; end if;
    update ledger_holds set checkpoint = reached where account_id = account and id = hold.id and checkpoint < reached;
    return '{"is":"done"}';
  end if;
  select * into lease from ledger_holds
    where account_id = account and id = c ->> 'lease' and c ->> 'lease' <> '' and state = 'open';
  if not found or exists (select from ledger_entries where account_id = account and id = c ->> 'request') then
    return '{"is":"closed"}';
  end if;
  insert into ledger_holds (account_id, id, kind, epoch, lease, granted, state, price_version, checkpoint)
    values (account, c ->> 'request', 'request', lease.epoch, lease.id, 0, 'open', c ->> 'priceVersion', reached);
  return '{"is":"done"}';
end $$;

create function ledger_release(account text, wanted text) returns jsonb language plpgsql as $$
declare hold ledger_holds; under ledger_holds;
begin
  select * into hold from ledger_holds where account_id = account and id = wanted;
  if not found then
    if exists (select from ledger_entries where account_id = account and id = wanted) then return '{"is":"closed"}'; end if;
    -- The hold may still be on its way: when it arrives it finds itself closed.
    insert into ledger_holds (account_id, id, kind, epoch, granted, state) values (account, wanted, 'request', '', 0, 'released');
    return '{"is":"done"}';
  end if;
  if hold.state <> 'open' then
    return case hold.state when 'released' then '{"is":"done"}' else '{"is":"closed"}' end::jsonb;
  end if;
  if hold.kind = 'lease' then
    for under in select * from ledger_holds h
      where h.account_id = account and h.lease = hold.id and h.state = 'open' order by h.number
    loop
      perform ledger_close_at_checkpoint(under);
    end loop;
    select * into hold from ledger_holds where account_id = account and id = wanted;
  end if;
  perform ledger_give_back(hold);
  return '{"is":"done"}';
end $$;

create function ledger_bury(account text) returns jsonb language plpgsql as $$
declare hold ledger_holds; of_kind text;
begin
  foreach of_kind in array array['request', 'lease'] loop
    for hold in select h.* from ledger_holds h join ledger_nodes n on n.epoch = h.epoch
      where h.account_id = account and h.state = 'open' and h.kind = of_kind and n.state = 'dead' order by h.number
    loop
      perform ledger_close_at_checkpoint(hold);
    end loop;
  end loop;
  return '{"is":"done"}';
end $$;

-- Accounts, their terms and what is paid in.
create function ledger_open_account(c jsonb) returns jsonb language plpgsql as $$
declare mine ledger_accounts; room bigint; debt bigint := (c ->> 'overdraft')::bigint;
begin
  insert into ledger_accounts (account_id, kind, overdraft) values (c ->> 'account', c ->> 'kind', debt) on conflict do nothing;
  if found then return '{"is":"done"}'; end if;
  select * into mine from ledger_accounts where account_id = c ->> 'account' for update;
  room := mine.credit + debt + mine.overrun - mine.posted - mine.pending;
  if c ->> 'kind' <> 'unlimited' and room < 0 then return ledger_refused('', room, 0); end if;
  update ledger_accounts set kind = c ->> 'kind', overdraft = debt where account_id = mine.account_id;
  return '{"is":"done"}';
end $$;

-- What is paid in is always taken, however much an account owes. Only withdrawals may be refused.
create function ledger_deposit(c jsonb, account ledger_accounts) returns jsonb language plpgsql as $$
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

-- A budget without a limit is none. Its purses stay: what was spent of it is history, and counts should it come back.
create function ledger_set_budget(c jsonb) returns jsonb language plpgsql as $$
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

-- Nodes. Whoever changes who lives takes the row for itself; whoever takes a hold only shares it.
create function ledger_to_bury() returns jsonb language sql
  return jsonb_build_object('is', 'to-bury', 'accounts', coalesce((select jsonb_agg(account_id order by account_id collate "C") from (
    select distinct h.account_id from ledger_holds h join ledger_nodes n on n.epoch = h.epoch
      where n.state = 'dead' and h.state = 'open' limit 100) left_over), '[]'));

create function ledger_node(c jsonb, now_ms bigint, up_since_ms bigint) returns jsonb language plpgsql as $$
declare mine ledger_nodes;
begin
  if c ->> 'do' = 'reap' then
    perform from ledger_nodes where state <> 'dead' and now_ms - greatest(beat_at_ms, up_since_ms) > 15000
      order by epoch for update;
    update ledger_nodes set state = 'dead' where state <> 'dead' and now_ms - greatest(beat_at_ms, up_since_ms) > 15000;
    perform ledger_forget_epochs(now_ms);
    return ledger_to_bury();
  end if;
  if c ->> 'do' = 'beat' then
    update ledger_nodes set beat_at_ms = now_ms, beats = greatest(beats, coalesce((c ->> 'count')::bigint, 0))
      where epoch = c ->> 'epoch' and state = 'alive';
    if not found then return '{"is":"fenced"}'; end if;
    return jsonb_build_object('is', 'alive', 'recalled', coalesce((select jsonb_agg(account_id order by account_id collate "C")
      from (select distinct account_id from ledger_holds
        where epoch = c ->> 'epoch' and state = 'open' and recall = 'asked' limit 100) asked), '[]'));
  end if;
  if c ->> 'do' = 'end' then
    perform from ledger_nodes where epoch = c ->> 'epoch' for update;
    update ledger_nodes set state = 'dead' where epoch = c ->> 'epoch' and state <> 'dead';
    return ledger_to_bury();
  end if;
  select * into mine from ledger_nodes where epoch = c ->> 'epoch' for update;
  if found then return case mine.state when 'alive' then '{"is":"done"}' else '{"is":"fenced"}' end::jsonb; end if;
  perform from ledger_nodes where node = c ->> 'node' and state = 'alive' order by epoch for update;
  update ledger_nodes set state = 'replaced' where node = c ->> 'node' and state = 'alive';
  insert into ledger_nodes (epoch, node, beat_at_ms, state) values (c ->> 'epoch', c ->> 'node', now_ms, 'alive');
  return '{"is":"done"}';
end $$;

-- A batch: everything is locked first, in one order, so that batches never wait for each other in a circle.
create function ledger_apply_at(commands jsonb, now_ms bigint, up_since_ms bigint) returns jsonb language plpgsql as $$
begin
  if jsonb_array_length(commands) >= 4 and jsonb_path_exists(commands, '$[*] ? (@.do == "settle")') then
    -- Locks included: a row locked outside and changed inside would need a list of two transactions on disk.
    begin
      if jsonb_path_exists(commands, '$[*] ? (@.do != "settle")') then
        return ledger_apply_in_order(commands, now_ms, up_since_ms, true);
      end if;
      perform ledger_lock_accounts(commands);
      if ledger_settle_at_once(commands) then
        return to_jsonb(array_fill('{"is":"done"}'::jsonb, array[jsonb_array_length(commands)]));
      end if;
      return ledger_apply_in_order(commands, now_ms, up_since_ms, false);
    exception when integrity_constraint_violation or data_exception then
      -- A repeated settle, or figures that fit no column: what comes of each is decided below.
      null;
    end;
  end if;
  return ledger_apply_in_order(commands, now_ms, up_since_ms, false);
end $$;

-- The database's own clock decides, and never a node's.
create function ledger_apply(commands jsonb) returns jsonb language sql
  return ledger_apply_at(commands, (extract(epoch from clock_timestamp()) * 1000)::bigint,
    (extract(epoch from pg_postmaster_start_time()) * 1000)::bigint);

-- Opens an account on the terms it has in the directory; one that is not there pays nothing and has no bound.
create function ledger_open_known(account text) returns void language sql
  begin atomic
    insert into ledger_accounts (account_id, kind, overdraft)
      values (account, coalesce((select kind from accounts where id = account), 'unlimited'), 0) on conflict do nothing;
    -- A kind that was changed in the directory holds here, too, as soon as what is owed fits into it.
    update ledger_accounts l set kind = a.kind from accounts a
      where l.account_id = account and a.id = account and a.kind <> l.kind
        and (a.kind = 'unlimited' or l.posted + l.pending <= l.credit + l.overdraft + l.overrun);
  end;
