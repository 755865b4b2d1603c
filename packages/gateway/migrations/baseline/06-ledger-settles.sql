-- A settlement that comes after its hold was closed is posted as a correction, once. Entries keep their kinds: a charge that
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

-- Nothing is set aside for it any more: what there is no room for counts as overrun.
create function ledger_charge_uncovered(account text, purses text[], id text, amount bigint, price_version text,
  estimated boolean, memo text) returns void language plpgsql as $$
declare mine ledger_accounts;
begin
  select * into mine from ledger_accounts where account_id = account;
  perform ledger_charge(account, purses, id, amount, least(amount, greatest((ledger_room(mine, '{}')).room, 0)), 0,
    price_version, estimated, memo);
end $$;

-- Takes no budget below nothing, should an earlier settlement have named other budgets.
create function ledger_refund(account text, purses text[], id text, amount bigint, price_version text,
  estimated boolean, memo text) returns void language plpgsql as $$
begin
  update ledger_accounts set posted = posted - amount where account_id = account;
  perform ledger_move_budgets(account, purses, -amount, 0);
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

create function ledger_write(account text, kind text, id text, amount bigint, price_version text, estimated boolean,
  memo text) returns void language sql
begin atomic
  select ledger_enter(account, kind, case kind when 'deposit' then 'house:funding' else account end,
    case kind when 'deposit' then account when 'charge' then 'house:revenue' else 'house:funding' end,
    id, amount, price_version, estimated, memo);
end;

-- Commands that the book refused when they stood alone. They were owed; an operator looks, mends the cause and posts them.
create table ledger_parked (
  -- Of the command: parked again, it is the same row.
  digest text primary key,
  account_id text not null,
  command text not null,
  problem text not null,
  parked_at timestamptz not null default now()
);
alter table ledger_parked enable row level security, force row level security;
create policy writes on ledger_parked to trivium_writer using (true) with check (true);
grant select, insert, delete on ledger_parked to trivium_writer;

-- Settles that follow each other in a batch are posted together: one insert of entries, one update per account, lease and budget.
-- Entries, their order and their hashes are those of one settle after the other. What is not plain is still applied alone.

-- A session keeps the plans it made while tables were small. So each row is looked up (`lateral … limit 1`) or changed (by a function) by its
-- whole key, and never by a join that might read all rows of an account; and seqscans are off.

-- One command.
create function ledger_apply_one(c jsonb, now_ms bigint, up_since_ms bigint) returns jsonb language plpgsql as $$
declare result jsonb; account ledger_accounts;
begin
  if c ->> 'do' in ('register', 'beat', 'end', 'reap') then return ledger_node(c, now_ms, up_since_ms); end if;
  if c ->> 'do' = 'open-account' then return ledger_open_account(c); end if;
  select * into account from ledger_accounts where account_id = c ->> 'account';
  if not found then return '{"is":"unknown-account"}'; end if;
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
    when 'set-parent' then ledger_set_parent(c)
    when 'set-template' then ledger_set_template(c, now_ms)
    when 'remove-template' then ledger_set_template(c, now_ms)
  end;
  if result is null then raise exception 'unknown command %', c ->> 'do'; end if;
  return result;
end $$;

-- The hash of an entry, from the one before and the text that follows it; as a window, the hashes of a chain.
create function ledger_link(previous text, entry text) returns text language plpgsql immutable as $$
begin
  return encode(sha256(convert_to(previous || entry, 'UTF8')), 'hex');
end $$;
create aggregate ledger_chain (text) (sfunc = ledger_link, stype = text, initcond = '');

/*
 * Places of the settles that must be applied alone. The others are plain whatever those before them do:
 *  - under an open lease, with or without a checkpoint
 *  - with an open hold of their own
 *  - of an account without a bound, without a hold
 * A settle that names a lease as its request closes that lease, which no other may rest on: then all are alone.
 */
create function ledger_alone(run jsonb[]) returns integer[] language plpgsql
  set enable_seqscan = off set jit = off as $$
declare places integer[];
begin
  with settles as materialized (
    select place::integer, c ->> 'account' as account, c ->> 'request' as request, c ->> 'lease' as lease,
      (c ->> 'cost')::bigint as cost, c ->> 'priceVersion' as price_version, (c ->> 'estimated')::boolean as estimated,
      c ->> 'memo' as memo
    from unnest(run) with ordinality as listed (c, place)
  ), judged as (
    select s.place, hold.kind is not distinct from 'lease' as names_a_lease,
      s.cost >= 0 and s.cost < 4611686018427387904 and s.price_version is not null and s.estimated is not null
        and s.memo is not null and not starts_with(s.request, 'correction:')
        and row_number() over (partition by s.account, s.request order by s.place) = 1
        and entry.id is distinct from s.request
        and case
          when hold.kind is null and s.lease = '' then account.kind = 'unlimited'
          when hold.kind is null or hold.lease <> '' then
            lease.kind = 'lease' and lease.state = 'open' and coalesce(hold.state, 'open') = 'open'
          else hold.kind = 'request' and hold.state = 'open'
        end as is_plain
    from settles s
    left join lateral (select a.kind from ledger_accounts a where a.account_id = s.account limit 1) account on true
    -- In this order, because only the index of ids has it: the one of sequences would read all entries of the account.
    left join lateral (select e.id from ledger_entries e where e.account_id = s.account and e.id >= s.request
      order by e.account_id, e.id limit 1) entry on true
    left join lateral (select h.kind, h.state, h.lease from ledger_holds h
      where h.account_id = s.account and h.id = s.request limit 1) hold on true
    left join lateral (select h.kind, h.state from ledger_holds h
      where h.account_id = s.account and h.id = coalesce(hold.lease, s.lease) limit 1) lease on true
  )
  select coalesce(array_agg(place order by place) filter (where is_plain is not true or any_names_a_lease), '{}') into places
  from (select *, bool_or(names_a_lease) over () as any_names_a_lease from judged) all_judged;
  return places;
end $$;

-- Changes of single rows; true when there was one.
create function ledger_close_settled(account text, request text, less bigint) returns boolean language plpgsql as $$
begin
  update ledger_holds set state = 'settled', forgone = coalesce(less, forgone) where account_id = account and id = request;
  return found;
end $$;

create function ledger_draw(account text, lease_id text, amount bigint) returns boolean language plpgsql as $$
begin
  update ledger_holds set drawn = drawn + amount where account_id = account and id = lease_id;
  return found;
end $$;

create function ledger_charge_budgets(account text, purses text[], amount bigint, freed bigint) returns boolean
  language plpgsql as $$
begin
  return ledger_move_budgets(account, purses, amount, -freed);
end $$;

create function ledger_charge_account(account text, amount bigint, freed bigint, uncovered bigint, written bigint, new_head text)
  returns boolean language plpgsql as $$
begin
  update ledger_accounts set posted = posted + amount, pending = pending - freed, overrun = overrun + uncovered,
    sequence = sequence + written, head = coalesce(new_head, head) where account_id = account;
  return found;
end $$;

-- Settles that are all plain.
create function ledger_settle_plain(run jsonb[]) returns void language plpgsql
  set enable_seqscan = off set jit = off as $$
declare all_changed boolean;
begin
  with settles as materialized (
    select listed.place, c ->> 'account' as account, c ->> 'request' as request, c ->> 'memo' as memo,
      (c ->> 'estimated')::boolean as estimated, (c ->> 'cost')::bigint as cost,
      hold.id is not null as has_hold, coalesce(hold.lease = '', false) as is_strict, hold.granted, hold.purses,
      coalesce(hold.lease, c ->> 'lease') as lease,
      case when hold.lease = '' then hold.price_version else c ->> 'priceVersion' end as price_version,
      -- An estimate is never charged above the hold of its own.
      case when hold.lease = '' and (c ->> 'estimated')::boolean then least((c ->> 'cost')::bigint, hold.granted)
        else (c ->> 'cost')::bigint end as amount
    from unnest(run) with ordinality as listed (c, place)
    left join lateral (select h.id, h.lease, h.granted, h.purses, h.price_version from ledger_holds h
      where h.account_id = c ->> 'account' and h.id = c ->> 'request' limit 1) hold on true
  ),
  -- What a lease has left covers its settles in their order, so all of them together.
  leases as materialized (
    select s.account, s.lease, s.amount, lease.purses, least(s.amount, lease.granted - lease.drawn)::bigint as covered
    from (select account, lease, sum(amount) as amount from settles where not is_strict and lease <> '' group by account, lease) s
    cross join lateral (select h.purses, h.granted, h.drawn from ledger_holds h
      where h.account_id = s.account and h.id = s.lease limit 1) lease
  ),
  charges as materialized (
    select account, purses, amount, covered, covered as freed from leases
    union all
    select account, purses, amount, least(amount, granted), granted from settles where is_strict
    union all
    select account, '{}', amount, amount, 0 from settles where not is_strict and lease = ''
  ),
  numbered as (
    select s.*, row_number() over (partition by s.account order by s.place) as number from settles s where s.amount > 0
  ),
  hashed as (
    select n.*, mine.sequence + n.number as sequence, mine.head as head_before,
      ledger_chain(case n.number when 1 then mine.head else '' end || '|' || n.account || '|' || mine.sequence + n.number
        || '|' || n.request || '|charge|' || n.account || '|house:revenue|' || n.amount || '|' || n.price_version || '|'
        || n.estimated::text || '|' || n.memo) over (partition by n.account order by n.number) as hash
    from numbered n
    cross join lateral (select a.sequence, a.head from ledger_accounts a where a.account_id = n.account limit 1) mine
  ),
  entries as materialized (
    select *, coalesce(lag(hash) over (partition by account order by number), head_before) as previous from hashed
  ),
  write_entries as (
    insert into ledger_entries (account_id, sequence, id, kind, debit, credit, amount, price_version, estimated, memo, previous, hash)
    select account, sequence, request, 'charge', account, 'house:revenue', amount, price_version, estimated, memo, previous, hash
    from entries order by account, sequence
  ),
  sums as materialized (
    select account, sum(amount)::bigint as amount, sum(freed)::bigint as freed, sum(amount - covered)::bigint as uncovered,
      count(hash) as written, (array_agg(hash order by number desc) filter (where hash is not null))[1] as head
    from (
      select account, amount, freed, covered, null as hash, null as number from charges
      union all
      select account, 0, 0, 0, hash, number from entries
    ) parts group by account
  )
  select bool_and(changed) into all_changed from (
    select ledger_close_settled(account, request, case when is_strict then cost - amount end) as changed from settles where has_hold
    union all
    select ledger_draw(account, lease, covered) from leases
    union all
    select ledger_charge_budgets(account, purses, sum(amount)::bigint, sum(freed)::bigint) is not null from charges
      where cardinality(purses) > 0 group by account, purses
    union all
    select ledger_charge_account(account, amount, freed, uncovered, written, head) from sums
  ) changes;
  if all_changed is not true then raise exception 'a row of a run of settles is gone'; end if;
end $$;

-- Consecutive settles of a batch, answered in their order.
create function ledger_settle_run(run jsonb[], now_ms bigint, up_since_ms bigint) returns jsonb[] language plpgsql as $$
declare
  -- Fewer are cheaper one by one.
  fewest constant integer := 4;
  results jsonb[] := '{}'; next integer := 1; last constant integer := cardinality(run); alone integer; place integer;
begin
  foreach alone in array case when last < fewest then '{}' else ledger_alone(run) end || (last + 1) loop
    if alone - next >= fewest then
      perform ledger_settle_plain(run[next:alone - 1]);
      results := results || array_fill('{"is":"done"}'::jsonb, array[alone - next]);
      next := alone;
    end if;
    for place in next..least(alone, last) loop
      results := array_append(results, ledger_apply_one(run[place], now_ms, up_since_ms));
    end loop;
    next := alone + 1;
  end loop;
  return results;
end $$;
