-- Where a sweep has stopped that is not through in one run, {"carts 12": the last id}: the next run may be another process's.
alter table schedules add column places jsonb not null default '{}';
