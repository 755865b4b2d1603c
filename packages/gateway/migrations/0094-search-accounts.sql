-- expand: finds accounts by a part of their id or name through an index. Row-level security keeps an index from being used with `like`, so
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
