-- What payments at real providers need: each payment of a shopper's pays for one order, and a provider's message is read once.

alter table capture_attempts add column payment_reference text collate "C";

-- Payments that shoppers had made at a provider before the capture that names them, and the one attempt that each belongs to. Kept for good,
-- but for those of attempts that came to nothing: attempts themselves are deleted after some time.
create table payment_references (
  merchant_id integer not null references merchants on delete cascade,
  is_sandbox boolean not null,
  gateway text collate "C" not null,
  -- As the provider calls it.
  reference text collate "C" not null,
  attempt_id text collate "C" not null,
  created_at timestamptz not null,
  primary key (merchant_id, is_sandbox, gateway, reference)
);

-- Messages of providers that have been read, so that each is read once.
create table gateway_messages (
  merchant_id integer not null references merchants on delete cascade,
  payment_method_id text collate "C" not null,
  -- The provider's.
  id text collate "C" not null,
  received_at timestamptz not null,
  primary key (merchant_id, payment_method_id, id)
);
create index gateway_messages_old on gateway_messages (received_at);
