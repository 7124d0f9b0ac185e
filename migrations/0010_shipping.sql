-- Where the merchant ships to, by which methods and at what price.

create table shipping_zones (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  name text not null,
  -- ISO 3166-1 alpha-2.
  countries text[] not null,
  -- {"CA": ["BC", "ON"]}: of these countries only these regions, by the part of the ISO 3166-2 code after the dash.
  regions jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);

create table shipping_methods (
  merchant_id integer not null,
  id text collate "C" not null,
  zone_id text collate "C" not null,
  position integer not null,
  description text not null,
  price bigint not null check (price between 0 and 1000000000000),
  -- Added for the first unit, and for each further one.
  on_own bigint not null check (on_own between 0 and 1000000000000),
  with_others bigint not null check (with_others between 0 and 1000000000000),
  -- The bands in which it is offered, both ends included; null: no bound. Order value is subtotal less discount, weight is in grams.
  min_order_value bigint check (min_order_value >= 0),
  max_order_value bigint check (max_order_value >= min_order_value),
  min_weight bigint check (min_weight >= 0),
  max_weight bigint check (max_weight >= min_weight),
  primary key (merchant_id, id),
  foreign key (merchant_id, zone_id) references shipping_zones on delete cascade
);
create index shipping_methods_by_zone on shipping_methods (merchant_id, zone_id);

-- Null: every zone. Not a table: a product whose only zone was deleted ships nowhere, not everywhere.
alter table products add column shipping_zone_ids text[] collate "C";
