-- expand: budget templates. One row bounds each value of a kind of scope (`member`, `key`, `tag:<name>`), or one scope (`account`,
-- `member:<id>`, ...), which goes before that of its kind; a budget of the same scope and span replaces both. The balance of a value is
-- made by its first hold. A node of the release before sends no scope for a template: its requests count as those without a value.
create table ledger_templates (
  account_id text not null references ledger_accounts,
  each_of text not null,
  span text not null check (span in ('day', 'week', 'month', 'total')),
  most bigint not null check (most >= 0),
  time_zone text not null,
  week_starts_on integer not null check (week_starts_on between 1 and 7),
  anchor_day integer not null check (anchor_day between 1 and 31),
  missing text not null check (missing in ('refuse', 'shared')),
  soft_percents integer[] not null default '{}',
  set_by text not null default 'operator' check (set_by in ('operator', 'member')),
  primary key (account_id, each_of, span)
);
alter table ledger_templates enable row level security;
alter table ledger_templates force row level security;
create policy own on ledger_templates for select to trivium_app using (trivium_sees(account_id));
create policy writes on ledger_templates to trivium_writer using (true) with check (true);
grant select on ledger_templates to trivium_app;
grant select, insert, update, delete on ledger_templates to trivium_writer;

-- `member` of `member:m`, `tag:team` of `tag:team=red`.
create function ledger_kind_of(scope text) returns text language sql immutable
  return case when left(scope, 4) = 'tag:' then split_part(scope, '=', 1) else split_part(scope, ':', 1) end;

-- Whose balance requests without such a value draw on; null where the template is of one scope.
create function ledger_without_value(each_of text) returns text language sql immutable
  return case when each_of in ('member', 'key') then each_of || ':'
    when left(each_of, 4) = 'tag:' and position('=' in each_of) = 0 then each_of || '=' end;

-- The first moment that shows this midnight; where clocks skip it, the moment they are set forward. Of a midnight that is shown twice,
-- PostgreSQL takes the second.
create function ledger_midnight_ms(day date, time_zone text) returns bigint language plpgsql stable as $$
declare
  found_at timestamptz := day::timestamp at time zone time_zone;
  day_before timestamptz := found_at - interval '24 hours';
  -- By the clocks of the day before.
  first_at timestamptz := (day::timestamp - ((day_before at time zone time_zone) - (day_before at time zone 'UTC'))) at time zone 'UTC';
begin
  if first_at < found_at and first_at at time zone time_zone = day::timestamp then found_at := first_at; end if;
  return (extract(epoch from found_at) * 1000)::bigint;
end $$;

-- The window of a template that a moment lies in. Its end is worked out by the calendar: a day has 23 to 25 hours.
create function ledger_window(span text, time_zone text, week_starts_on integer, anchor_day integer, now_ms bigint,
  out start_ms bigint, out end_ms bigint) language plpgsql stable as $$
declare
  today date := ((timestamp 'epoch' + now_ms * interval '1 millisecond') at time zone 'UTC' at time zone time_zone)::date;
  month date := date_trunc('month', today)::date;
  first_day date := today;
  next_day date := today + 1;
begin
  if span = 'total' then
    start_ms := 0;
    end_ms := 9007199254740991;
    return;
  end if;
  if span = 'week' then
    first_day := today - (extract(isodow from today)::integer - week_starts_on + 7) % 7;
    next_day := first_day + 7;
  elsif span = 'month' then
    next_day := ledger_anchor(month, anchor_day);
    if today < next_day then first_day := ledger_anchor((month - interval '1 month')::date, anchor_day);
    else
      first_day := next_day;
      next_day := ledger_anchor((month + interval '1 month')::date, anchor_day);
    end if;
  end if;
  start_ms := ledger_midnight_ms(first_day, time_zone);
  end_ms := ledger_midnight_ms(next_day, time_zone);
end $$;

-- The day of this month, or its last.
create function ledger_anchor(month date, anchor_day integer) returns date language sql immutable
  return least(month + anchor_day - 1, (month + interval '1 month')::date - 1);

-- Null without a template. Where a value is required, requests without one get nothing, not even what is free.
create function ledger_template_limit(account text, of_scope text, of_span text) returns bigint language sql stable
  return (select case when t.missing = 'refuse' and of_scope = ledger_without_value(t.each_of) then -1 else t.most end
    from ledger_templates t
    where t.account_id = account and t.span = of_span and (t.each_of = of_scope or t.each_of = ledger_kind_of(of_scope))
    order by t.each_of = of_scope desc limit 1);

-- The scopes that templates of the account bound for a spender with these scopes, and in which window.
create function ledger_template_reach(account text, scopes text[], now_ms bigint)
  returns table (scope text, span text, start_ms bigint, end_ms bigint) language sql stable
  begin atomic
    select reached.scope, reached.span, w.start_ms, w.end_ms from (
      select distinct on (named.scope, t.span) named.scope, t.span, t.time_zone, t.week_starts_on, t.anchor_day
      from ledger_templates t
      cross join lateral (
        select s as scope from unnest(scopes || 'account'::text) s where s = t.each_of or ledger_kind_of(s) = t.each_of
        union
        select ledger_without_value(t.each_of) where ledger_without_value(t.each_of) is not null
          and not exists (select from unnest(scopes) s where ledger_kind_of(s) = t.each_of)) named
      where t.account_id = account
        and not exists (select from ledger_budgets b where b.account_id = account and b.scope = named.scope and b.span = t.span)
      order by named.scope, t.span, t.each_of = named.scope desc) reached
    cross join lateral ledger_window(reached.span, reached.time_zone, reached.week_starts_on, reached.anchor_day, now_ms) w;
  end;

create or replace function ledger_reach(account text, scopes text[], now_ms bigint, out keys text[], out ends_at_ms bigint)
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

create or replace function ledger_room(account ledger_accounts, purses text[], out scope text, out purse text, out room bigint)
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

-- The balances that templates bound now, of these accounts or, without any, of all. Those that a budget or another template bounds are
-- left out.
create function ledger_template_balances(accounts text[], now_ms bigint) returns table (account_id text, each_of text, scope text, span text,
  most bigint, soft_percents integer[], posted bigint, pending bigint, start_ms bigint, end_ms bigint) language sql stable
  begin atomic
    select t.account_id, t.each_of, p.scope, t.span, ledger_template_limit(t.account_id, p.scope, t.span), t.soft_percents, p.posted, p.pending,
      w.start_ms, w.end_ms
    from ledger_templates t
    cross join lateral ledger_window(t.span, t.time_zone, t.week_starts_on, t.anchor_day, now_ms) w
    join ledger_purses p on p.account_id = t.account_id and p.span = t.span and p.start_ms = w.start_ms
      and (p.scope = t.each_of or ledger_kind_of(p.scope) = t.each_of)
    where (accounts is null or t.account_id = any(accounts))
      and not exists (select from ledger_budgets b where b.account_id = p.account_id and b.scope = p.scope and b.span = p.span)
      and (p.scope = t.each_of or not exists (select from ledger_templates o
        where o.account_id = t.account_id and o.each_of = p.scope and o.span = t.span));
  end;

-- Leases were granted under the old terms. A time zone that PostgreSQL does not know is refused here, not by a hold.
create function ledger_set_template(c jsonb, now_ms bigint) returns jsonb language plpgsql as $$
begin
  if c ->> 'do' = 'remove-template' then
    delete from ledger_templates where account_id = c ->> 'account' and each_of = c ->> 'each' and span = c ->> 'span';
  else
    perform ledger_window('day', c ->> 'timeZone', 1, 1, now_ms);
    insert into ledger_templates (account_id, each_of, span, most, time_zone, week_starts_on, anchor_day, missing, soft_percents, set_by)
      values (c ->> 'account', c ->> 'each', c ->> 'span', (c ->> 'limit')::bigint, c ->> 'timeZone', (c ->> 'weekStartsOn')::integer,
        (c ->> 'anchorDay')::integer, c ->> 'missing',
        array(select value::integer from jsonb_array_elements_text(coalesce(c -> 'softPercent', '[]'))), coalesce(c ->> 'setBy', 'operator'))
      on conflict (account_id, each_of, span) do update
        set most = excluded.most, time_zone = excluded.time_zone, week_starts_on = excluded.week_starts_on,
          anchor_day = excluded.anchor_day, missing = excluded.missing, soft_percents = excluded.soft_percents, set_by = excluded.set_by;
    if coalesce(c ->> 'setBy', 'operator') = 'operator' then
      -- What members have set must not replace what the operator sets.
      delete from ledger_budgets b where b.account_id = c ->> 'account' and b.span = c ->> 'span' and b.set_by = 'member'
        and (b.scope = c ->> 'each' or ledger_kind_of(b.scope) = c ->> 'each');
      delete from ledger_templates t where t.account_id = c ->> 'account' and t.span = c ->> 'span' and t.set_by = 'member'
        and t.each_of <> c ->> 'each' and ledger_kind_of(t.each_of) = c ->> 'each';
    end if;
  end if;
  perform ledger_recall(array[c ->> 'account'], '', true);
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
    when 'set-template' then ledger_set_template(c, now_ms)
    when 'remove-template' then ledger_set_template(c, now_ms)
  end;
  if result is null then raise exception 'unknown command %', c ->> 'do'; end if;
  return result;
end $$;

-- `each:<kind>` for a template of a kind; with it `account`, so that nodes of the release before ask for a hold as well.
create or replace function ledger_terms_of(given_ids text[]) returns table (account text, kind text, budgeted text[]) language plpgsql as $$
begin
  perform ledger_open_known(missing.id) from (
    select given.id from unnest(given_ids) given (id)
    left join ledger_accounts l on l.account_id = given.id
    left join accounts a on a.id = given.id
    where l.account_id is null or a.kind <> l.kind
    order by given.id) missing;
  return query
    select a.account_id, a.kind, array(
      select b.scope from ledger_budgets b
      where b.account_id = any(line.ids) and (b.account_id = a.account_id or b.scope = 'group')
      union
      select unnest(case when ledger_without_value(t.each_of) is null then array[t.each_of] else array['account', 'each:' || t.each_of] end)
      from ledger_templates t where t.account_id = a.account_id)
    from ledger_accounts a
    cross join lateral (
      select case when a.parent_id is null then array[a.account_id] else ledger_line(a.account_id) end as ids) line
    where a.account_id = any(given_ids);
end $$;
