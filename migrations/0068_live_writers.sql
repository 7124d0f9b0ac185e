-- Settings and gateways that only callers who may write live can change for live shoppers.

alter table merchants
  -- The sandbox's own values of the columns above, by their names, and under `settings` its own groups of settings, each whole. A sandbox reads
  -- them over the shop's; live shoppers never see them. Written by callers who may not write live.
  add column sandbox_own jsonb not null default '{}',
  -- Set with the first live gateway that is switched on, or the first live order, and never unset. From then on what both modes share (the
  -- catalogue, the terms) is changed only by callers who may write live.
  add column sells_live boolean not null default false;

-- For the sweep of unpaid orders: the shops where those of either mode expire, and the orders of each mode. The indexes `orders_unpaid` and
-- `merchants_expiring_orders` serve the release before this one, and can go with the next.
create index merchants_with_expiring_orders on merchants (merchant_id)
  where coalesce(settings -> 'orders' ->> 'unpaid_expire_after_hours', sandbox_own -> 'settings' -> 'orders' ->> 'unpaid_expire_after_hours')
    is not null;
create index orders_unpaid_of_mode on orders (merchant_id, is_sandbox, created_at, id)
  where status_payment = 'not_paid' and cancelled_at is null and not is_kept;

-- Gateways without credentials served both modes. Each becomes two: the live one keeps its id, which orders name, and the sandbox gets a copy.
-- (Of the codes that there are, only `manual` is meant: the others without credentials belong to the sandbox already.)
insert into payment_methods (merchant_id, id, code, is_sandbox, is_simulated, config, is_enabled, is_single, created_at, updated_at)
select merchant_id, 'gway_' || substr(id, 6, 9) || substr(md5(id), 1, 17), code, true, false, config, is_enabled, is_single, created_at, updated_at
from payment_methods
where code = 'manual' and not is_sandbox;

insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'payment_methods', false, 0, count(*) from payment_methods where code = 'manual' and is_sandbox group by merchant_id
on conflict (merchant_id, list, is_sandbox, slot) do update set total = kept_counts.total + excluded.total;

-- In a loop, because Citus cannot update a table that is on every node by rows of distributed ones.
do $$
declare
  seller integer;
begin
  for seller in
    select merchant_id from payment_methods where not is_sandbox and is_enabled and code <> 'manual'
    union
    select merchant_id from order_counters where not is_sandbox
  loop
    update merchants set sells_live = true where merchant_id = seller;
  end loop;
end
$$;
