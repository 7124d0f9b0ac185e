-- What was paid for an order is given back in parts, what a gateway holds is taken in part, and shoppers dispute payments.

alter table orders drop constraint orders_status_payment_check;
alter table orders add constraint orders_status_payment_check
  check (status_payment in ('paid', 'not_paid', 'partially_paid', 'partially_refunded', 'refunded', 'authorized'));
-- How much of what a gift card paid was given back. Of orders that an older release has refunded is_credit_returned alone says it: all.
alter table orders add column credit_returned bigint not null default 0;
alter table orders add constraint orders_credit_returned_check check (credit_returned >= 0);

-- A charge was given back once, as a whole. Now the sum of what is given back, or about to be, never passes what was charged.
drop index order_refunds_unique;
-- Of a charge: what its refunds that are pending or complete give back. The rows say it too; this is what the database itself refuses by.
alter table order_transactions add column refunded bigint not null default 0;
update order_transactions charge
set refunded = given.amount
from (
  select merchant_id, order_id, refunds_id, sum(amount)::bigint as amount
  from order_transactions
  where type = 'refund' and status in ('pending', 'complete')
  group by merchant_id, order_id, refunds_id
) given
where charge.merchant_id = given.merchant_id and charge.order_id = given.order_id and charge.id = given.refunds_id;
alter table order_transactions add constraint order_transactions_refunded_check check (refunded between 0 and amount);
-- Of a refund: the request that it belongs to, which may be spread over several charges. Null: of an older release.
alter table order_transactions add column refund_id text collate "C";
-- Of a charge that a gateway holds: how much of it is being taken. Null: nothing is, or all of it.
alter table order_transactions add column taking bigint;
alter table order_transactions add constraint order_transactions_taking_check check (taking between 1 and amount);
-- What a provider tells of a refund is noted once.
create unique index order_refunds_told_once on order_transactions (merchant_id, order_id, gateway, gateway_transaction_id)
  where type = 'refund' and gateway_transaction_id is not null;

-- Requests to give something back.
create table order_refunds (
  merchant_id integer not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  -- complete: some of its money went back, or all. failed: none did.
  status text not null check (status in ('pending', 'complete', 'failed')),
  -- What of it goes to the gift card that paid, once its charges are given back.
  credit bigint not null check (credit >= 0),
  -- What it is for: [{"line_item_id", "quantity"}]. Empty: an amount alone.
  items json not null,
  -- These items go back into stock with it.
  is_restocking boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, order_id, id),
  foreign key (merchant_id, order_id) references orders on delete cascade
);

create table order_disputes (
  merchant_id integer not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  -- The charge that it is about.
  transaction_id text collate "C" not null,
  gateway text not null,
  gateway_dispute_id text collate "C" not null,
  status text not null check (status in ('open', 'under_review', 'won', 'lost', 'closed')),
  reason text,
  amount bigint not null check (amount >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, order_id, id),
  constraint order_disputes_told_once unique (merchant_id, order_id, gateway, gateway_dispute_id),
  foreign key (merchant_id, order_id) references orders on delete cascade
);

-- The books of the test gateways. taken: of what was set aside, null where all of it was. refunded: what refunds have given back; each
-- stands in the details by its key. Entries that an older release has refunded say so by their state alone.
alter table test_charges add column taken bigint;
alter table test_charges add constraint test_charges_taken_check check (taken between 1 and amount);
alter table test_charges add column refunded bigint not null default 0;
alter table test_charges add constraint test_charges_refunded_check check (refunded between 0 and coalesce(taken, amount));
