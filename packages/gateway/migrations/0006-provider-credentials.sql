-- expand: what hosts ask of us, encrypted: each under a key of its own, and that one under the operator's.
create table provider_credentials (
  provider text primary key check (provider ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  sealed bytea not null,
  wrapped_key bytea not null,
  -- Which of the operator's keys wrapped it.
  wrapping text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table provider_credentials enable row level security;
alter table provider_credentials force row level security;
create policy operators_only on provider_credentials using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on provider_credentials to trivium_app;

-- Every node takes up what has changed, whoever changed it.
create function trivium_tell_credentials() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_credentials', coalesce(new.provider, old.provider));
  return null;
end $$;
create trigger tell after insert or update or delete on provider_credentials
  for each row execute function trivium_tell_credentials();
