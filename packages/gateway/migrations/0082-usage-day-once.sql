-- expand: two nodes that need the partition of a new day at once. Who had to wait for the other may still not see it in the caches of
-- the catalogue, which a lock of ours does not refresh: what is there already is no error.
create or replace function trivium_usage_day(wanted date) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  name text := 'usage_events_' || to_char(wanted, 'YYYYMMDD');
begin
  if wanted not between current_date - 400 and current_date + 2 then
    raise exception 'no partition for %', wanted using errcode = '22008';
  end if;
  if to_regclass(name) is not null then return; end if;
  perform pg_advisory_xact_lock(7214311);
  execute format('create table %I partition of usage_events for values from (%L) to (%L)', name, wanted, wanted + 1);
exception when duplicate_table then
  null;
end $$;
