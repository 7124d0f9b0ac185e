-- Lists that are filtered look at what they show. As in 0036, each mode has indexes of its own, which only lists name.

-- An order has three entries more. With fewer, a shop that asks for paid orders which are not shipped would go through all paid ones.
create index orders_live_by_payment on orders (merchant_id, status_payment, created_at, id) where not is_sandbox;
create index orders_test_by_payment on orders (merchant_id, status_payment, created_at, id) where is_sandbox;
create index orders_live_by_fulfillment on orders (merchant_id, status_fulfillment, created_at, id) where not is_sandbox;
create index orders_test_by_fulfillment on orders (merchant_id, status_fulfillment, created_at, id) where is_sandbox;
create index orders_live_by_statuses on orders (merchant_id, status_payment, status_fulfillment, created_at, id) where not is_sandbox;
create index orders_test_by_statuses on orders (merchant_id, status_payment, status_fulfillment, created_at, id) where is_sandbox;

-- Counted once more: orders and customers that came between 0034 and the version that keeps their counts.
delete from kept_counts where list in ('customers', 'orders');
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'customers', is_sandbox, 0, count(*) from customers group by merchant_id, is_sandbox;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'orders', is_sandbox, 0, count(*) from orders group by merchant_id, is_sandbox;
