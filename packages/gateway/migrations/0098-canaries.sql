-- expand: canaries of routing policies that have stepped back. `canary` is what it said at the time: one that is changed begins anew. The first
-- node that inserts the row is the one that announces it; an operator resumes the canary by deleting it.
create table canary_step_backs (
  policy text not null,
  canary text not null,
  reason jsonb not null,
  stepped_back_at timestamptz not null default now(),
  primary key (policy, canary)
);
alter table canary_step_backs enable row level security;
alter table canary_step_backs force row level security;
create policy operators_only on canary_step_backs using (trivium_sees('*')) with check (trivium_sees('*'));
grant select, insert, delete on canary_step_backs to trivium_app;
create trigger tell after insert or delete on canary_step_backs for each statement execute function trivium_tell_policies();
