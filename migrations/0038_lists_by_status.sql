-- Lists that are filtered look at what they show. As in 0035, each mode has indexes of its own, which only lists name.

-- An order has three entries more. With fewer, a shop that asks for paid orders which are not shipped would go through all paid ones.
create index orders_live_by_payment on orders (merchant_id, status_payment, created_at, id) where not is_sandbox;
create index orders_test_by_payment on orders (merchant_id, status_payment, created_at, id) where is_sandbox;
create index orders_live_by_fulfillment on orders (merchant_id, status_fulfillment, created_at, id) where not is_sandbox;
create index orders_test_by_fulfillment on orders (merchant_id, status_fulfillment, created_at, id) where is_sandbox;
create index orders_live_by_statuses on orders (merchant_id, status_payment, status_fulfillment, created_at, id) where not is_sandbox;
create index orders_test_by_statuses on orders (merchant_id, status_payment, status_fulfillment, created_at, id) where is_sandbox;
