-- Budget templates. One row bounds each value of a kind of scope (`member`, `key`, `tag:<name>`), or one scope (`account`,
-- `member:<id>`, ...), which goes before that of its kind; a budget of the same scope and span replaces both. The balance of a value is
-- made by its first hold.
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
  on_limit_model text, on_limit_beyond bigint not null default 0,
  primary key (account_id, each_of, span)
);
alter table ledger_templates enable row level security, force row level security;
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

-- What files declare, as `apply` last made it. It decides what may be pruned, and shows what was changed by hand since. Never a secret.
create table declared (
  -- Empty: of no account.
  account_id text not null,
  kind text not null,
  name text not null,
  value jsonb not null,
  applied_by text not null,
  applied_at timestamptz not null default now(),
  primary key (account_id, kind, name)
);
alter table declared enable row level security, force row level security;
create policy own_declared on declared using (trivium_sees(coalesce(nullif(account_id, ''), '*')))
  with check (trivium_sees(coalesce(nullif(account_id, ''), '*')));
grant select, insert, update, delete on declared to trivium_app;

-- Models, their further names and rules of alerts that operators set while the gateway runs.
create table own_models (
  id text primary key,
  definition jsonb not null,
  updated_by text not null,
  updated_at timestamptz not null default now()
);

create table model_aliases (
  name text primary key,
  model text not null,
  updated_by text not null,
  updated_at timestamptz not null default now()
);

create table alert_rules (
  kind text primary key,
  rule jsonb not null,
  updated_by text not null,
  updated_at timestamptz not null default now()
);
do $$
declare name text;
begin
  foreach name in array array['own_models', 'model_aliases', 'alert_rules'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy operators_only on %I using (trivium_sees(''*'')) with check (trivium_sees(''*''))', name);
    execute format('grant select, insert, update, delete on %I to trivium_app', name);
    -- Every node takes up what has changed, as with prices.
    execute format('create trigger tell after insert or update or delete on %I for each statement execute function trivium_tell_prices()', name);
  end loop;
end $$;

-- Canaries of routing policies that have stepped back. `canary` is what it said at the time: one that is changed begins anew. The first
-- node that inserts the row is the one that announces it; an operator resumes the canary by deleting it.
create table canary_step_backs (
  policy text not null,
  canary text not null,
  reason jsonb not null,
  stepped_back_at timestamptz not null default now(),
  primary key (policy, canary)
);
alter table canary_step_backs enable row level security, force row level security;
create policy operators_only on canary_step_backs using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, delete on canary_step_backs to trivium_app;
create trigger tell after insert or delete on canary_step_backs for each statement execute function trivium_tell_policies();

-- A template may name a model for requests that it does not cover, and how much further than the limit that model alone may go.
-- A hold for it knows its name, so that the stream it pays for is extended by the same rule.

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
