-- How often something that may be guessed at was tried, per window of time. Unlogged: a crash of the database forgets the counts,
-- and every other write of a shop is spared their cost.

create unlogged table attempts (
  merchant_id integer not null,
  -- What is being tried and by whom, such as `code sandbox cart_…` or `code live 203.0.113.7`.
  subject text collate "C" not null,
  count integer not null check (count >= 1),
  resets_at timestamptz not null,
  primary key (merchant_id, subject)
);
-- For the sweep, which goes through all merchants.
create index attempts_by_end on attempts (resets_at);
