-- What an account has agreed to pay, and what it gets for it. A payment without an order credits nobody.
create table payment_orders (
  account_id text not null references accounts (id),
  id text not null check (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  provider text not null check (length(provider) between 1 and 64),
  -- In the smallest unit of the currency, as payment providers count.
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  credit_nano bigint not null check (credit_nano > 0),
  state text not null default 'open' check (state in ('open', 'paid')),
  event_id text,
  created_at timestamptz not null default now(),
  paid_at timestamptz,
  primary key (account_id, id),
  unique (id),
  -- One event pays one order.
  unique (provider, event_id),
  check ((state = 'paid') = (event_id is not null and paid_at is not null))
);
alter table payment_orders enable row level security, force row level security;
create policy own_orders on payment_orders using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update on payment_orders to trivium_app;

-- Videos in the making. The row is the truth; jobs only wake whoever looks after it. An account of the configuration
-- file has no row in accounts, so there is no reference to it.
create table operations (
  id text primary key check (length(id) >= 22),
  account_id text not null,
  key_id text not null,
  -- Of the request that asked for it; the hold has the same id.
  request_id text not null,
  protocol text not null,
  idempotency_key text check (length(idempotency_key) between 1 and 255),
  -- SHA-256 of all that must be the same under one key.
  content bytea not null check (length(content) = 32),
  -- As the caller spelled it, for the operation's name; and the one it means.
  model text not null,
  model_id text not null,
  provider text not null,
  dialect text not null,
  -- Host, model and credential it was ordered with: whoever asks after it uses the same.
  route_key text not null,
  -- What asking after it and charging for it need. No words and no frames of the caller's.
  ordered jsonb not null,
  state text not null check (state in ('submitting', 'running', 'unknown', 'done', 'failed', 'cancelled', 'refused')),
  task jsonb,
  percent smallint,
  -- Questions in a row that brought no answer.
  unanswered integer not null default 0,
  result jsonb,
  fault jsonb,
  -- For the operator.
  note text,
  received_at timestamptz not null,
  created_at timestamptz not null default now(),
  next_at timestamptz not null,
  deadline_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz not null,
  -- How often the host has denied knowing the task, apart from polls that got no answer.
  denials smallint not null default 0,
  check ((state in ('done', 'failed', 'cancelled', 'refused')) = (finished_at is not null)),
  check ((state = 'done') = (result is not null)),
  check ((state in ('failed', 'cancelled', 'refused')) = (fault is not null)),
  check (state <> 'running' or task is not null)
);

-- A refused one leaves its key free.
create unique index operations_by_key on operations (account_id, idempotency_key)
  where idempotency_key is not null and state <> 'refused';
create index operations_of_account on operations (account_id, created_at desc, id);
create index operations_due on operations (next_at) where finished_at is null;
create index operations_by_expiry on operations (expires_at) where finished_at is not null;
alter table operations enable row level security, force row level security;
create policy own_operations on operations for select to trivium_app using (trivium_sees(account_id));
create policy writer_operations on operations to trivium_writer using (true) with check (true);
grant select on operations to trivium_app;
grant select, insert, update, delete on operations to trivium_writer;

-- No bug of ours can end one twice.
create function operations_end_once() returns trigger language plpgsql as $$
begin
  raise exception 'operation % has ended as %', old.id, old.state;
end $$;
create trigger end_once before update on operations for each row
  when (old.finished_at is not null and (old.state, old.finished_at) is distinct from (new.state, new.finished_at))
  execute function operations_end_once();

-- Where accounts want to be told of what is finished, and every message until it has arrived or is given up.
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
  -- Which events an account's webhook gets; null, as before: the ends of operations.
  events text[],
  primary key (account_id, id)
);
alter table webhooks enable row level security, force row level security;
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
  event text,
  last_problem text,
  last_tried_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
);
create index webhook_messages_due on webhook_messages (due_at) where state = 'due';
create index webhook_messages_old on webhook_messages (created_at) where state <> 'due';
alter table webhook_messages enable row level security, force row level security;
create policy own_messages on webhook_messages using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update, delete on webhook_messages to trivium_app;

-- Requests whose row of usage may say something else than the ledger has charged, until the two agree.
create table usage_unmatched (
  account_id text not null,
  request_id text not null,
  listed_at timestamptz not null default now(),
  look_at timestamptz not null default now(),
  primary key (account_id, request_id)
);
create index usage_unmatched_due on usage_unmatched (look_at);
alter table usage_unmatched enable row level security, force row level security;
create policy writes on usage_unmatched to trivium_writer using (true) with check (true);
grant select, insert, update, delete on usage_unmatched to trivium_writer;
grant update (cost_nano, price_version) on usage_events to trivium_writer;

-- What the ledger could not charge any more, the row of usage must not show as charged.
create function trivium_list_forgone() returns trigger language plpgsql as $$
begin
  insert into usage_unmatched (account_id, request_id) values (new.account_id, new.id) on conflict do nothing;
  return null;
end $$;
create trigger list_forgone after insert or update of forgone on ledger_holds for each row
  when (new.forgone > 0 and new.kind = 'request') execute function trivium_list_forgone();
