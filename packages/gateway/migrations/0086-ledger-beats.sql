-- expand: the last heartbeat of each node by number. A database with less than it has confirmed was set back to an earlier copy.
alter table ledger_nodes add column beats bigint not null default 0;

create or replace function ledger_node(c jsonb, now_ms bigint, up_since_ms bigint) returns jsonb language plpgsql as $$
declare mine ledger_nodes;
begin
  if c ->> 'do' = 'reap' then
    perform from ledger_nodes where state <> 'dead' and now_ms - greatest(beat_at_ms, up_since_ms) > 15000
      order by epoch for update;
    update ledger_nodes set state = 'dead' where state <> 'dead' and now_ms - greatest(beat_at_ms, up_since_ms) > 15000;
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
