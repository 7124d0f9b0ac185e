-- Pages of what has happened to an order, the newest first: by when it was, as ids of notes and of mails do not stand in one order.
create index order_history_by_age on order_history (merchant_id, order_id, created_at, id);

-- For searches of customers by how a name begins; each mode has its own, as in 0060.
create index customers_live_by_lastname on customers (merchant_id, (lower(lastname) collate "C")) where not is_sandbox;
create index customers_test_by_lastname on customers (merchant_id, (lower(lastname) collate "C")) where is_sandbox;
create index customers_live_by_name on customers (merchant_id, (lower(coalesce(firstname || ' ' || lastname, firstname, lastname)) collate "C"))
  where not is_sandbox;
create index customers_test_by_name on customers (merchant_id, (lower(coalesce(firstname || ' ' || lastname, firstname, lastname)) collate "C"))
  where is_sandbox;

-- How much of an order is counted as spent by its customer, and as of which of its changes. Where `spent_as_of` is not its last one, the sweep of
-- api/reports has yet to look at it: so also after what an older release changes, and for all orders that there are when this is applied.
-- Statements that move money clear it besides: of two changes in one millisecond the second would not be seen.
alter table orders
  add column spent bigint,
  add column spent_as_of timestamptz;
create index orders_spending_due on orders (merchant_id, is_sandbox, id) where spent_as_of is distinct from updated_at;

-- What each customer has paid in all, less what was given back, in each currency in which they have ordered. Distributed by merchant_id, beside
-- its customer.
create table customer_spending (
  merchant_id integer not null,
  customer_id text collate "C" not null,
  currency text not null,
  orders bigint not null,
  spent bigint not null,
  primary key (merchant_id, customer_id, currency),
  foreign key (merchant_id, customer_id) references customers on delete cascade
) with (fillfactor = 70);
