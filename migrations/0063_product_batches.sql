-- Many products changed by one request, and tables of products that were imported: what is to be done, and what has become of each product.
-- A job works through the entries, one transaction a product, in which the entry is marked too: a process that dies leaves no product half
-- changed and changes none twice. Kept for some days, so that whoever went away can see how it ended.
-- Distributed by merchant_id, both.
create table product_batches (
  merchant_id integer not null,
  id text collate "C" not null,
  -- Stock is that of one mode.
  is_sandbox boolean not null,
  -- What each product becomes; null where each entry says so itself.
  change json,
  -- Nothing is kept of what is done: it is only looked whether it could be.
  is_trial boolean not null,
  currency text not null,
  -- What addresses in events begin with; '' where the request named us by a host that nobody has vouched for.
  origin text not null,
  -- The person at the dashboard, and the request, as events tell them.
  actor text,
  request_id text,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index product_batches_age on product_batches (created_at);

create table product_batch_entries (
  merchant_id integer not null,
  batch_id text collate "C" not null,
  position integer not null,
  -- No key to products: one that is deleted stays in the list. null: a product is made.
  product_id text collate "C",
  -- As it was called when the batch was made; null where there was no such product.
  name text,
  -- Of an import: the line that it stands in, and its cells by the names of their columns.
  line integer,
  change json,
  state text not null default 'waiting' check (state in ('waiting', 'changed', 'unchanged', 'refused')),
  message text,
  -- What is wrong with which column.
  errors json,
  primary key (merchant_id, batch_id, position),
  foreign key (merchant_id, batch_id) references product_batches on delete cascade
);
