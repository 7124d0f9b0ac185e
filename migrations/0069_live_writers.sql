-- Settings and gateways that only callers who may write live can change for live shoppers.

alter table merchants
  -- The sandbox's own values of the columns above, by their names, and under `settings` its own groups of settings, each whole. A sandbox reads
  -- them over the shop's; live shoppers never see them. Written by callers who may not write live.
  add column sandbox_own jsonb not null default '{}',
  -- Set with the first live gateway that is switched on, or the first live order, and never unset. From then on what both modes share (the
  -- catalogue, the terms) is changed only by callers who may write live.
  add column sells_live boolean not null default false;

-- For the sweep of unpaid orders: the shops where those of either mode expire. The index `merchants_expiring_orders` serves the release before
-- this one, and can go with the next.
create index merchants_with_expiring_orders on merchants (merchant_id)
  where coalesce(settings -> 'orders' ->> 'unpaid_expire_after_hours', sandbox_own -> 'settings' -> 'orders' ->> 'unpaid_expire_after_hours')
    is not null;

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
