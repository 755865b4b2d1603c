-- expand: answers by Idempotency-Key, encrypted under the data key of their account: whoever deletes that key erases them. Answers of
-- accounts that can have no such key stay as they are, and nodes of the release before take an encrypted one for a call under way.
alter table repeats add column data_key_id text references capture_keys (id) on delete cascade;
alter table repeats add column sealed bytea;
alter table repeats alter column sealed set storage external;
alter table repeats drop constraint repeats_check;
create index repeats_by_data_key on repeats (data_key_id) where data_key_id is not null;
