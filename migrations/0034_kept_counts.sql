-- How many rows a list has, kept beside it: a list of a hundred thousand says its total without counting them.

-- Written in the transaction that adds or takes away a row. One count lies in several slots, so that two who write at the same moment do
-- not wait for each other; the count is their sum.
create table kept_counts (
  merchant_id integer not null references merchants on delete cascade,
  list text collate "C" not null,
  -- False for what sandbox and live share.
  is_sandbox boolean not null,
  slot smallint not null,
  total bigint not null,
  primary key (merchant_id, list, is_sandbox, slot)
) with (fillfactor = 70);

insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'products', false, 0, count(*) from products group by merchant_id;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'active_products', false, 0, count(*) from products where is_active group by merchant_id;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'categories', false, 0, count(*) from categories group by merchant_id;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'attributes', false, 0, count(*) from attributes group by merchant_id;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'assets', false, 0, count(*) from assets group by merchant_id;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'shipping_zones', false, 0, count(*) from shipping_zones group by merchant_id;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'tax_zones', false, 0, count(*) from tax_zones group by merchant_id;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'discounts', false, 0, count(*) from discounts group by merchant_id;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'gift_cards', false, 0, count(*) from gift_cards group by merchant_id;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'customers', is_sandbox, 0, count(*) from customers group by merchant_id, is_sandbox;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'orders', is_sandbox, 0, count(*) from orders group by merchant_id, is_sandbox;
