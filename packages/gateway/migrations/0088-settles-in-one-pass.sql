-- expand: settles of a batch that are all plain are judged and posted by one statement, which takes the commands apart once and reads each
-- lease and account once. Answers, entries, their order and their hashes are those of `ledger_settle_run`, which is still there for runs
-- with repeated or late settles. The functions that the release before calls keep their names and parameters.

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

-- The accounts of a batch and those above them, in one order. A parent may change until its account is locked: then once more.
create or replace function ledger_lock_accounts(commands jsonb) returns void language plpgsql
  set enable_seqscan = off as $$
declare named text[]; wanted text[]; locked text[];
begin
  with given as materialized (select * from jsonb_to_recordset(commands) as c (account text, parent text))
  select coalesce(array_agg(id), '{}') into named
    from (select account as id from given union select parent from given) ids where id is not null;
  loop
    -- By the index of parents, which is empty where there is no tree.
    perform from ledger_accounts where parent_id is not null order by parent_id limit 1;
    if found then
      select coalesce(array_agg(id order by id), '{}') into wanted from (
        select distinct id from unnest(named) as one, unnest(ledger_line(one)) as id) lines;
    else
      wanted := named;
    end if;
    exit when wanted is not distinct from locked;
    perform from ledger_accounts where account_id = any(wanted) order by account_id for update;
    locked := wanted;
  end loop;
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

create or replace function ledger_apply_at(commands jsonb, now_ms bigint, up_since_ms bigint) returns jsonb language plpgsql as $$
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
