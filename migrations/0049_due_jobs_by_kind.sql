-- The look for due jobs asks for each kind by itself. By (due_at, kind) a lane that had nothing to do went through all that was due in others,
-- twice a second: behind a mail server that hangs these are tens of thousands.
drop index jobs_due;
create index jobs_due on jobs (kind, due_at) where failed_at is null;
