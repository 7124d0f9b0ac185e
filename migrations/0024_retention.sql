-- What of a shop expires, and how much of what strangers can make a shop may hold.

-- A login of a customer of the sandbox, or what the sweep of old ones has found: the last sign of life beside changes of the row.
alter table customers add column seen_at timestamptz;

-- For the sweeps of what is old, which go through all merchants. Live rows are in none of those that are about the sandbox.
create index customers_sandbox_by_use on customers (greatest(updated_at, seen_at)) where is_sandbox;
create index orders_sandbox_by_age on orders (created_at) where is_sandbox;
create index test_charges_by_age on test_charges (created_at);

-- For counting and removing what one shop's sandbox holds. Ids are in the order of time; orders have orders_by_age.
create index carts_of_sandbox on carts (merchant_id, id) where is_sandbox;
create index checkouts_of_sandbox on checkouts (merchant_id, id) where is_sandbox;

-- Of what the sandbox holds as much as it may: orders, carts, checkouts. Public keys make no more of it until there is room.
alter table merchants add column full_sandbox text[] not null default '{}';
create index merchants_with_full_sandbox on merchants (merchant_id) where full_sandbox <> '{}';
