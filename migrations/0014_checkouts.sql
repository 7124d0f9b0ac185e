-- Checkout tokens: a snapshot of what is bought and what the shopper has chosen so far. What it costs is not stored: it is priced
-- from today's catalogue until it is captured.

create table checkouts (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  is_sandbox boolean not null,
  -- Null: made from a product. No foreign key: the cart may be deleted or expire before the token does.
  cart_id text collate "C",
  -- Where it is to be sent, as far as it is known. The region is null where it was not said, and empty where what was said is none
  -- that is known: methods for certain regions are then out of the question.
  shipping_country text,
  shipping_region text,
  -- A method of the merchant's zones, or of shipping_methods below.
  shipping_method_id text collate "C",
  -- Where it is taxed, as the shopper or an integration has said.
  tax_country text,
  tax_region text,
  tax_postal_code text,
  tax_ip_address text,
  -- No foreign keys: a code or card that was deleted simply counts no more.
  discount_id text collate "C",
  gift_card_id text collate "C",
  -- What the shopper pays for the pay-what-you-want lines together; null: their minimum.
  customer_set_price bigint check (customer_set_price between 0 and 1000000000000),
  -- Set by an integration: methods beside the zones', tax lines that replace ours, amounts that are added or taken off.
  external_methods json,
  external_tax jsonb,
  adjustments json,
  meta json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (merchant_id, id)
);
-- For the sweep, which goes through all merchants.
create index checkouts_by_expiry on checkouts (expires_at);

create table checkout_lines (
  merchant_id integer not null,
  checkout_id text collate "C" not null,
  -- Of the cart's line, where it comes from a cart: storefronts hold on to it.
  id text collate "C" not null,
  product_id text collate "C" not null,
  name text not null,
  options jsonb not null,
  quantity integer not null check (quantity between 1 and 1000000),
  primary key (merchant_id, checkout_id, id),
  foreign key (merchant_id, checkout_id) references checkouts on delete cascade
);
