-- Webhooks: who wants to hear of which events (webhooks), and what has become of each telling (deliveries).

-- By whom an event was caused and what it is about, so that both can be asked for.
alter table events add column request_id text;
alter table events add column object_id text collate "C";

-- Serves the events of one thing, such as an order, newest first. Not by the id itself: to a planner that sees an empty table the primary key
-- would do as well, and all of the shop's events be read.
create index events_of_object on events (merchant_id, object_id, (id || '')) where object_id is not null;

create table webhooks (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  is_sandbox boolean not null,
  -- listen: somebody comes and fetches the deliveries, so that there is no address.
  transport text not null check (transport in ('http', 'listen')),
  url text,
  -- Names of events; '*' stands for all but those that hold a login.
  subscribed_events text[] not null,
  description text not null,
  -- The date of the API version that payloads are shaped for.
  version text not null,
  -- What deliveries are signed with, sealed where the service has a key to seal with; and the one before, until receivers know the new one.
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  disabled_reason text check (disabled_reason in ('by_you', 'gone', 'failures')),
  disabled_at timestamptz,
  -- How it stands with the receiver: since when nothing has arrived, how many attempts have failed since, and how many of them were the
  -- first of their delivery.
  failing_since timestamptz,
  failures integer not null default 0,
  first_failures integer not null default 0,
  -- How often its merchant was told that it fails.
  warnings integer not null default 0,
  last_delivered_at timestamptz,
  -- The receiver is taken for dead: deliveries wait in line, and one at a time tries whether it is back. So many have tried in vain.
  is_held boolean not null default false,
  probes integer not null default 0,
  -- When the next of its line is to be sent; null where nothing waits in line. A process that serves a line pushes it ahead, so that another
  -- takes over if it dies.
  turn_at timestamptz,
  -- Rises whenever something is put in line, so that nobody ends a line to which something has just been added.
  turn integer not null default 0,
  -- Until then its line is looked at though it was empty: a change that began while the receiver was held may still put something in.
  line_kept_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check ((transport = 'http') = (url is not null)),
  check ((disabled_reason is null) = (disabled_at is null))
);

-- Serves the search for lines to be served, which goes through all merchants.
create index webhooks_with_a_line on webhooks (turn_at) where turn_at is not null;

-- Serves the list of those that fail, which goes through all merchants.
create index webhooks_failing on webhooks (failing_since) where failing_since is not null;

-- One row for each event and each webhook that wants it, written with the event. No references: rows of a webhook that is gone are passed over
-- and swept, and checking them would cost each change of the shop.
create table deliveries (
  merchant_id integer not null,
  webhook_id text collate "C" not null,
  -- Made of the ids of the event and of the webhook: there is one, and it sorts by age.
  id text collate "C" not null,
  event_id text collate "C" not null,
  event text not null,
  object_id text collate "C",
  state text not null check (state in ('pending', 'sending', 'retrying', 'delivered', 'failed', 'skipped')),
  -- When it may be sent next, or, while it is being sent, when the sender counts as dead. null: it waits in line, or nothing more is sent.
  due_at timestamptz,
  is_in_line boolean not null default false,
  -- Rises whenever somebody takes it, so that one who slept meanwhile cannot record an answer any more.
  claim integer not null default 0,
  attempts integer not null default 0,
  -- Of these attempts, those before it was last asked to be sent again: they do not count against it.
  earlier_attempts integer not null default 0,
  last_status integer,
  last_error text,
  -- What each attempt sent and heard.
  log jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, webhook_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);

-- Serves the search for what is due, which goes through all merchants. What waits in line is not in it: a receiver that is slow or dead must not
-- fill it.
create index deliveries_due on deliveries (due_at) where due_at is not null and not is_in_line;

-- Serves a line: what was tried least comes first, the oldest of it.
create index deliveries_in_line on deliveries (merchant_id, webhook_id, attempts, id) where is_in_line;

-- Serves lists by state: what was delivered is nearly all, and found by age.
create index deliveries_not_delivered on deliveries (merchant_id, webhook_id, state, id) where state <> 'delivered';

-- Serves the sweep of old deliveries.
create index deliveries_by_age on deliveries (created_at);
