-- expand: nodes are notified of messages that are due at once, so that they need not look for them every second.
create function trivium_notify_messages() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_messages', '');
  return null;
end $$;
create trigger notify_nodes after insert or update on webhook_messages for each row
  when (new.state = 'due' and new.due_at <= now()) execute function trivium_notify_messages();
create trigger notify_nodes after insert or update on alert_messages for each row
  when (new.state = 'due' and new.due_at <= now()) execute function trivium_notify_messages();
