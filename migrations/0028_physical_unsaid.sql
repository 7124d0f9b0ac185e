-- Whether a product is sent is null where nobody has said it: then it is decided at each read, by the shop's zones and the product's
-- downloads (docs/decisions/0026). Until now the column held `true` for every product that nobody had said anything of.
--
-- Who has said it is not written down anywhere. What stays as it stands:
-- - `false`: it is said, or it follows from the downloads that the product was created with, and either way it has been sold so;
-- - `true` beside downloads: a product created with downloads was `true` only if somebody said so;
-- - `true` in a shop without zones whose shipping methods come from an integration: without zones it would no longer be sent.
-- Every other `true` becomes null. Where there is a zone that changes nothing; where there is none the product could not be bought at all.
--
-- The column is made anew, so that only the few rows that keep a value are written, and not the whole catalogue. Stop processes of an
-- older checkout before: they take null for false. No release has ever run on the old column.

alter table products add column said_physical boolean;

update products product
set said_physical = product.is_physical
where not product.is_physical
  or exists (
    select from product_packages file where file.merchant_id = product.merchant_id and file.product_id = product.id
  )
  or product.merchant_id in (
    select shop.merchant_id
    from merchants shop
    where not exists (select from shipping_zones zone where zone.merchant_id = shop.merchant_id)
      and exists (
        select from checkouts checkout
        where checkout.merchant_id = shop.merchant_id and checkout.external_methods is not null
      )
  );

alter table products drop column is_physical;
alter table products rename column said_physical to is_physical;
