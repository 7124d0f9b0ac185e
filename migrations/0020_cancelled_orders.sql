-- Cancelling an order in one go, stock that comes back with it, unpaid orders that expire, and what the sandbox lets be downloaded.

-- The file itself is delivered to sandbox orders too; to all others of them a placeholder is. A download keeps what its package said.
alter table product_packages add column is_sample boolean not null default false;
alter table downloads add column is_sample boolean not null default false;

alter table orders
  -- It is to be cancelled as soon as what was paid is given back; until then nothing of it is shipped. `cancel_reason` says why.
  add column cancelling_at timestamptz,
  -- What a cancel has put back into stock, line by line; null where nothing was.
  add column restocked json,
  -- It was old enough to expire, and something of it had been shipped, or paid by a gift card: the sweep does not look at it again.
  add column is_kept boolean not null default false;

-- For the sweep of unpaid orders: only those that it has still to decide about.
create index orders_unpaid on orders (merchant_id, created_at, id)
  where status_payment = 'not_paid' and cancelled_at is null and not is_kept;

-- For the same sweep: the few merchants whose unpaid orders expire.
create index merchants_expiring_orders on merchants (merchant_id)
  where settings -> 'orders' ->> 'unpaid_expire_after_hours' is not null;
