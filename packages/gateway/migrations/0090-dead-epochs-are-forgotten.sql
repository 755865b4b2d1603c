-- expand: epochs that have been dead for a day and left no hold open are deleted; each start of a process had left a row for ever.
grant delete on ledger_nodes to trivium_writer;

-- The last heartbeat of a deleted epoch. A process that finds its epoch gone, and whose heartbeats are not later than this, knows that the
-- database was not set back: it has lived on for a day since.
alter table ledger_book add column forgot_until_ms bigint not null default 0;
grant update (forgot_until_ms) on ledger_book to trivium_writer;

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

create or replace function ledger_node(c jsonb, now_ms bigint, up_since_ms bigint) returns jsonb language plpgsql as $$
declare mine ledger_nodes;
begin
  if c ->> 'do' = 'reap' then
    perform from ledger_nodes where state <> 'dead' and now_ms - greatest(beat_at_ms, up_since_ms) > 15000
      order by epoch for update;
    update ledger_nodes set state = 'dead' where state <> 'dead' and now_ms - greatest(beat_at_ms, up_since_ms) > 15000;
    perform ledger_forget_epochs(now_ms);
    return ledger_to_bury();
  end if;
  if c ->> 'do' = 'beat' then
    update ledger_nodes set beat_at_ms = now_ms, beats = greatest(beats, coalesce((c ->> 'count')::bigint, 0))
      where epoch = c ->> 'epoch' and state = 'alive';
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
