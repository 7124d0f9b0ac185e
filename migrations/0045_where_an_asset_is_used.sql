-- Which products an asset belongs to, in the order in which they are told, and who may download it. By indexes that begin with the merchant, and
-- without that order, PostgreSQL, once it had analysed the tables, took the primary keys in their place, and went through the whole shop.
drop index product_packages_by_asset;
create index product_packages_by_asset on product_packages (asset_id, merchant_id, product_id);
drop index downloads_by_asset;
create index downloads_by_asset on downloads (asset_id, merchant_id) where not is_revoked;
