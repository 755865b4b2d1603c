-- expand: the book. Amounts are whole nano-USD. The rules are those of src/ledger/core, which a test holds this against.
create table ledger_accounts (
  account_id text primary key,
  kind text not null check (kind in ('prepaid', 'postpaid', 'unlimited')),
  overdraft bigint not null check (overdraft >= 0),
  credit bigint not null default 0,
  posted bigint not null default 0 check (posted >= 0),
  pending bigint not null default 0 check (pending >= 0),
  -- What was charged beyond what had been set aside for it.
  overrun bigint not null default 0 check (overrun >= 0),
  -- The chain of its entries ends here, under the same lock.
  sequence bigint not null default 0,
  head text not null default '',
  check (kind = 'unlimited' or posted + pending <= credit + overdraft + overrun)
);

-- Which book this is: a node's journal belongs to one, whatever its address.
create table ledger_book (id uuid primary key default gen_random_uuid());
insert into ledger_book default values;
grant select on ledger_book to trivium_writer;

create table ledger_budgets (
  account_id text not null references ledger_accounts,
  scope text not null,
  span text not null check (span in ('day', 'month', 'total')),
  most bigint not null check (most >= 0),
  primary key (account_id, scope, span)
);

create table ledger_purses (
  account_id text not null references ledger_accounts,
  key text not null,
  scope text not null,
  span text not null,
  start_ms bigint not null,
  posted bigint not null default 0 check (posted >= 0),
  pending bigint not null default 0 check (pending >= 0),
  primary key (account_id, key)
);

create table ledger_nodes (
  epoch text primary key,
  node text not null,
  beat_at_ms bigint not null,
  state text not null check (state in ('alive', 'replaced', 'dead'))
);
create index ledger_nodes_by_name on ledger_nodes (node) where state = 'alive';

create table ledger_holds (
  account_id text not null references ledger_accounts,
  id text not null,
  number bigint generated always as identity,
  kind text not null check (kind in ('request', 'lease')),
  epoch text not null,
  lease text not null default '',
  granted bigint not null,
  drawn bigint not null default 0,
  state text not null check (state in ('open', 'settled', 'released', 'forgone')),
  checkpoint bigint not null default 0,
  price_version text not null default '',
  purses text[] not null default '{}',
  version integer not null default 0,
  recall text not null default 'none' check (recall in ('none', 'asked', 'yielded')),
  idempotency_key text not null default '',
  forgone bigint not null default 0,
  opened_at timestamptz not null default now(),
  primary key (account_id, id),
  check (drawn between 0 and granted),
  check (lease = '' or granted = 0)
);
create index ledger_leases on ledger_holds (account_id) where state = 'open' and kind = 'lease';
create index ledger_holds_under on ledger_holds (account_id, lease) where state = 'open' and lease <> '';
create index ledger_holds_of_node on ledger_holds (epoch) where state = 'open';
create unique index ledger_one_hold_per_key on ledger_holds (account_id, idempotency_key)
  where idempotency_key <> '' and state <> 'released';

create table ledger_entries (
  account_id text not null references ledger_accounts,
  sequence bigint not null,
  id text not null,
  kind text not null check (kind in ('deposit', 'withdrawal', 'charge')),
  debit text not null,
  credit text not null check (credit <> debit),
  amount bigint not null check (amount > 0),
  price_version text not null default '',
  estimated boolean not null default false,
  memo text not null default '',
  previous text not null,
  hash text not null,
  at timestamptz not null default now(),
  primary key (account_id, sequence),
  unique (account_id, id)
);

-- Callers see their own; the writer writes everybody's.
do $$ declare name text;
begin
  foreach name in array array['ledger_accounts', 'ledger_budgets', 'ledger_purses', 'ledger_holds', 'ledger_entries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own on %I for select to trivium_app using (trivium_sees(account_id))', name);
    execute format('create policy writes on %I to trivium_writer using (true) with check (true)', name);
    execute format('grant select on %I to trivium_app', name);
  end loop;
end $$;
grant select, insert, update on ledger_accounts, ledger_budgets, ledger_purses, ledger_holds, ledger_nodes to trivium_writer;
grant select, insert on ledger_entries to trivium_writer;

-- Two locks on the door that no bug of ours can open: entries never change, and what is closed stays closed.
create function ledger_never() returns trigger language plpgsql as $$
begin
  raise exception '% rows do not change', tg_table_name;
end $$;
create trigger never before update or delete or truncate on ledger_entries execute function ledger_never();
create trigger closed before update on ledger_holds for each row
  when (old.state <> 'open' and (old.state, old.granted, old.drawn) is distinct from (new.state, new.granted, new.drawn))
  execute function ledger_never();

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
declare budget record; start_ms bigint; purse text;
begin
  keys := '{}';
  ends_at_ms := 9007199254740991;
  for budget in select b.scope, b.span from ledger_budgets b
    where b.account_id = account and (b.scope = 'account' or b.scope = any(scopes))
    order by (b.scope || b.span) collate "C"
  loop
    start_ms := case budget.span when 'total' then 0 when 'day' then now_ms - now_ms % 86400000
      else ledger_month_ms(now_ms, 0) end;
    purse := budget.scope || ' ' || budget.span || ' ' || start_ms;
    insert into ledger_purses (account_id, key, scope, span, start_ms)
      values (account, purse, budget.scope, budget.span, start_ms) on conflict do nothing;
    keys := keys || purse;
    ends_at_ms := least(ends_at_ms, case budget.span when 'total' then 9007199254740991
      when 'day' then start_ms + 86400000 else ledger_month_ms(now_ms, 1) end);
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
  for each in select p.key, p.scope, coalesce(b.most, 4611686018427387904) - p.posted - p.pending as room
    from unnest(purses) with ordinality as wanted (key, place)
    join ledger_purses p on p.account_id = account.account_id and p.key = wanted.key
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
  if cardinality(purses) > 0 then
    update ledger_purses set pending = pending + amount where account_id = account and key = any(purses);
  end if;
end $$;

create function ledger_write(account text, kind text, id text, amount bigint, price_version text, estimated boolean, memo text)
  returns void language plpgsql as $$
declare
  mine ledger_accounts;
  debit text := case kind when 'deposit' then 'house:funding' else account end;
  credit text := case kind when 'deposit' then account when 'charge' then 'house:revenue' else 'house:funding' end;
  hash text;
begin
  select * into mine from ledger_accounts where account_id = account;
  hash := encode(sha256(convert_to(mine.head || '|' || account || '|' || mine.sequence + 1 || '|' || id || '|' || kind || '|' || debit
    || '|' || credit || '|' || amount || '|' || price_version || '|' || estimated::text || '|' || memo, 'UTF8')), 'hex');
  insert into ledger_entries (account_id, sequence, id, kind, debit, credit, amount, price_version, estimated, memo, previous, hash)
    values (account, mine.sequence + 1, id, kind, debit, credit, amount, price_version, estimated, memo, mine.head, hash);
  update ledger_accounts set sequence = sequence + 1, head = hash where account_id = account;
end $$;

-- Moves what was covered out of pending in the same step, so that no check sees a state in between.
create function ledger_charge(account text, purses text[], id text, amount bigint, covered bigint, freed bigint,
  price_version text, estimated boolean, memo text) returns void language plpgsql as $$
begin
  update ledger_accounts set posted = posted + amount, pending = pending - freed, overrun = overrun + amount - covered
    where account_id = account;
  if cardinality(purses) > 0 then
    update ledger_purses set posted = posted + amount, pending = pending - freed
      where account_id = account and key = any(purses);
  end if;
  if amount > 0 then perform ledger_write(account, 'charge', id, amount, price_version, estimated, memo); end if;
end $$;

-- Taking and resizing holds.

create function ledger_refuse_or_recall(account text, scope text, purse text, room bigint, amount bigint)
  returns jsonb language plpgsql as $$
declare recallable bigint; wanted text := purse;
begin
  select coalesce(sum(granted - drawn), 0) into recallable from ledger_holds h
    where h.account_id = account and h.kind = 'lease' and h.state = 'open' and h.recall <> 'yielded'
      and (wanted = '' or wanted = any(h.purses));
  if room + recallable < amount then return ledger_refused(scope, room, 0); end if;
  update ledger_holds h set recall = 'asked'
    where h.account_id = account and h.kind = 'lease' and h.state = 'open' and h.recall = 'none'
      and (wanted = '' or wanted = any(h.purses));
  perform pg_notify('trivium_ledger', account);
  return ledger_refused(scope, room, recallable);
end $$;

create function ledger_hold(c jsonb, account ledger_accounts, now_ms bigint) returns jsonb language plpgsql as $$
declare before ledger_holds; wanted bigint := (c ->> 'amount')::bigint; other text; reach record; tightest record;
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
  select * into tightest from ledger_room(account, reach.keys);
  if tightest.room < wanted then
    return ledger_refuse_or_recall(account.account_id, tightest.scope, tightest.purse, tightest.room, wanted);
  end if;
  insert into ledger_holds (account_id, id, kind, epoch, granted, state, price_version, purses, idempotency_key)
    values (account.account_id, c ->> 'request', 'request', c ->> 'epoch', wanted, 'open', c ->> 'priceVersion', reach.keys,
      c ->> 'idempotencyKey');
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
    select * into tightest from ledger_room(account, hold.purses);
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

create function ledger_settle(account text, request text, lease_id text, cost bigint, version_of_prices text, estimated boolean, memo text)
  returns jsonb language plpgsql as $$
declare hold ledger_holds; lease ledger_holds; charged bigint; covered bigint; under text;
begin
  select * into hold from ledger_holds where account_id = account and id = request;
  if found then
    if hold.state <> 'open' then
      select amount into charged from ledger_entries where account_id = account and id = request;
      charged := coalesce(charged, 0);
      update ledger_holds set forgone = cost - charged where account_id = account and id = request and forgone < cost - charged;
      return case when cost = charged then '{"is":"done"}' else '{"is":"closed"}' end::jsonb;
    end if;
    if hold.lease = '' then
      charged := case when estimated then least(cost, hold.granted) else cost end;
      update ledger_holds set state = 'settled', forgone = cost - charged where account_id = account and id = request;
      perform ledger_charge(account, hold.purses, request, charged, least(charged, hold.granted), hold.granted,
        hold.price_version, estimated, memo);
      return '{"is":"done"}';
    end if;
    update ledger_holds set state = 'settled' where account_id = account and id = request;
  elsif exists (select from ledger_entries where account_id = account and id = request) then
    return '{"is":"done"}';
  end if;
  under := coalesce(hold.lease, lease_id);
  -- Whoever has no bound needs no hold; everything is recorded all the same.
  if under = '' and exists (select from ledger_accounts where account_id = account and kind = 'unlimited') then
    perform ledger_charge(account, '{}', request, cost, cost, 0, version_of_prices, estimated, memo);
    return '{"is":"done"}';
  end if;
  select * into lease from ledger_holds where account_id = account and id = under and under <> '' and state = 'open';
  if not found then
    insert into ledger_holds (account_id, id, kind, epoch, lease, granted, state, price_version, forgone)
      values (account, request, 'request', '', lease_id, 0, 'forgone', version_of_prices, cost);
    return '{"is":"closed"}';
  end if;
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

create function ledger_deposit(c jsonb, account ledger_accounts) returns jsonb language plpgsql as $$
declare amount bigint := (c ->> 'amount')::bigint; room bigint;
begin
  if amount = 0 or exists (select from ledger_entries where account_id = account.account_id and id = c ->> 'id') then
    return '{"is":"done"}';
  end if;
  room := (ledger_room(account, '{}')).room;
  if room + amount < 0 then return ledger_refused('', room, 0); end if;
  update ledger_accounts set credit = credit + amount where account_id = account.account_id;
  perform ledger_write(account.account_id, case when amount < 0 then 'withdrawal' else 'deposit' end, c ->> 'id', abs(amount),
    '', false, c ->> 'memo');
  return '{"is":"done"}';
end $$;

create function ledger_set_budget(c jsonb) returns jsonb language plpgsql as $$
begin
  insert into ledger_budgets (account_id, scope, span, most)
    values (c ->> 'account', c ->> 'scope', c ->> 'span', (c ->> 'limit')::bigint)
    on conflict (account_id, scope, span) do update set most = excluded.most;
  -- Leases were granted under the old terms.
  update ledger_holds set recall = 'asked'
    where account_id = c ->> 'account' and kind = 'lease' and state = 'open' and recall = 'none';
  perform pg_notify('trivium_ledger', c ->> 'account');
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
    return ledger_to_bury();
  end if;
  if c ->> 'do' = 'beat' then
    update ledger_nodes set beat_at_ms = now_ms where epoch = c ->> 'epoch' and state = 'alive';
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
declare c jsonb; result jsonb; results jsonb[] := '{}'; account ledger_accounts;
begin
  perform from ledger_nodes where epoch in (
    select each ->> 'epoch' from jsonb_array_elements(commands) each where each ->> 'do' in ('hold', 'lease'))
    order by epoch for key share;
  perform from ledger_accounts where account_id in (select each ->> 'account' from jsonb_array_elements(commands) each)
    order by account_id for update;
  for c in select jsonb_array_elements(commands) loop
    if c ->> 'do' in ('register', 'beat', 'end', 'reap') then result := ledger_node(c, now_ms, up_since_ms);
    elsif c ->> 'do' = 'open-account' then result := ledger_open_account(c);
    else
      select * into account from ledger_accounts where account_id = c ->> 'account';
      if not found then result := '{"is":"unknown-account"}';
      else
        result := case c ->> 'do'
          when 'hold' then ledger_hold(c, account, now_ms)
          when 'lease' then ledger_lease(c, account, now_ms)
          when 'resize' then ledger_resize(c, account)
          when 'settle' then ledger_settle(c ->> 'account', c ->> 'request', c ->> 'lease', (c ->> 'cost')::bigint,
            c ->> 'priceVersion', (c ->> 'estimated')::boolean, c ->> 'memo')
          when 'checkpoint' then ledger_checkpoint(c)
          when 'release' then ledger_release(c ->> 'account', c ->> 'hold')
          when 'bury' then ledger_bury(c ->> 'account')
          when 'deposit' then ledger_deposit(c, account)
          when 'set-budget' then ledger_set_budget(c)
        end;
        if result is null then raise exception 'unknown command %', c ->> 'do'; end if;
      end if;
    end if;
    results := array_append(results, result);
  end loop;
  return to_jsonb(results);
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
