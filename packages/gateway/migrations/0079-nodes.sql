-- expand: the processes that serve. Each writes its own row every few seconds; a row that is not renewed is deleted by any other.
create table nodes (
  id text primary key check (length(id) <= 300),
  seen_at timestamptz not null default now(),
  report jsonb not null check (pg_column_size(report) <= 8192),
  -- Its configuration without secrets, as one JSON text. Null: too large to be shown by other nodes.
  settings text check (octet_length(settings) <= 262144)
);
alter table nodes enable row level security;
alter table nodes force row level security;
create policy operators_only on nodes using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on nodes to trivium_app;
