-- Payments that were declined, counted per checkout token, per network and per shop (docs/decisions/0088). Unlogged, as `attempts` is: a crash
-- of the database forgets the counts, and captures are spared the cost of logging them.
create unlogged table decline_counters (
  merchant_id integer not null,
  -- `live in chkt_…`, `live from 203.0.113.7`, or `live` for the whole shop.
  subject text collate "C" not null,
  declines integer not null default 0 check (declines >= 0),
  -- Captures that a gateway has been called for and has not answered. Each may still be declined.
  under_way integer not null default 0 check (under_way >= 0),
  -- No payment is begun before this moment.
  blocked_until timestamptz,
  -- From this moment on the row means nothing.
  ends_at timestamptz not null,
  primary key (merchant_id, subject)
);
-- For the sweep, which goes through all merchants.
create index decline_counters_by_end on decline_counters (ends_at);

-- The counters in which the attempt is counted as under way.
alter table capture_attempts add column slots text[] not null default '{}';
