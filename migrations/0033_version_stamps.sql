-- What a product shows is known by stamps, so that a process may keep it and never show what another has changed since.

-- Raised in the transaction of every change of the product, or of anything that belongs to it; not by its stock.
alter table products add column version bigint not null default 1;

-- Raised in the transaction of every change of something that many products show: a category, an attribute, an asset, a shipping zone.
-- A shop without a row has changed none of them yet.
create table catalogue_stamps (
  merchant_id integer not null references merchants on delete cascade,
  version bigint not null,
  primary key (merchant_id)
);
