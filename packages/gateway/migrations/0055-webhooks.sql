-- expand: where accounts want to be told of what is finished, and every message until it has arrived or is given up.
create table webhooks (
  account_id text not null references accounts (id),
  id text not null check (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  url text not null check (length(url) between 1 and 2048),
  -- What signs messages, encrypted as hosts' credentials are.
  sealed bytea not null,
  wrapped_key bytea not null,
  wrapping text not null,
  -- The secret before the last rotation signs as well until then.
  previous_sealed bytea,
  previous_wrapped_key bytea,
  previous_wrapping text,
  previous_until timestamptz,
  created_at timestamptz not null default now(),
  -- Set when its host said that it is gone for good.
  gone_at timestamptz,
  primary key (account_id, id)
);
alter table webhooks enable row level security;
alter table webhooks force row level security;
create policy own_webhooks on webhooks using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on webhooks to trivium_app;

create table webhook_messages (
  account_id text not null,
  -- The same for every try, so that receivers can tell a repetition.
  id text not null check (id ~ '^msg_[A-Za-z0-9_-]{1,64}$'),
  webhook_id text not null,
  body text not null,
  state text not null default 'due' check (state in ('due', 'delivered', 'failed')),
  tries integer not null default 0,
  -- When it is tried next, or taken to be lost by whoever tries it now.
  due_at timestamptz not null default now(),
  last_status integer,
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
);
create index webhook_messages_due on webhook_messages (due_at) where state = 'due';
create index webhook_messages_old on webhook_messages (created_at) where state <> 'due';
alter table webhook_messages enable row level security;
alter table webhook_messages force row level security;
create policy own_messages on webhook_messages using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on webhook_messages to trivium_app;
