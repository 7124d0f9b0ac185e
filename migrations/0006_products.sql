-- Products with all that belongs to one: categories, assets, attributes, extra fields, packages, variant groups, options, variants, stock.

-- Both are trusted extensions: the owner of a database may create them. They make "part of the name" an index look-up.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table products (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  name text not null,
  permalink text collate "C" not null,
  -- Not unique: two products may be the same article in two dresses.
  sku text,
  description text not null,
  -- Minor units of the merchant's currency, here and everywhere.
  price bigint not null check (price between 0 and 1000000000000),
  is_active boolean not null,
  is_tax_exempt boolean not null,
  is_pay_what_you_want boolean not null,
  is_inventory_managed boolean not null,
  sort_order integer not null,
  seo_title text,
  seo_description text,
  thank_you_url text,
  meta json,
  collects_fullname boolean not null,
  -- Null: as is_physical says.
  collects_shipping_address boolean,
  collects_billing_address boolean not null,
  is_physical boolean not null,
  weight_grams integer check (weight_grams >= 0),
  -- {"duration", "period", "download_limit"} of its digital packages, or null for no end.
  lifespan json,
  -- What a search looks in. Newlines divide the parts, and a query holds none, so no match spans two parts.
  search_text text not null generated always as (
    lower(name) || E'\n' || lower(permalink) || E'\n' || lower(coalesce(sku, ''))
  ) stored,
  -- What names are sorted by. A column and not an expression: an index on it alone can then skip to a late page.
  sort_name text not null generated always as (lower(name)) stored,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  constraint products_permalink_unique unique (merchant_id, permalink)
);

create index products_by_sku on products (merchant_id, sku) where sku is not null;

-- Each order of the list, once over all products (secret keys) and once by is_active (public keys, and the filter): a page is then the
-- first rows of an index, however few of 100,000 products are active. By age is the primary key, as ids sort by age.
create index products_by_sort_order on products (merchant_id, sort_order, id desc);
create index products_by_name on products (merchant_id, sort_name, id);
create index products_by_price on products (merchant_id, price, id);
create index products_by_active_and_age on products (merchant_id, is_active, id);
create index products_by_active_and_sort_order on products (merchant_id, is_active, sort_order, id desc);
create index products_by_active_and_name on products (merchant_id, is_active, sort_name, id);
create index products_by_active_and_price on products (merchant_id, is_active, price, id);
create index products_by_text on products using gin (merchant_id, search_text gin_trgm_ops);

create table product_categories (
  merchant_id integer not null,
  product_id text collate "C" not null,
  category_id text collate "C" not null,
  position integer not null,
  primary key (merchant_id, product_id, category_id),
  foreign key (merchant_id, product_id) references products on delete cascade,
  foreign key (merchant_id, category_id) references categories on delete cascade
);
create index product_categories_by_category on product_categories (merchant_id, category_id, product_id);

create table product_assets (
  merchant_id integer not null,
  product_id text collate "C" not null,
  asset_id text collate "C" not null,
  position integer not null,
  primary key (merchant_id, product_id, asset_id),
  foreign key (merchant_id, product_id) references products on delete cascade,
  foreign key (merchant_id, asset_id) references assets on delete cascade
);
create index product_assets_by_asset on product_assets (merchant_id, asset_id);

create table product_attributes (
  merchant_id integer not null,
  product_id text collate "C" not null,
  attribute_id text collate "C" not null,
  position integer not null,
  value json,
  primary key (merchant_id, product_id, attribute_id),
  foreign key (merchant_id, product_id) references products on delete cascade,
  foreign key (merchant_id, attribute_id) references attributes on delete cascade
);
create index product_attributes_by_attribute on product_attributes (merchant_id, attribute_id);

create table related_products (
  merchant_id integer not null,
  product_id text collate "C" not null,
  related_id text collate "C" not null,
  position integer not null,
  primary key (merchant_id, product_id, related_id),
  foreign key (merchant_id, product_id) references products on delete cascade,
  foreign key (merchant_id, related_id) references products on delete cascade,
  check (related_id <> product_id)
);
create index related_products_by_related on related_products (merchant_id, related_id);

create table extra_fields (
  merchant_id integer not null,
  product_id text collate "C" not null,
  id text collate "C" not null,
  position integer not null,
  name text not null,
  type text not null check (type in ('text', 'options', 'number', 'checkbox', 'date', 'radio', 'hidden')),
  is_required boolean not null,
  options json,
  meta json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, product_id, id),
  foreign key (merchant_id, product_id) references products on delete cascade
);

create table product_packages (
  merchant_id integer not null,
  product_id text collate "C" not null,
  asset_id text collate "C" not null,
  position integer not null,
  -- Null: the asset's file name.
  name text,
  primary key (merchant_id, product_id, asset_id),
  foreign key (merchant_id, product_id) references products on delete cascade,
  foreign key (merchant_id, asset_id) references assets on delete cascade
);
create index product_packages_by_asset on product_packages (merchant_id, asset_id);

create table variant_groups (
  merchant_id integer not null,
  product_id text collate "C" not null,
  id text collate "C" not null,
  position integer not null,
  name text not null,
  meta json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, product_id, id),
  foreign key (merchant_id, product_id) references products on delete cascade
);

create table variant_options (
  merchant_id integer not null,
  product_id text collate "C" not null,
  group_id text collate "C" not null,
  id text collate "C" not null,
  position integer not null,
  name text not null,
  -- Added to the product's price; may be negative.
  price_delta bigint not null check (price_delta between -1000000000000 and 1000000000000),
  meta json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, product_id, id),
  foreign key (merchant_id, product_id, group_id) references variant_groups on delete cascade
);
create index variant_options_by_group on variant_options (merchant_id, product_id, group_id);

create table option_assets (
  merchant_id integer not null,
  product_id text collate "C" not null,
  option_id text collate "C" not null,
  asset_id text collate "C" not null,
  position integer not null,
  primary key (merchant_id, product_id, option_id, asset_id),
  foreign key (merchant_id, product_id, option_id) references variant_options on delete cascade,
  foreign key (merchant_id, asset_id) references assets on delete cascade
);
create index option_assets_by_asset on option_assets (merchant_id, asset_id);

create table variants (
  merchant_id integer not null,
  product_id text collate "C" not null,
  id text collate "C" not null,
  sku text,
  description text,
  -- Replaces the product's price and the options' deltas where it is set.
  price bigint check (price between 0 and 1000000000000),
  -- {"vgrp_…": "optn_…"}. Not a foreign key: a variant whose option was deleted stays and is shown as not valid.
  options jsonb not null,
  meta json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, product_id, id),
  foreign key (merchant_id, product_id) references products on delete cascade
);
-- One variant for each combination. By digest: the names of fifty groups and their options are more than an index entry takes.
create unique index variants_combination_unique on variants (merchant_id, product_id, md5(options::text));
create index variants_by_sku on variants (merchant_id, sku) where sku is not null;

create table variant_assets (
  merchant_id integer not null,
  product_id text collate "C" not null,
  variant_id text collate "C" not null,
  asset_id text collate "C" not null,
  position integer not null,
  primary key (merchant_id, product_id, variant_id, asset_id),
  foreign key (merchant_id, product_id, variant_id) references variants on delete cascade,
  foreign key (merchant_id, asset_id) references assets on delete cascade
);
create index variant_assets_by_asset on variant_assets (merchant_id, asset_id);

-- What can be sold, per mode: a sandbox sale never changes a live figure. item_id is the product's id, or that of a variant with stock of
-- its own; in a mode in which a variant has no row it sells from the product's.
create table stock (
  merchant_id integer not null,
  item_id text collate "C" not null,
  is_sandbox boolean not null,
  product_id text collate "C" not null,
  available bigint not null check (available >= 0),
  primary key (merchant_id, item_id, is_sandbox),
  foreign key (merchant_id, product_id) references products on delete cascade
);
create index stock_by_product on stock (merchant_id, product_id);
