-- expand: an order of rows of usage that no late commit slips behind: the number of the transaction that wrote or changed them.
-- Rows from before have none; who follows reads them by day.
alter table usage_events add column stored_tx bigint;
alter table usage_events alter column stored_tx set default (pg_current_xact_id()::text::bigint);
create index usage_events_by_tx on usage_events (stored_tx) where stored_tx is not null;

create function trivium_usage_changed() returns trigger language plpgsql as $$
begin
  new.stored_tx := pg_current_xact_id()::text::bigint;
  return new;
end $$;
create trigger usage_events_changed before update on usage_events
  for each row execute function trivium_usage_changed();

-- How far the copy of the records in an analytics database has come; one row for the one there is.
create table record_sinks (
  -- The mark that the destination bears: another one there is filled from the beginning.
  id text primary key,
  -- Of the server that numbers the transactions: after a restore into another the numbers mean nothing.
  server text not null,
  -- Later readings of a row bear a higher version. Also the fence: who has been overtaken can no longer move the position.
  version bigint not null,
  -- While rows from before are read: by day and id. Then: by transaction, day and id.
  is_filling boolean not null,
  next_tx bigint not null,
  after_day date not null,
  after_request text not null,
  -- The first day that the copy has in full.
  covered_from date not null
);
grant select, insert, update, delete on record_sinks to trivium_writer;

create policy reads on usage_tag_values for select to trivium_app using (trivium_sees('*'));
grant select on usage_tag_values to trivium_app;
