-- Orders with their own copy of all that they show, and what happens to them later: payments, shipments, downloads.

-- The counter behind customer_reference. Gaps are fine; a row that every order locks would not be.
create sequence order_numbers;

create table orders (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  is_sandbox boolean not null,
  checkout_id text collate "C" not null,
  cart_id text collate "C",
  -- The attempt to pay that made it, and what was asked for, so that a repeated capture is known.
  attempt_id text collate "C" not null,
  body_digest bytea not null,
  -- No foreign key: the order of a customer who was deleted stays.
  customer_id text collate "C" not null,
  customer_reference text collate "C" not null,
  email text not null,
  firstname text,
  lastname text,
  phone text,
  shipping_address json,
  billing_address json,
  -- Lines, amounts, flags and all else that never changes; minor units.
  content json not null,
  meta json,
  currency text not null,
  order_value bigint not null check (order_value >= 0),
  total_due bigint not null check (total_due >= 0),
  -- Derived, and kept beside for lists.
  status_payment text not null check (status_payment in ('paid', 'not_paid', 'partially_paid', 'refunded', 'authorized')),
  status_fulfillment text not null
    check (status_fulfillment in ('fulfilled', 'not_fulfilled', 'partially_fulfilled', 'returned')),
  -- When it was first paid in full: what is digital is delivered then, and can be fetched from then on.
  paid_at timestamptz,
  -- A refund has given back what a gift card paid.
  is_credit_returned boolean not null default false,
  cancelled_at timestamptz,
  cancel_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  -- One token, one order.
  constraint orders_checkout_unique unique (merchant_id, checkout_id)
);
create index orders_by_age on orders (merchant_id, is_sandbox, created_at, id);
create index orders_by_customer on orders (merchant_id, customer_id, created_at, id);
-- For searches by how they begin. Not by any part of them: such an index would cost every capture more than it is worth.
create index orders_by_reference on orders (merchant_id, customer_reference);
create index orders_by_email on orders (merchant_id, lower(email collate "C"));

-- Charges and refunds.
create table order_transactions (
  merchant_id integer not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  payment_id text collate "C" not null,
  type text not null check (type in ('charge', 'refund')),
  status text not null check (status in ('pending', 'complete', 'cancelled', 'failed')),
  status_reason text not null,
  -- The gateway holds the money for us and has not taken it yet.
  is_authorized boolean not null default false,
  amount bigint not null check (amount >= 0),
  gateway text not null,
  payment_method_id text collate "C",
  -- The key that the gateway knows it by, chosen by us before it was asked.
  gateway_key text collate "C" not null,
  gateway_transaction_id text,
  gateway_reference text,
  payment_source_type text,
  payment_source json,
  -- Of a refund: what it gives back.
  refunds_id text collate "C",
  reason text,
  notes text not null default '',
  meta json,
  completed_at timestamptz check ((completed_at is null) = (status <> 'complete')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, order_id, id),
  foreign key (merchant_id, order_id) references orders on delete cascade
);
-- A charge is given back once, as a whole.
create unique index order_refunds_unique on order_transactions (merchant_id, order_id, refunds_id)
  where type = 'refund' and status in ('pending', 'complete');

-- What is to be shipped.
create table order_items (
  merchant_id integer not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  line_item_id text collate "C" not null,
  position integer not null,
  quantity integer not null check (quantity >= 1),
  quantity_fulfilled integer not null check (quantity_fulfilled between 0 and quantity),
  is_returned boolean not null,
  updated_at timestamptz not null,
  primary key (merchant_id, order_id, id),
  foreign key (merchant_id, order_id) references orders on delete cascade
);

create table shipments (
  merchant_id integer not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  carrier text,
  carrier_name text,
  tracking_number text,
  tracking_url text,
  shipped_on timestamptz not null,
  metadata json,
  created_at timestamptz not null,
  primary key (merchant_id, order_id, id),
  foreign key (merchant_id, order_id) references orders on delete cascade
);

create table shipment_items (
  merchant_id integer not null,
  order_id text collate "C" not null,
  shipment_id text collate "C" not null,
  item_id text collate "C" not null,
  quantity integer not null check (quantity >= 1),
  primary key (merchant_id, order_id, shipment_id, item_id),
  foreign key (merchant_id, order_id, shipment_id) references shipments on delete cascade,
  foreign key (merchant_id, order_id, item_id) references order_items on delete cascade
);

create table downloads (
  merchant_id integer not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  line_item_id text collate "C" not null,
  -- No foreign key: an asset that was deleted is gone for its buyers, too, and the order still shows what it was.
  asset_id text collate "C" not null,
  position integer not null,
  name text not null,
  ext text not null,
  size_in_bytes bigint not null,
  -- Null: any number of times.
  remaining integer check (remaining >= 0),
  -- Null until the order is paid, and where it never ends.
  expires_at timestamptz,
  is_revoked boolean not null,
  primary key (merchant_id, order_id, id),
  foreign key (merchant_id, order_id) references orders on delete cascade
);
