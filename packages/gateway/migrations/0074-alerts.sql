-- expand: alerts of operators and accounts, where they are sent, and what became of every delivery.
create table alerts (
  id text primary key check (id ~ '^alr_[A-Za-z0-9_-]{1,64}$'),
  kind text not null,
  -- Null: for operators only.
  account_id text,
  subject text not null,
  -- An alert is raised once for its kind, subject and window, however many nodes notice.
  window_key text not null,
  title text not null,
  detail jsonb not null,
  raised_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  resolved_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by text,
  unique (kind, subject, window_key)
);
create index alerts_by_time on alerts (raised_at desc, id desc);
create index alerts_by_account on alerts (account_id, raised_at desc) where account_id is not null;
create index alerts_unresolved on alerts (kind, subject) where resolved_at is null;
alter table alerts enable row level security;
alter table alerts force row level security;
create policy own_alerts on alerts using (trivium_sees(coalesce(account_id, '*')))
  with check (trivium_sees(coalesce(account_id, '*')));
grant select, insert, update, delete on alerts to trivium_app;

-- One row: when some node last looked for alerts that stand in the database.
create table alert_rounds (
  is_only boolean primary key default true check (is_only),
  checked_at timestamptz not null default '-infinity'
);
insert into alert_rounds default values;
grant select, update on alert_rounds to trivium_app;

-- Operators' destinations. Addresses are often secrets themselves, so they are encrypted as a whole.
create table alert_destinations (
  id text primary key check (id ~ '^dst_[A-Za-z0-9_-]{1,64}$'),
  kind text not null check (kind in ('webhook', 'slack', 'teams', 'discord', 'mail')),
  name text not null check (length(name) between 1 and 200),
  -- For people: the host of a URL, or the addresses of mail.
  shown text not null,
  sealed bytea not null,
  wrapped_key bytea not null,
  wrapping text not null,
  -- Null: every kind.
  events text[],
  created_at timestamptz not null default now(),
  -- Set when its host said that it is gone for good.
  gone_at timestamptz
);
alter table alert_destinations enable row level security;
alter table alert_destinations force row level security;
create policy operators_destinations on alert_destinations using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on alert_destinations to trivium_app;

create table alert_messages (
  id text primary key check (id ~ '^msg_[A-Za-z0-9_-]{1,64}$'),
  destination_id text not null references alert_destinations (id) on delete cascade,
  event text not null,
  body text not null,
  state text not null default 'due' check (state in ('due', 'delivered', 'failed')),
  tries integer not null default 0,
  due_at timestamptz not null default now(),
  last_status integer,
  last_problem text,
  last_tried_at timestamptz,
  created_at timestamptz not null default now()
);
create index alert_messages_due on alert_messages (due_at) where state = 'due';
create index alert_messages_by_destination on alert_messages (destination_id, created_at desc, id desc);
create index alert_messages_old on alert_messages (created_at) where state <> 'due';
alter table alert_messages enable row level security;
alter table alert_messages force row level security;
create policy operators_messages on alert_messages using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, update, delete on alert_messages to trivium_app;

-- Which events an account's webhook gets; null, as before: the ends of operations.
alter table webhooks add column events text[];
alter table webhook_messages add column event text;
alter table webhook_messages add column last_problem text;
alter table webhook_messages add column last_tried_at timestamptz;
create index webhook_messages_by_webhook on webhook_messages (account_id, webhook_id, created_at desc, id desc);

create index keys_by_expiry on keys (expires_at) where expires_at is not null and revoked_at is null;
