-- expand: videos in the making. The row is the truth; jobs only wake whoever looks after it. An account of the configuration
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

alter table operations enable row level security;
alter table operations force row level security;
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
