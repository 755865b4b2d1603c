-- expand: the notification names the account, so that nodes read its tags alone. Nodes of the version before read all, as they did.
create or replace function trivium_notify_tags() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_tags', coalesce(new.account_id, old.account_id));
  return null;
end $$;
drop trigger notify_nodes on account_tags;
create trigger notify_nodes after insert or update or delete on account_tags for each row execute function trivium_notify_tags();
