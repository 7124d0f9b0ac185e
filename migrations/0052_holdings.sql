-- How many carts, deleted ones included, and checkout tokens a shop holds at most: counted once, and from then on what it made is added. Only
-- where that comes to more than the shop may hold is everything counted anew (docs/decisions/0061).
create table holdings (
  merchant_id integer primary key references merchants on delete cascade,
  carts bigint not null,
  checkouts bigint not null,
  -- All that was made by then is in the numbers.
  counted_at timestamptz not null
);
