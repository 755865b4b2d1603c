-- expand: settings that operators give to people's agents. A version is added for every change and never altered; the latest of a name is
-- in force. Null: removed.
create table managed_settings (
  name text not null,
  version integer not null,
  entry jsonb,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (name, version)
);
alter table managed_settings enable row level security;
alter table managed_settings force row level security;
create policy operators_only on managed_settings using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert on managed_settings to trivium_app;

create function trivium_tell_managed_settings() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_managed_settings', '');
  return null;
end $$;
create trigger tell after insert on managed_settings for each statement execute function trivium_tell_managed_settings();

-- What bounds a spender with these scopes now, by budgets and templates, and what is spent of each. `asked`: a list of accounts with
-- scopes; `place` is the place in it, from 1.
create function ledger_spend(asked jsonb, now_ms bigint) returns table (place integer, scope text, span text, most bigint, posted bigint,
  pending bigint, end_ms bigint) language sql stable
  begin atomic
    select bound.place, bound.scope, bound.span, bound.most, coalesce(p.posted, 0), coalesce(p.pending, 0), bound.end_ms from (
      select spender.place, b.account_id as owner, b.scope, b.span, b.most,
        case b.span when 'total' then 0 when 'day' then now_ms - now_ms % 86400000 else ledger_month_ms(now_ms, 0) end as start_ms,
        case b.span when 'total' then 9007199254740991 when 'day' then now_ms - now_ms % 86400000 + 86400000
          else ledger_month_ms(now_ms, 1) end as end_ms
      from (select ordinality::integer as place, value ->> 'account' as account,
          array(select jsonb_array_elements_text(value -> 'scopes')) as scopes from jsonb_array_elements(asked) with ordinality) spender
      join ledger_budgets b on (b.account_id = spender.account and (b.scope = 'account' or b.scope = any(spender.scopes)))
        or (b.scope = 'group' and b.account_id = any(ledger_line(spender.account)))
      union all
      select spender.place, spender.account, t.scope, t.span, ledger_template_limit(spender.account, t.scope, t.span), t.start_ms, t.end_ms
      from (select ordinality::integer as place, value ->> 'account' as account,
          array(select jsonb_array_elements_text(value -> 'scopes')) as scopes from jsonb_array_elements(asked) with ordinality) spender
      cross join lateral ledger_template_reach(spender.account, spender.scopes, now_ms) t
    ) bound
    left join ledger_purses p on p.account_id = bound.owner and p.scope = bound.scope and p.span = bound.span and p.start_ms = bound.start_ms
    order by bound.place, bound.scope collate "C", bound.span;
  end;
