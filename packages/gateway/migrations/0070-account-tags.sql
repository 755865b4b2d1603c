-- expand: tags an account has declared. Sums and budgets go by these and by no others, so that callers cannot make up columns.
create table account_tags (
  account_id text not null references accounts (id),
  key text not null check (key ~ '^[a-z][a-z0-9_.-]{0,39}$'),
  -- Requests without it are refused.
  required boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
alter table account_tags enable row level security;
alter table account_tags force row level security;
create policy own_tags on account_tags using (trivium_sees(account_id)) with check (trivium_sees(account_id));
create policy writer_reads on account_tags for select to trivium_writer using (true);
grant select, insert, update, delete on account_tags to trivium_app;
grant select on account_tags to trivium_writer;

create function trivium_notify_tags() returns trigger language plpgsql as $$
begin
  perform pg_notify('trivium_tags', '');
  return null;
end $$;
create trigger notify_nodes after insert or update or delete on account_tags for each statement execute function trivium_notify_tags();
