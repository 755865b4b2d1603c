-- expand: people as their identity provider's directory (SCIM) and their sign-ins name them. Names may come twice, when one is given to
-- another person: rows of one name, subject or external id are out together.
create table directory_users (
  account_id text not null,
  issuer text not null,
  member_id text not null,
  -- At sign-in; null before the first.
  subject text,
  user_name text not null check (length(user_name) between 1 and 320),
  external_id text check (length(external_id) between 1 and 320),
  -- The directory made it: sign-ins do not rename it.
  is_provisioned boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The directory says that the person is out; and that it does not know the user any more.
  inactive_at timestamptz,
  deleted_at timestamptz,
  primary key (account_id, issuer, member_id),
  foreign key (account_id, member_id) references members (account_id, id)
);
create index directory_users_by_name on directory_users (account_id, issuer, lower(user_name));
create index directory_users_by_subject on directory_users (issuer, subject) where subject is not null;
create index directory_users_by_external_id on directory_users (issuer, external_id) where external_id is not null;
alter table directory_users enable row level security;
alter table directory_users force row level security;
create policy own_users on directory_users using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update on directory_users to trivium_app;

-- Whose session it is at the identity provider that signed it in, so that a logout there ends it here.
alter table sessions add column issuer text, add column subject text, add column sid text;
create index sessions_by_subject on sessions (issuer, subject) where issuer is not null;
-- What ends with a member ends in the transaction of its account.
create policy of_account_seen on sessions for select using (trivium_sees(account_id));
create policy of_account_ended on sessions for delete using (trivium_sees(account_id));
create policy of_account_seen on sign_in_codes for select using (trivium_sees(account_id));
create policy of_account_ended on sign_in_codes for delete using (trivium_sees(account_id));

-- Logout tokens that were used: each works once. Of their ids only the SHA-256 is stored.
create table logout_tokens (
  hash bytea primary key check (octet_length(hash) = 32),
  expires_at timestamptz not null
);
alter table logout_tokens enable row level security;
alter table logout_tokens force row level security;
create policy operators_only on logout_tokens using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, delete on logout_tokens to trivium_app;

-- Who has signed in so far, so that a directory finds them by name: what they sign in with is known after the next time.
select set_config('trivium.tenant', '*', true);
insert into directory_users (account_id, issuer, member_id, subject, user_name)
  select i.account_id, i.issuer, i.member_id, i.subject, coalesce(m.email, left(i.subject, 320))
  from member_identities i join members m on m.account_id = i.account_id and m.id = i.member_id
  where i.subject <> '' on conflict do nothing;
select set_config('trivium.tenant', '', true);
