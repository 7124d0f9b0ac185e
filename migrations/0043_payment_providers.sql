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
create table provider_messages (
  merchant_id integer not null references merchants on delete cascade,
  payment_method_id text collate "C" not null,
  -- The provider's.
  id text collate "C" not null,
  received_at timestamptz not null,
  primary key (merchant_id, payment_method_id, id)
);
create index provider_messages_old on provider_messages (received_at);

-- By what a provider calls a payment: how its messages, disputes of months later too, find the order. Not of the books for trying out.
create index order_transactions_at_provider on order_transactions (gateway_transaction_id, merchant_id)
  where gateway_transaction_id is not null and type = 'charge';
-- Payments that a provider is still looking into, for the sweep that asks about them should no message come.
create index order_transactions_undecided on order_transactions (updated_at)
  where type = 'charge' and status = 'pending' and gateway_transaction_id is not null and not is_authorized;
