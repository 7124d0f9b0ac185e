-- While a table is empty PostgreSQL believes that the rows of one merchant are one row. To it, an index that begins with merchant_id is then
-- as good as the whole key, of those the newest wins, and the plan stays when the table has filled up: each charge that was inserted looked
-- through all orders of the shop for its own. So beside the primary key no index that a look-up by key could use begins with merchant_id.
-- It begins with what is looked up, or is of one mode alone, which only lists name: docs/decisions/0032.

-- Under their old names, which errors show.
alter table orders drop constraint orders_checkout_unique,
  add constraint orders_checkout_unique unique (checkout_id, merchant_id);
alter table customers drop constraint customers_email_unique,
  add constraint customers_email_unique unique (email_key, merchant_id, is_sandbox);

drop index orders_by_age;
create index orders_live_by_age on orders (merchant_id, created_at, id) where not is_sandbox;
create index orders_test_by_age on orders (merchant_id, created_at, id) where is_sandbox;
drop index orders_by_customer;
create index orders_by_customer on orders (customer_id, merchant_id, created_at, id);
drop index orders_by_reference;
create index orders_live_by_reference on orders (merchant_id, customer_reference) where not is_sandbox;
create index orders_test_by_reference on orders (merchant_id, customer_reference) where is_sandbox;
drop index orders_by_email;
create index orders_live_by_email on orders (merchant_id, lower(email collate "C")) where not is_sandbox;
create index orders_test_by_email on orders (merchant_id, lower(email collate "C")) where is_sandbox;
drop index orders_paid_by_email;
create index orders_paid_by_email on orders (lower(email collate "C"), merchant_id)
  where paid_at is not null and order_value > 0 and not is_sandbox;

drop index customers_by_age;
create index customers_live_by_age on customers (merchant_id, created_at, id) where not is_sandbox;
create index customers_test_by_age on customers (merchant_id, created_at, id) where is_sandbox;
-- For searches by how it begins.
create index customers_live_by_email on customers (merchant_id, email_key) where not is_sandbox;
create index customers_test_by_email on customers (merchant_id, email_key) where is_sandbox;
drop index customers_by_external_id;
create index customers_by_external_id on customers (external_id, merchant_id, is_sandbox) where external_id is not null;
