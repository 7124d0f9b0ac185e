-- Carts that were left with something in them are told of, once (docs/decisions/0066). Null: this one was not.
alter table carts add column abandoned_at timestamptz;

-- When a cart is looked at: a day after it was made, and where it was changed since, a day after that. Written by the sweep alone, so that a change of
-- a cart costs nothing more: by an index of when carts were changed, each change would write to all of their indexes.
create table cart_looks (
  merchant_id integer not null references merchants on delete cascade,
  -- No foreign key: a cart that is gone is found to be, within a day, and deleting carts costs nothing more either.
  cart_id text collate "C" not null,
  due_at timestamptz not null,
  primary key (merchant_id, cart_id)
);
create index cart_looks_due on cart_looks (due_at, merchant_id, cart_id);

-- Whether an order was made of a cart.
create index orders_by_cart on orders (merchant_id, cart_id) where cart_id is not null;
