-- expand: the secrets operators present at the admin API, as SHA-256. Only the operator's transactions see them.
create table operator_secrets (
  hash bytea primary key check (octet_length(hash) = 32),
  -- The one made at the first start: there is at most one, whoever starts first.
  is_first boolean unique check (is_first),
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
alter table operator_secrets enable row level security;
alter table operator_secrets force row level security;
create policy operators_only on operator_secrets using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update on operator_secrets to trivium_app;
