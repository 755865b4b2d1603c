-- expand: people who are signed in at the admin listener, and codes that sign in once. Of both only the SHA-256 is stored.
create table sessions (
  hash bytea primary key check (octet_length(hash) = 32),
  kind text not null check (kind in ('operator', 'key', 'member')),
  method text not null check (method in ('secret', 'key', 'code', 'oidc')),
  -- SHA-256 of the secret or key it was opened with: it lives no longer than that.
  credential bytea check (octet_length(credential) = 32),
  account_id text,
  member_id text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  foreign key (account_id, member_id) references members (account_id, id),
  check ((kind = 'member') = (account_id is not null and member_id is not null))
);
create index sessions_by_member on sessions (account_id, member_id) where member_id is not null;
alter table sessions enable row level security;
alter table sessions force row level security;
create policy operators_only on sessions using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on sessions to trivium_app;

create table sign_in_codes (
  hash bytea primary key check (octet_length(hash) = 32),
  -- Null: for an operator.
  account_id text,
  member_id text,
  expires_at timestamptz not null,
  foreign key (account_id, member_id) references members (account_id, id),
  check ((account_id is null) = (member_id is null))
);
alter table sign_in_codes enable row level security;
alter table sign_in_codes force row level security;
create policy operators_only on sign_in_codes using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, delete on sign_in_codes to trivium_app;

-- Who a member is at an issuer. One subject may be a member of several accounts.
create table member_identities (
  account_id text not null,
  issuer text not null,
  subject text not null,
  member_id text not null,
  created_at timestamptz not null default now(),
  primary key (issuer, subject, account_id),
  foreign key (account_id, member_id) references members (account_id, id)
);
create index member_identities_by_member on member_identities (account_id, member_id);
alter table member_identities enable row level security;
alter table member_identities force row level security;
create policy own_identities on member_identities using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert on member_identities to trivium_app;
