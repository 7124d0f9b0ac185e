-- Which products an asset belongs to, in the order in which they are told. By the index without that order PostgreSQL, once it had analysed the
-- table, took the primary key in its place, and went through all products of the shop.
drop index product_packages_by_asset;
create index product_packages_by_asset on product_packages (asset_id, merchant_id, product_id);
