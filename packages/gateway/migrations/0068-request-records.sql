-- expand: records of requests are the rows of usage: what lists filter by, in columns, and requests that were refused, too.
alter table usage_events add column operation text;
alter table usage_events add column asked_model text;
alter table usage_events add column member_id text;
alter table usage_events add column stream boolean;
alter table usage_events add column lane text;
alter table usage_events add column attempts smallint;
alter table usage_events add column losses smallint;
alter table usage_events add column cached_tokens bigint;
alter table usage_events add column unpriced boolean;
-- Refused before it was let in: no usage, no cost, in no sum but `refused`. Of a flood only some have a row.
alter table usage_events add column refused boolean not null default false;
-- For readers that follow what is stored; rows are stored when requests end, so `received_at` does not tell.
alter table usage_events add column stored_at timestamptz default now();

create index usage_events_by_time on usage_events (received_at, request_id);
create index usage_events_by_key on usage_events (key_id, received_at, request_id);
create index usage_events_by_model on usage_events (model_id, received_at, request_id);
create index usage_events_failed on usage_events (received_at, request_id) where outcome <> 'ok';
create index usage_events_stored on usage_events using brin (stored_at) with (autosummarize = on);

-- Whose rows they are is asked once per question, and not once per row.
alter policy own_usage on usage_events using (
  account_id = (select current_setting('trivium.tenant', true)) or (select current_setting('trivium.tenant', true)) = '*');

-- Failures by who is to blame, so that a histogram over days reads sums.
alter table usage_hourly add column caller_faults bigint not null default 0;
alter table usage_hourly add column upstream_faults bigint not null default 0;
alter table usage_hourly add column gateway_faults bigint not null default 0;
alter table usage_hourly add column refused bigint not null default 0;
