-- Categories: a tree per merchant.

create table categories (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  parent_id text collate "C",
  slug text collate "C" not null,
  name text not null,
  description text not null,
  meta json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  constraint categories_slug_unique unique (merchant_id, slug),
  -- No action: deleting one moves its children to its parent in the same transaction.
  constraint categories_parent foreign key (merchant_id, parent_id) references categories deferrable initially deferred,
  check (parent_id is distinct from id)
);

create index categories_by_parent on categories (merchant_id, parent_id);

create table category_assets (
  merchant_id integer not null,
  category_id text collate "C" not null,
  asset_id text collate "C" not null,
  position integer not null,
  primary key (merchant_id, category_id, asset_id),
  foreign key (merchant_id, category_id) references categories on delete cascade,
  foreign key (merchant_id, asset_id) references assets on delete cascade
);

create index category_assets_by_asset on category_assets (merchant_id, asset_id);
