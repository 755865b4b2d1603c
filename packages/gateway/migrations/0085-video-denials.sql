-- expand: how often the host has denied knowing a video's task, apart from polls that got no answer.
alter table operations add column denials smallint not null default 0;
