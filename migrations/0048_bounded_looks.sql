-- Looks that went through more rows than they found.

-- Whether a product is sold out is asked by every read of it. It is told by a few rows, however many variants there are.

-- Which items have any left, by an index. A column of its own, and not `available` in the index: an update of a column that an index knows
-- writes every index of the table anew, and each sale changes `available`. This one changes with the last unit. One index in place of the
-- old one: beside an index of the same beginning, which the planner takes for as good, this one would not be used.
alter table stock add column has_left boolean not null generated always as (available > 0) stored;
drop index stock_by_product;
create index stock_by_product on stock (merchant_id, product_id, is_sandbox, has_left, item_id);

-- What a product's variants are to its stock, which sales do not change. It holds at the version `variants_told_at` alone: whatever changes
-- a variant raises the version, also a release that knows nothing of these columns, and then the variants themselves are asked.
alter table products
  add column variants_told_at bigint,
  add column has_valid_variants boolean,
  -- Whether one of those that are valid has no stock of its own, and so sells from the product's.
  add column shares_sandbox_stock boolean,
  add column shares_live_stock boolean;

-- An option is looked up by its group and its id: without the id in it, all options of the group were looked at.
drop index variant_options_by_group;
create index variant_options_by_group on variant_options (merchant_id, product_id, group_id, id);

-- Of the products that there are. What is told of one is told anew with its next change (products.tell_variants).
update products product
set variants_told_at = product.version,
  has_valid_variants = told.has_valid,
  shares_sandbox_stock = told.shares_sandbox,
  shares_live_stock = told.shares_live
from (
  select merchant_id, product_id,
    bool_or(is_valid) as has_valid,
    bool_or(is_valid and not has_sandbox_stock) as shares_sandbox,
    bool_or(is_valid and not has_live_stock) as shares_live
  from (
    select variant.merchant_id, variant.product_id,
      exists (
        select 1 from stock own
        where own.merchant_id = variant.merchant_id and own.item_id = variant.id and own.is_sandbox
      ) as has_sandbox_stock,
      exists (
        select 1 from stock own
        where own.merchant_id = variant.merchant_id and own.item_id = variant.id and not own.is_sandbox
      ) as has_live_stock,
      (
        select count(*) from variant_groups g
        where g.merchant_id = variant.merchant_id and g.product_id = variant.product_id
      ) = (select count(*) from jsonb_object_keys(variant.options))
      and not exists (
        select 1 from variant_groups g
        where g.merchant_id = variant.merchant_id and g.product_id = variant.product_id and not exists (
          select 1 from variant_options o
          where o.merchant_id = variant.merchant_id and o.product_id = variant.product_id and o.group_id = g.id
            and o.id = variant.options ->> g.id
        )
      ) as is_valid
    from variants variant
  ) variant
  group by merchant_id, product_id
) told
where told.merchant_id = product.merchant_id and told.product_id = product.id;

-- Which shops have made something lately, without going through all that they made: of five minutes, shop after shop.
drop index carts_by_making;
create index carts_by_time_and_shop
  on carts (date_bin('5 minutes', made_at, to_timestamp(0)), merchant_id);
create index checkouts_by_time_and_shop
  on checkouts (date_bin('5 minutes', expires_at, to_timestamp(0)), merchant_id);
create index orders_sandbox_by_time_and_shop
  on orders (date_bin('5 minutes', created_at, to_timestamp(0)), merchant_id) where is_sandbox;
