-- Accounts in a tree (company, team). A budget of the scope `group` bounds an account and all below it, together. It is held like
-- any other: a hold or lease names it in `purses`, as `@<owner> group <span> <start>`, and its balance is a row of the owner.
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

/*
 * A batch locks the accounts above its own only where one of them has a budget of the scope `group`: without one, teams of a company
 * share no balance, and do not wait for each other. What changes that, the first such budget of a tree or another parent, locks all
 * accounts below instead: it waits for their batches, and those that come later see it.
 * The accounts of a batch in one order. What is read before they are locked may have changed by then: so it is read again until it is
 * the same. While an account is locked, neither the accounts above it change nor whether one of them has a group budget.
 */
create function ledger_lock_accounts(commands jsonb) returns void language plpgsql
  set enable_seqscan = off as $$
declare named text[]; with_all_below text[]; wanted text[]; locked text[];
begin
  with given as materialized (
    select * from jsonb_to_recordset(commands) as c ("do" text, account text, parent text, scope text))
  select coalesce((select array_agg(id) from (select account as id from given union select parent from given) ids where id is not null), '{}'),
    (select array_agg(distinct account) from given where "do" = 'set-parent' or ("do" = 'set-budget' and scope = 'group'))
    into named, with_all_below;
  loop
    -- By the index of parents, which is empty where there is no tree.
    perform from ledger_accounts where parent_id is not null order by parent_id limit 1;
    if found then
      with lines as materialized (
        select one.id, one.line, exists (select from ledger_budgets b where b.account_id = any(one.line) and b.scope = 'group') as is_bound
        from (select id, case when (select a.parent_id from ledger_accounts a where a.account_id = id) is null then array[id]
          else ledger_line(id) end as line from unnest(named) as id) one)
      select coalesce(array_agg(id order by id), '{}') into wanted from (
        select id from lines
        union select unnest(line) from lines where is_bound
        -- Where there is a group budget, all below lock this account already.
        union select unnest(ledger_below(id)) from lines where id = any(with_all_below) and not is_bound) ids;
    else
      wanted := named;
    end if;
    exit when wanted is not distinct from locked;
    perform from ledger_accounts where account_id = any(wanted) order by account_id for update;
    locked := wanted;
  end loop;
end $$;

-- Alerts of operators and accounts, where they are sent, and what became of every delivery.
create table alerts (
  id text primary key check (id ~ '^alr_[A-Za-z0-9_-]{1,64}$'),
  kind text not null,
  -- Null: for operators only.
  account_id text,
  subject text not null,
  -- An alert is raised once for its kind, subject and window, however many nodes notice.
  window_key text not null,
  title text not null,
  detail jsonb not null,
  raised_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  resolved_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by text,
  unique (kind, subject, window_key)
);
create index alerts_by_time on alerts (raised_at desc, id desc);
create index alerts_by_account on alerts (account_id, raised_at desc) where account_id is not null;
create index alerts_unresolved on alerts (kind, subject) where resolved_at is null;
alter table alerts enable row level security, force row level security;
create policy own_alerts on alerts using (trivium_sees(coalesce(account_id, '*')))
  with check (trivium_sees(coalesce(account_id, '*')));
grant select, insert, update, delete on alerts to trivium_app;

-- One row: when some node last looked for alerts that stand in the database.
create table alert_rounds (
  is_only boolean primary key default true check (is_only),
  checked_at timestamptz not null default '-infinity'
);
insert into alert_rounds default values;
grant select, update on alert_rounds to trivium_app;

-- Operators' destinations. Addresses are often secrets themselves, so they are encrypted as a whole.
create table alert_destinations (
  id text primary key check (id ~ '^dst_[A-Za-z0-9_-]{1,64}$'),
  kind text not null check (kind in ('webhook', 'slack', 'teams', 'discord', 'mail')),
  name text not null check (length(name) between 1 and 200),
  -- For people: the host of a URL, or the addresses of mail.
  shown text not null,
  sealed bytea not null,
  wrapped_key bytea not null,
  wrapping text not null,
  -- Null: every kind.
  events text[],
  created_at timestamptz not null default now(),
  -- Set when its host said that it is gone for good.
  gone_at timestamptz
);
alter table alert_destinations enable row level security, force row level security;
create policy operators_destinations on alert_destinations using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on alert_destinations to trivium_app;

create table alert_messages (
  id text primary key check (id ~ '^msg_[A-Za-z0-9_-]{1,64}$'),
  destination_id text not null references alert_destinations (id) on delete cascade,
  event text not null,
  body text not null,
  state text not null default 'due' check (state in ('due', 'delivered', 'failed')),
  tries integer not null default 0,
  due_at timestamptz not null default now(),
  last_status integer,
  last_problem text,
  last_tried_at timestamptz,
  created_at timestamptz not null default now()
);
create index alert_messages_due on alert_messages (due_at) where state = 'due';
create index alert_messages_by_destination on alert_messages (destination_id, created_at desc, id desc);
create index alert_messages_old on alert_messages (created_at) where state <> 'due';
alter table alert_messages enable row level security, force row level security;
create policy operators_messages on alert_messages using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on alert_messages to trivium_app;
create index webhook_messages_by_webhook on webhook_messages (account_id, webhook_id, created_at desc, id desc);
create index keys_by_expiry on keys (expires_at) where expires_at is not null and revoked_at is null;
