-- Settles of a batch that are all plain are judged and posted by one statement, which takes the commands apart once and reads each
-- lease and account once. Answers, entries, their order and their hashes are those of `ledger_settle_run`, which is still there for runs
-- with repeated or late settles.

/*
 * Posts settles that are all plain, in the sense of `ledger_alone`; false, and nothing has changed, if one is not. A settle that has an
 * entry already is found by the unique index of entries: the error is the caller's to catch. Only settles that may leave no entry are
 * looked up. The accounts are locked, so that rows found by their keys can be changed by their places (`ctid`); as many rows must change
 * as were found. Rows are looked up by `lateral … limit 1`, seqscans and merge joins are off: plans made for small tables stay good.
 */
create function ledger_settle_at_once(run jsonb) returns boolean language plpgsql
  set enable_seqscan = off set enable_mergejoin = off set jit = off as $$
declare every_is_plain boolean; every_row_changed boolean;
begin
  with settles as materialized (
    select s.place, s.account, s.request, s.cost, s.estimated, s.memo, hold.place as hold_place, hold.granted, hold.purses,
      coalesce(hold.lease = '', false) as is_strict, coalesce(hold.lease, s.lease) as lease,
      case when hold.lease = '' then hold.price_version else s.price_version end as price_version,
      -- An estimate is never charged above the hold of its own.
      case when hold.lease = '' and s.estimated then least(s.cost, hold.granted) else s.cost end as amount,
      s.what = 'settle' and s.cost >= 0 and s.cost < 4611686018427387904 and s.price_version is not null and s.estimated is not null
        and s.memo is not null and coalesce(hold.lease, s.lease) is not null and not starts_with(s.request, 'correction:')
        and entry.id is distinct from s.request
        and (hold.place is null or (hold.kind = 'request' and hold.state = 'open')) as is_plain
    from rows from (jsonb_to_recordset(run) as ("do" text, account text, request text, lease text, cost bigint, "priceVersion" text,
        estimated boolean, memo text)) with ordinality as s (what, account, request, lease, cost, price_version, estimated, memo, place)
    left join lateral (select h.ctid as place, h.kind, h.state, h.lease, h.granted, h.purses, h.price_version from ledger_holds h
      where h.account_id = s.account and h.id = s.request limit 1) hold on true
    -- In this order, because only the index of ids has it: the one of sequences would read all entries of the account.
    left join lateral (select e.id from ledger_entries e
      where (s.cost = 0 or hold.place is not null) and e.account_id = s.account and e.id >= s.request
      order by e.account_id, e.id limit 1) entry on true
  ),
  -- What a lease has left covers its settles in their order, so all of them together.
  leases as materialized (
    select s.account, s.amount, lease.place, lease.is_open, lease.purses, least(s.amount, lease.left_over)::bigint as covered
    from (select account, lease, sum(amount) as amount from settles where not is_strict and lease <> '' group by account, lease) s
    left join lateral (select h.ctid as place, h.kind = 'lease' and h.state = 'open' as is_open, h.purses,
        h.granted - h.drawn as left_over from ledger_holds h
      where h.account_id = s.account and h.id = s.lease limit 1) lease on true
  ),
  mine as materialized (
    select s.account, s.needs_no_bound, a.place, a.kind, a.sequence, a.head
    from (select account, bool_or(not is_strict and lease = '') as needs_no_bound from settles group by account) s
    left join lateral (select a.ctid as place, a.kind, a.sequence, a.head from ledger_accounts a
      where a.account_id = s.account limit 1) a on true
  ),
  judged as materialized (
    select (select bool_and(is_plain is true) from settles)
      and (select count(*) from settles) = (select count(*) from (select from settles group by account, request) different)
      and not exists (select from leases where is_open is not true)
      and not exists (select from mine where kind is null or (needs_no_bound and kind <> 'unlimited')) as is_plain
  ),
  charges as materialized (
    select account, purses, amount, covered, covered as freed from leases
    union all
    select account, purses, amount, least(amount, granted), granted from settles where is_strict
    union all
    select account, '{}', amount, amount, 0 from settles where not is_strict and lease = ''
  ),
  -- Joined first and always ordered by place, so that they are sorted once.
  numbered as (
    select s.*, mine.sequence as sequence_before, mine.head as head_before,
      row_number() over (partition by s.account order by s.place) as number
    from settles s join mine on mine.account = s.account where s.amount > 0 and (select is_plain from judged)
  ),
  hashed as (
    select n.*, n.sequence_before + n.number as sequence,
      ledger_chain(case n.number when 1 then n.head_before else '' end || '|' || n.account || '|' || n.sequence_before + n.number
        || '|' || n.request || '|charge|' || n.account || '|house:revenue|' || n.amount || '|' || n.price_version || '|'
        || n.estimated::text || '|' || n.memo) over (partition by n.account order by n.place) as hash
    from numbered n
  ),
  entries as materialized (
    select *, coalesce(lag(hash) over (partition by account order by place), head_before) as previous from hashed
  ),
  write_entries as (
    insert into ledger_entries (account_id, sequence, id, kind, debit, credit, amount, price_version, estimated, memo, previous, hash)
    select account, sequence, request, 'charge', account, 'house:revenue', amount, price_version, estimated, memo, previous, hash
    from entries
  ),
  closed as (
    update ledger_holds h set state = 'settled', forgone = case when s.is_strict then s.cost - s.amount else h.forgone end
    from settles s where s.hold_place is not null and h.ctid = s.hold_place and (select is_plain from judged) returning 1
  ),
  drawn as (
    update ledger_holds h set drawn = h.drawn + l.covered
    from leases l where h.ctid = l.place and (select is_plain from judged) returning 1
  ),
  charged_budgets as materialized (
    select ledger_charge_budgets(account, purses, sum(amount)::bigint, sum(freed)::bigint) from charges
    where cardinality(purses) > 0 and (select is_plain from judged) group by account, purses
  ),
  sums as (
    select account, sum(amount)::bigint as amount, sum(freed)::bigint as freed, sum(amount - covered)::bigint as uncovered
    from charges group by account
  ),
  ends as (
    select account, count(*) as written, (array_agg(hash order by number desc))[1] as head from entries group by account
  ),
  charged as (
    update ledger_accounts a set posted = a.posted + s.amount, pending = a.pending - s.freed, overrun = a.overrun + s.uncovered,
      sequence = a.sequence + coalesce(e.written, 0), head = coalesce(e.head, a.head)
    from sums s join mine m on m.account = s.account left join ends e on e.account = s.account
    where a.ctid = m.place and (select is_plain from judged) returning 1
  )
  select is_plain,
    (select count(*) from closed) = (select count(hold_place) from settles)
      and (select count(*) from drawn) = (select count(*) from leases)
      and (select count(*) from charged) = (select count(*) from mine)
      -- Nothing to compare: asked for, so that they are charged.
      and (select count(*) from charged_budgets) >= 0
    into every_is_plain, every_row_changed from judged;
  if every_is_plain and every_row_changed is not true then raise exception 'a row of a run of settles is gone'; end if;
  return every_is_plain is true;
end $$;

-- Commands in their order, and settles that follow each other together: at once if all of them are plain, else run by run.
create function ledger_apply_in_order(commands jsonb, now_ms bigint, up_since_ms bigint, at_once boolean) returns jsonb
  language plpgsql as $$
declare
  -- Fewer are cheaper one by one.
  fewest constant integer := 4;
  c jsonb; is_last_of_run boolean; run jsonb[] := '{}'; results jsonb[] := '{}';
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
    continue when not is_last_of_run;
    if at_once and cardinality(run) >= fewest and ledger_settle_at_once(to_jsonb(run)) then
      results := results || array_fill('{"is":"done"}'::jsonb, array[cardinality(run)]);
    else
      results := results || ledger_settle_run(run, now_ms, up_since_ms);
    end if;
    run := '{}';
  end loop;
  return to_jsonb(results);
end $$;

-- The counts of two histograms are added without a query, so that the planner puts the addition in the place of the call: it is
-- made four times for each sum of usage. All have the 25 buckets of src/money/usage/latency-histogram.ts; others are added by a query.
create function trivium_add_any_counts(left_counts bigint[], right_counts bigint[]) returns bigint[] language sql immutable
  return (select array_agg(coalesce(a, 0) + coalesce(b, 0) order by place)
    from unnest(left_counts, right_counts) with ordinality as both_counts (a, b, place));
do $$ begin
  execute format('create function trivium_add_counts(left_counts bigint[], right_counts bigint[]) returns bigint[]
    language sql immutable
    return case when left_counts is null then right_counts when right_counts is null then left_counts
      when cardinality(left_counts) = 25 and cardinality(right_counts) = 25 then array[%s]
      else trivium_add_any_counts(left_counts, right_counts) end',
    (select string_agg(format('left_counts[%1$s] + right_counts[%1$s]', place), ', ' order by place) from generate_series(1, 25) place));
end $$;

-- Epochs that have been dead for a day and left no hold open are deleted: each start of a process leaves a row.
create function ledger_forget_epochs(now_ms bigint) returns void language plpgsql as $$
declare last_beat bigint;
begin
  with old as materialized (
    select n.epoch from ledger_nodes n where n.state = 'dead' and n.beat_at_ms < now_ms - 86400000
      and not exists (select from ledger_holds h where h.epoch = n.epoch and h.state = 'open')
    order by n.epoch limit 100 for update skip locked),
  gone as (delete from ledger_nodes n using old where n.epoch = old.epoch returning n.beat_at_ms)
  select max(beat_at_ms) into last_beat from gone;
  update ledger_book set forgot_until_ms = last_beat where forgot_until_ms < last_beat;
end $$;

-- The terms of many accounts in one statement. Those that the ledger does not know are opened, as the directory defines them.

-- `each:<kind>` for a template of a kind; with it `account`, which asks for a hold as well.
create function ledger_terms_of(given_ids text[]) returns table (account text, kind text, budgeted text[]) language plpgsql as $$
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

-- What the last audit of each account found. One process of the deployment audits, and reads only what has changed since.
create table ledger_audits (
  account_id text primary key,
  -- Of the account's row when it was audited: every movement of money makes a new one.
  version text not null,
  violations integer not null,
  audited_at timestamptz not null default now()
);
create index ledger_audits_failed on ledger_audits (account_id) where violations > 0;
alter table ledger_audits enable row level security, force row level security;
create policy writes on ledger_audits to trivium_writer using (true) with check (true);

create table ledger_audit_rounds (
  only_row boolean primary key default true check (only_row),
  claimed_by text not null default '',
  claimed_until timestamptz not null default '-infinity',
  ended_at timestamptz not null default '-infinity',
  -- Accounts audited before are audited again, whether or not they have changed: rows may be changed behind the ledger's back.
  all_since timestamptz not null default now()
);
insert into ledger_audit_rounds default values;
grant select, insert, update on ledger_audits, ledger_audit_rounds to trivium_writer;

-- Names the account, so that nodes read its tags alone.
create trigger notify_nodes after insert or update or delete on account_tags for each row execute function trivium_notify_tags();

-- Finds accounts by a part of their id or name through an index. Row-level security keeps an index from being used with `like`, so
-- this runs as the writer, which sees all accounts, and answers operators only. Null: too many, or too short for the index; then rows
-- are filtered in their order, and the page fills soon.
create function trivium_search_accounts(part text) returns text[] language plpgsql stable security definer
  set search_path = public, pg_temp set enable_seqscan = off set enable_indexscan = off as $$
declare
  most constant integer := 10000;
  pattern constant text := '%' || replace(replace(replace(lower(part), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  found_ids text[];
begin
  if length(part) < 3 or current_setting('trivium.tenant', true) is distinct from '*' then return null; end if;
  -- Where one of a few hundred rows matches, the index would give more rows than a page needs.
  if (select count(*) >= 8 from accounts tablesample system (0.2) where lower(id || ' ' || name) like pattern) then
    return null;
  end if;
  select array_agg(a.id) into found_ids from (
    select id from accounts where lower(id || ' ' || name) like pattern limit most + 1) a;
  if cardinality(found_ids) > most then return null; end if;
  return coalesce(found_ids, '{}');
end $$;

-- Who may not give it to the writer keeps it: rows are then read as the owner sees them, without the index.
do $$ begin
  grant create on schema public to trivium_writer;
  alter function trivium_search_accounts(text) owner to trivium_writer;
  revoke create on schema public from trivium_writer;
exception when insufficient_privilege then null; end $$;
revoke all on function trivium_search_accounts(text) from public;
grant execute on function trivium_search_accounts(text) to trivium_app;

-- Routing policies that operators set while the gateway runs. A version is added for every change and never altered, so that every
-- decision can be explained; the latest of a name is in force. Null: removed.
create table policies (
  name text not null,
  version integer not null,
  policy jsonb,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (name, version)
);
alter table policies enable row level security, force row level security;
create policy operators_only on policies using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert on policies to trivium_app;

-- The accounts below these, each with the one above it: a policy of an account holds for all of them. Runs as the writer, which sees the tree,
-- and answers operators only.
create function trivium_policy_trees(roots text[]) returns table (account_id text, parent_id text) language sql stable security definer
  set search_path = public, pg_temp as $$
  with recursive below (account_id, parent_id, depth) as (
    select a.account_id, a.parent_id, 1 from ledger_accounts a where a.parent_id = any(roots)
    union
    select a.account_id, a.parent_id, b.depth + 1 from below b join ledger_accounts a on a.parent_id = b.account_id where b.depth < 8)
  select distinct b.account_id, b.parent_id from below b where current_setting('trivium.tenant', true) = '*' order by 1
$$;
do $$ begin
  grant create on schema public to trivium_writer;
  alter function trivium_policy_trees(text[]) owner to trivium_writer;
  revoke create on schema public from trivium_writer;
exception when insufficient_privilege then null; end $$;
revoke all on function trivium_policy_trees(text[]) from public;
grant execute on function trivium_policy_trees(text[]) to trivium_app;

create function trivium_tell_policies() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_policies', '');
  return null;
end $$;
create trigger tell after insert on policies for each statement execute function trivium_tell_policies();

-- An account that moves comes under the policies of others.
create trigger tell_policies after update of parent_id on ledger_accounts
  for each row when (old.parent_id is distinct from new.parent_id) execute function trivium_tell_policies();
