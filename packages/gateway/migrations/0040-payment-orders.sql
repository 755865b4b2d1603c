-- expand: what an account has agreed to pay, and what it gets for it. A payment without an order credits nobody.
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
alter table payment_orders enable row level security;
alter table payment_orders force row level security;
create policy own_orders on payment_orders using (trivium_sees(account_id)) with check (trivium_sees(account_id));
grant select, insert, update on payment_orders to trivium_app;
