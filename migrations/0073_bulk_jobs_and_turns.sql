-- Bulk work (imports, batches, replays) runs one job at a time per shop. Two workers may claim two jobs of a shop in the same moment; the
-- index lets one of them have it. Set by the claim and cleared when the run ends. The release before this one clears `is_running` only.
alter table jobs add column runs_alone boolean not null default false;
create unique index jobs_one_alone_per_shop on jobs (merchant_id) where runs_alone and is_running;

-- Serves the search for shops that are hidden behind another shop's backlog, and the count of a shop's waiting jobs of one kind.
create index jobs_due_by_shop on jobs (kind, merchant_id, due_at) where failed_at is null;
