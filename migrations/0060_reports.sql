-- Reports of a shop: what was sold on each day, what is to be done, and which goods run out. docs/decisions/0071.

-- In the sales of which day the order is counted, in the time zone that the shop had then, and whether its customer had ordered before. Null: in
-- none. An order is counted unless it was cancelled; where the row says something else, the sweep of api/reports has yet to look at it. So whatever
-- an older release makes or cancels is counted too, and all that there is when this is applied.
alter table orders
  add column sales_day date,
  add column is_returning boolean;
create index orders_sales_due on orders (merchant_id, is_sandbox, id) where (sales_day is null) = (cancelled_at is null);

-- What was ordered on a day, without what was cancelled. Distributed by merchant_id, like all that is a shop's.
create table order_days (
  merchant_id integer not null references merchants on delete cascade,
  is_sandbox boolean not null,
  day date not null,
  orders bigint not null,
  -- Of these, orders of customers who had ordered before.
  returning_orders bigint not null,
  amount bigint not null,
  primary key (merchant_id, is_sandbox, day)
) with (fillfactor = 70);

-- The same of each product: its lines, less discounts. `name` is what the product was called in the order that was counted last.
create table sales_days (
  merchant_id integer not null references merchants on delete cascade,
  is_sandbox boolean not null,
  day date not null,
  product_id text collate "C" not null,
  name text not null,
  quantity bigint not null,
  amount bigint not null,
  primary key (merchant_id, is_sandbox, day, product_id)
) with (fillfactor = 70);

-- What is to be done about an order, as TO_DO of api/orders/list-store.ts says it: an order is in it once, or not at all.
create index orders_to_do on orders (
  merchant_id, is_sandbox,
  (case
    when cancelled_at is not null then null
    when status_payment in ('not_paid', 'partially_paid', 'authorized') then 'unpaid'
    when status_payment in ('paid', 'partially_refunded') and status_fulfillment in ('not_fulfilled', 'partially_fulfilled') then 'unshipped'
  end),
  created_at, id
) where (case
    when cancelled_at is not null then null
    when status_payment in ('not_paid', 'partially_paid', 'authorized') then 'unpaid'
    when status_payment in ('paid', 'partially_refunded') and status_fulfillment in ('not_fulfilled', 'partially_fulfilled') then 'unshipped'
  end) is not null;
create index orders_cancelled on orders (merchant_id, is_sandbox, created_at, id) where cancelled_at is not null;

-- For searches by how a name begins; each mode has its own, as in 0035.
create index orders_live_by_lastname on orders (merchant_id, (lower(lastname) collate "C")) where not is_sandbox;
create index orders_test_by_lastname on orders (merchant_id, (lower(lastname) collate "C")) where is_sandbox;
create index orders_live_by_name on orders (merchant_id, (lower(coalesce(firstname || ' ' || lastname, firstname, lastname)) collate "C"))
  where not is_sandbox;
create index orders_test_by_name on orders (merchant_id, (lower(coalesce(firstname || ' ' || lastname, firstname, lastname)) collate "C"))
  where is_sandbox;

-- Goods that run out, by how many are left. As in 0048 a column of its own: it changes with the last twenty sales of an item alone, and so do the
-- indexes.
alter table stock add column few_left smallint generated always as (case when available < 20 then available::smallint end) stored;
create index stock_few_left on stock (merchant_id, is_sandbox, few_left, item_id) where few_left is not null;
