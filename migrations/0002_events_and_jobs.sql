-- What happened (events), what remains to be done (jobs) and what is done again and again (schedules).
-- All times are written by the processes' clock, none by the server's, so that every column is compared with the same clock.

-- Each change writes its event in its own transaction, so that an event exists exactly when its change does.
create table events (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  name text not null,
  kind text not null,
  -- null: the object is shared by sandbox and live.
  sandbox boolean,
  -- json, not jsonb: webhook bodies are signed over their text, and jsonb would put the keys in another order.
  payload json not null,
  response_code integer not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);

-- Serves the sweep of old events, which goes through all merchants.
create index events_by_age on events (created_at);

-- No reference to merchants: a job may clean up after a deleted merchant, and the service's own jobs have merchant 0.
create table jobs (
  merchant_id integer not null,
  id text collate "C" not null,
  kind text not null,
  key text,
  payload json not null,
  -- When it may be claimed next: its time while it waits, the end of its lease while it runs. One column serves both, so that
  -- a job whose process died becomes due again by itself.
  due_at timestamptz not null,
  is_running boolean not null default false,
  -- Rises with every claim, and when a run is told to stop. A run may only change the row while this is still the number it was given, so that a process that slept
  -- through its lease cannot end a job that another has taken over.
  claim integer not null default 0,
  attempts integer not null default 0 check (attempts >= 0),
  interruptions integer not null default 0 check (interruptions >= 0),
  max_attempts integer check (max_attempts > 0),
  last_error text,
  -- Given up; kept for a while for whoever looks into it.
  failed_at timestamptz,
  primary key (merchant_id, id),
  check (failed_at is null or not is_running)
) with (autovacuum_vacuum_scale_factor = 0.02); -- Rows come and go all day; dead ones at the head of jobs_due slow every claim.

-- Serves the claim, which goes through all merchants. The kind is in it so that jobs of unknown kinds are passed over cheaply.
create index jobs_due on jobs (due_at, kind) where failed_at is null;

-- A running job is not in it: what changes after a run began needs another run.
create unique index jobs_one_waiting_per_key on jobs (merchant_id, kind, key)
  where key is not null and not is_running and failed_at is null;

-- Serves the sweep of failed jobs.
create index jobs_failed on jobs (failed_at) where failed_at is not null;

-- One row per sweep. Small and shared by all processes; on a sharded PostgreSQL it stays on the coordinator.
create table schedules (
  name text primary key,
  next_run_at timestamptz not null,
  -- Set while it runs; a run whose process died is repeated when this has passed.
  leased_until timestamptz,
  claim integer not null default 0
);
