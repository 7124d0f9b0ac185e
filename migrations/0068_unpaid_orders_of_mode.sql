-- For the sweep of unpaid orders: the orders of each mode. By itself, before 0069 locks merchants: on a large table this takes a while. The index
-- `orders_unpaid` serves the release before this one, and can go with the next.
create index orders_unpaid_of_mode on orders (merchant_id, is_sandbox, created_at, id)
  where status_payment = 'not_paid' and cancelled_at is null and not is_kept;
