-- Carts and their lines. What a line costs is not stored: prices and names are today's.

create table carts (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  is_sandbox boolean not null,
  -- No foreign key: a cart whose code was deleted goes on without a discount.
  discount_id text collate "C",
  meta json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (merchant_id, id)
);
-- For the sweep, which goes through all merchants.
create index carts_by_expiry on carts (expires_at);

create table cart_lines (
  merchant_id integer not null,
  cart_id text collate "C" not null,
  id text collate "C" not null,
  -- No foreign key: a line outlives its product, and is then shown as not valid.
  product_id text collate "C" not null,
  -- The product's as it was when the line was last added to, for the time after the product is deleted.
  name text not null,
  -- {"vgrp_…": "optn_…"}. The variant of a line is the one of these options, where there is one.
  options jsonb not null,
  quantity integer not null check (quantity between 1 and 1000000),
  primary key (merchant_id, cart_id, id),
  foreign key (merchant_id, cart_id) references carts on delete cascade
);
-- The same product with the same options is one line. By digest, as in variants.
create unique index cart_lines_unique on cart_lines (merchant_id, cart_id, product_id, md5(options::text));
