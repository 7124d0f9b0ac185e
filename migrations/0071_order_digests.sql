-- New orders that their merchant was not told of one by one, until a digest tells of them. One row for each shop and mode that has any.
create table order_digests (
  merchant_id integer not null,
  is_sandbox boolean not null,
  orders integer not null check (orders > 0),
  -- The names of the first of them, as people call an order: a digest lists no more.
  order_references text[] not null,
  primary key (merchant_id, is_sandbox)
);
