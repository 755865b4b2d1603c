-- expand: accounts in a tree (company, team). A budget of the scope `group` bounds an account and all below it, together. It is held like
-- any other: a hold or lease names it in `purses`, as `@<owner> group <span> <start>`, and its balance is a row of the owner.
-- A transaction that touches an account locks the accounts above it as well, so that nothing of a tree changes at the same time.
alter table ledger_accounts add column parent_id text;
create index ledger_accounts_by_parent on ledger_accounts (parent_id) where parent_id is not null;

-- The account and those above it. Deeper trees are refused; the bound keeps a broken one from going round in circles.
create function ledger_line(account text) returns text[] language plpgsql as $$
declare line text[] := array[account]; above text := account;
begin
  loop
    select a.parent_id into above from ledger_accounts a where a.account_id = above;
    if above is null or cardinality(line) > 8 then return line; end if;
    line := line || above;
  end loop;
end $$;

-- The account and all below it.
create function ledger_below(account text) returns text[] language plpgsql as $$
declare found_ids text[] := array[account]; level text[] := array[account];
begin
  for depth in 1..8 loop
    select coalesce(array_agg(a.account_id), '{}') into level from ledger_accounts a where a.parent_id = any(level);
    if cardinality(level) = 0 then exit; end if;
    found_ids := found_ids || level;
  end loop;
  return found_ids;
end $$;

-- Whose balance it is; null for those of the holder itself.
create function ledger_owner(purse text) returns text language sql immutable
  return case when left(purse, 1) = '@' then substring(purse from '^@(.*) group [a-z]+ [0-9]+$') end;

create or replace function ledger_reach(account text, scopes text[], now_ms bigint, out keys text[], out ends_at_ms bigint)
  language plpgsql as $$
declare budget record; start_ms bigint; purse text; line text[] := ledger_line(account);
begin
  keys := '{}';
  ends_at_ms := 9007199254740991;
  for budget in select * from (
    select b.account_id as owner, b.scope, b.span, 0 as place from ledger_budgets b
    where b.account_id = account and b.scope <> 'group' and (b.scope = 'account' or b.scope = any(scopes))
    union all
    select b.account_id, b.scope, b.span, array_position(line, b.account_id) from ledger_budgets b
    where b.account_id = any(line) and b.scope = 'group'
    ) reached order by place, (scope || span) collate "C"
  loop
    start_ms := case budget.span when 'total' then 0 when 'day' then now_ms - now_ms % 86400000
      else ledger_month_ms(now_ms, 0) end;
    purse := case budget.scope when 'group' then '@' || budget.owner || ' ' else '' end
      || budget.scope || ' ' || budget.span || ' ' || start_ms;
    insert into ledger_purses (account_id, key, scope, span, start_ms)
      values (budget.owner, purse, budget.scope, budget.span, start_ms) on conflict do nothing;
    keys := keys || purse;
    ends_at_ms := least(ends_at_ms, case budget.span when 'total' then 9007199254740991
      when 'day' then start_ms + 86400000 else ledger_month_ms(now_ms, 1) end);
  end loop;
end $$;

create or replace function ledger_room(account ledger_accounts, purses text[], out scope text, out purse text, out room bigint)
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

create function ledger_move_budgets(account text, purses text[], more_posted bigint, more_pending bigint) returns boolean
  language plpgsql as $$
declare purse text; owner text; any_moved boolean;
begin
  if cardinality(purses) = 0 then return false; end if;
  update ledger_purses set posted = greatest(posted + more_posted, 0), pending = pending + more_pending
    where account_id = account and key = any(purses);
  any_moved := found;
  foreach purse in array purses loop
    owner := ledger_owner(purse);
    continue when owner is null or owner = account;
    update ledger_purses set posted = greatest(posted + more_posted, 0), pending = pending + more_pending
      where account_id = owner and key = purse;
    any_moved := any_moved or found;
  end loop;
  return any_moved;
end $$;

create or replace function ledger_set_aside(account text, purses text[], amount bigint) returns void language plpgsql as $$
begin
  if amount = 0 then return; end if;
  update ledger_accounts set pending = pending + amount where account_id = account;
  perform ledger_move_budgets(account, purses, 0, amount);
end $$;

create or replace function ledger_charge(account text, purses text[], id text, amount bigint, covered bigint, freed bigint,
  price_version text, estimated boolean, memo text) returns void language plpgsql as $$
begin
  update ledger_accounts set posted = posted + amount, pending = pending - freed, overrun = overrun + amount - covered
    where account_id = account;
  perform ledger_move_budgets(account, purses, amount, -freed);
  if amount > 0 then perform ledger_write(account, 'charge', id, amount, price_version, estimated, memo); end if;
end $$;

create or replace function ledger_refund(account text, purses text[], id text, amount bigint, price_version text,
  estimated boolean, memo text) returns void language plpgsql as $$
begin
  update ledger_accounts set posted = posted - amount where account_id = account;
  perform ledger_move_budgets(account, purses, -amount, 0);
  perform ledger_enter(account, 'charge', 'house:revenue', account, id, amount, price_version, estimated, memo);
end $$;

create or replace function ledger_charge_budgets(account text, purses text[], amount bigint, freed bigint) returns boolean
  language plpgsql as $$
begin
  return ledger_move_budgets(account, purses, amount, -freed);
end $$;

-- Asks back the leases of these accounts that draw on this balance, or all of them where none is named; every node hears of it.
create function ledger_recall(accounts text[], purse text, more_to_notify boolean) returns void language plpgsql as $$
begin
  update ledger_holds h set recall = 'asked'
    where h.account_id = any(accounts) and h.kind = 'lease' and h.state = 'open' and h.recall = 'none'
      and (purse = '' or purse = any(h.purses));
  if more_to_notify then
    perform pg_notify('trivium_ledger', id) from unnest(accounts) as id;
  else
    perform pg_notify('trivium_ledger', id) from (select distinct h.account_id as id from ledger_holds h
      where h.account_id = any(accounts) and h.kind = 'lease' and h.state = 'open' and h.recall = 'asked') asked;
  end if;
end $$;

create or replace function ledger_refuse_or_recall(account text, scope text, purse text, room bigint, amount bigint)
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
  perform ledger_recall(case c ->> 'scope' when 'group' then ledger_below(c ->> 'account') else array[c ->> 'account'] end, '', true);
  return '{"is":"done"}';
end $$;

-- What runs stays with the tree it began in. At most four levels.
create function ledger_set_parent(c jsonb) returns jsonb language plpgsql as $$
declare child text := c ->> 'account'; parent text := c ->> 'parent'; line text[] := '{}'; height integer := 0; below text[] := array[c ->> 'account'];
begin
  if parent is not null then
    if not exists (select from ledger_accounts where account_id = parent) then return '{"is":"unknown-account"}'; end if;
    line := ledger_line(parent);
    if child = any(line) then return ledger_refused('cycle', 0, 0); end if;
    while cardinality(below) > 0 loop
      height := height + 1;
      select coalesce(array_agg(a.account_id), '{}') into below from ledger_accounts a where a.parent_id = any(below);
    end loop;
    if cardinality(line) + height > 4 then return ledger_refused('depth', 0, 0); end if;
  end if;
  update ledger_accounts set parent_id = parent where account_id = child;
  perform ledger_recall(ledger_below(child), '', true);
  return '{"is":"done"}';
end $$;

create or replace function ledger_apply_one(c jsonb, now_ms bigint, up_since_ms bigint) returns jsonb language plpgsql as $$
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
  end;
  if result is null then raise exception 'unknown command %', c ->> 'do'; end if;
  return result;
end $$;

-- The accounts of a batch and those above them, in one order. A parent may change until its account is locked: then once more.
create function ledger_lock_accounts(commands jsonb) returns void language plpgsql as $$
declare named text[]; wanted text[]; locked text[] := '{}';
begin
  select coalesce(array_agg(distinct id), '{}') into named from (
    select each ->> 'account' as id from jsonb_array_elements(commands) each
    union all select each ->> 'parent' from jsonb_array_elements(commands) each where each ->> 'do' = 'set-parent') ids
    where id is not null;
  loop
    select coalesce(array_agg(distinct id), '{}') into wanted from unnest(named) as one, unnest(ledger_line(one)) as id;
    exit when wanted <@ locked;
    perform from ledger_accounts where account_id = any(wanted) order by account_id for update;
    locked := locked || wanted;
  end loop;
end $$;

create or replace function ledger_apply_at(commands jsonb, now_ms bigint, up_since_ms bigint) returns jsonb language plpgsql as $$
declare c jsonb; is_last_of_run boolean; run jsonb[] := '{}'; results jsonb[] := '{}';
begin
  perform from ledger_nodes where epoch in (
    select each ->> 'epoch' from jsonb_array_elements(commands) each where each ->> 'do' in ('hold', 'lease'))
    order by epoch for key share;
  perform ledger_lock_accounts(commands);
  for c, is_last_of_run in
    select each, lead(each ->> 'do') over (order by place) is distinct from 'settle'
    from jsonb_array_elements(commands) with ordinality as listed (each, place) order by place
  loop
    if c ->> 'do' is distinct from 'settle' then
      results := array_append(results, ledger_apply_one(c, now_ms, up_since_ms));
      continue;
    end if;
    run := array_append(run, c);
    if is_last_of_run then
      results := results || ledger_settle_run(run, now_ms, up_since_ms);
      run := '{}';
    end if;
  end loop;
  return to_jsonb(results);
end $$;
