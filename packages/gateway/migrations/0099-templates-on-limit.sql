-- expand: a template may name a model for requests that it does not cover, and how much further than the limit that model alone may go.
-- A hold for it knows its name, so that the stream it pays for is extended by the same rule. Nodes of the release before refuse such
-- requests, as without it.
alter table ledger_templates add column on_limit_model text, add column on_limit_beyond bigint not null default 0;
alter table ledger_purses add column on_limit_ms bigint;
alter table ledger_holds add column instead text not null default '';

-- Of the template that bounds this scope. Where a value is required, requests without one get no other model.
create function ledger_on_limit(account text, of_scope text, of_span text, out model text, out beyond bigint, out each_of text)
  language plpgsql stable as $$
declare missing text;
begin
  select t.on_limit_model, t.on_limit_beyond, t.each_of, t.missing into model, beyond, each_of, missing from ledger_templates t
    where t.account_id = account and t.span = of_span and (t.each_of = of_scope or t.each_of = ledger_kind_of(of_scope))
      and not exists (select from ledger_budgets b where b.account_id = account and b.scope = of_scope and b.span = of_span)
    order by t.each_of = of_scope desc limit 1;
  if missing = 'refuse' and of_scope = ledger_without_value(each_of) then model := null; end if;
end $$;

-- `ledger_room` for a request that did not fit before, and is now for the model that templates name. What is free fits them, whatever was spent.
create function ledger_room_instead(account ledger_accounts, purses text[], instead text, out scope text, out purse text, out room bigint)
  language plpgsql as $$
declare each text; least record; mine ledger_purses; on_limit record;
begin
  select r.scope, r.purse, r.room into scope, purse, room from ledger_room(account, '{}') r;
  foreach each in array purses loop
    select * into mine from ledger_purses q where q.account_id = account.account_id and q.key = each;
    select * into on_limit from ledger_on_limit(account.account_id, mine.scope, mine.span);
    if on_limit.model = instead then
      select mine.scope, mine.key as purse, greatest(0, on_limit.beyond - mine.posted - mine.pending
        + ledger_template_limit(account.account_id, mine.scope, mine.span)) as room into least;
    else
      select r.scope, r.purse, r.room into least from ledger_room(account, array[each]) r where r.purse <> '';
      continue when not found;
    end if;
    if least.room < room then
      scope := least.scope;
      purse := least.purse;
      room := least.room;
    end if;
  end loop;
end $$;

-- A refusal, with the model that is to be called instead: that of the first template whose balance does not cover the amount.
create function ledger_or_instead(refusal jsonb, account text, purses text[], amount bigint, now_ms bigint) returns jsonb
  language plpgsql as $$
declare short record;
begin
  select p.key, p.span, named.model, named.each_of into short
    from unnest(purses) with ordinality as wanted (key, place)
    join ledger_purses p on p.account_id = account and p.key = wanted.key
    cross join lateral ledger_on_limit(account, p.scope, p.span) named
    where named.model is not null and ledger_template_limit(account, p.scope, p.span) - p.posted - p.pending < amount
    order by wanted.place limit 1;
  if not found then return refusal; end if;
  -- Leases may yet return what is missing.
  if refusal ->> 'recallable' = '0' then
    update ledger_purses set on_limit_ms = now_ms where account_id = account and key = short.key and on_limit_ms is null;
  end if;
  return refusal || jsonb_build_object('instead',
    jsonb_build_object('model', short.model, 'each', short.each_of, 'span', short.span));
end $$;

create or replace function ledger_hold(c jsonb, account ledger_accounts, now_ms bigint) returns jsonb language plpgsql as $$
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

create or replace function ledger_resize(c jsonb, account ledger_accounts) returns jsonb language plpgsql as $$
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

create or replace function ledger_set_template(c jsonb, now_ms bigint) returns jsonb language plpgsql as $$
begin
  if c ->> 'do' = 'remove-template' then
    delete from ledger_templates where account_id = c ->> 'account' and each_of = c ->> 'each' and span = c ->> 'span';
  else
    perform ledger_window('day', c ->> 'timeZone', 1, 1, now_ms);
    insert into ledger_templates (account_id, each_of, span, most, time_zone, week_starts_on, anchor_day, missing, soft_percents, set_by,
        on_limit_model, on_limit_beyond)
      values (c ->> 'account', c ->> 'each', c ->> 'span', (c ->> 'limit')::bigint, c ->> 'timeZone', (c ->> 'weekStartsOn')::integer,
        (c ->> 'anchorDay')::integer, c ->> 'missing',
        array(select value::integer from jsonb_array_elements_text(coalesce(c -> 'softPercent', '[]'))), coalesce(c ->> 'setBy', 'operator'),
        c -> 'onLimit' ->> 'model', coalesce((c -> 'onLimit' ->> 'beyond')::bigint, 0))
      on conflict (account_id, each_of, span) do update
        set most = excluded.most, time_zone = excluded.time_zone, week_starts_on = excluded.week_starts_on,
          anchor_day = excluded.anchor_day, missing = excluded.missing, soft_percents = excluded.soft_percents, set_by = excluded.set_by,
          on_limit_model = excluded.on_limit_model, on_limit_beyond = excluded.on_limit_beyond;
    if coalesce(c ->> 'setBy', 'operator') = 'operator' then
      -- What members have set must not replace what the operator sets.
      delete from ledger_budgets b where b.account_id = c ->> 'account' and b.span = c ->> 'span' and b.set_by = 'member'
        and (b.scope = c ->> 'each' or ledger_kind_of(b.scope) = c ->> 'each');
      delete from ledger_templates t where t.account_id = c ->> 'account' and t.span = c ->> 'span' and t.set_by = 'member'
        and t.each_of <> c ->> 'each' and ledger_kind_of(t.each_of) = c ->> 'each';
    end if;
  end if;
  -- What did not fit may fit now.
  update ledger_purses set on_limit_ms = null
    where account_id = c ->> 'account' and span = c ->> 'span' and on_limit_ms is not null;
  perform ledger_recall(array[c ->> 'account'], '', true);
  return '{"is":"done"}';
end $$;
