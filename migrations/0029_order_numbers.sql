-- The numbers of orders count for each shop and mode (docs/decisions/0026). A number is taken before the transaction that makes the order,
-- so that captures of one shop do not wait for each other's orders.

create table order_counters (
  merchant_id integer not null references merchants on delete cascade,
  is_sandbox boolean not null,
  -- The last number that was taken. An order may be missing of it: a capture that failed afterwards.
  last_number bigint not null,
  primary key (merchant_id, is_sandbox)
) with (fillfactor = 20);

-- First this, and then the orders: it waits for those that are being made with a number of the sequence, and a process of an older checkout
-- that still runs can take no further one, which a counter would give once more. Its capture stays open, and is made an order by a newer one.
drop sequence order_numbers;

-- Orders keep their numbers, and counting goes on above the greatest. A number stands behind the last dash.
insert into order_counters (merchant_id, is_sandbox, last_number)
select merchant_id, is_sandbox, max(substring(customer_reference from '-([0-9]{1,18})$')::bigint)
from orders
where customer_reference ~ '-[0-9]{1,18}$'
group by merchant_id, is_sandbox;
