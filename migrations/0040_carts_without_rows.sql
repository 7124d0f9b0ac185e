-- An empty cart needs no row: its id says when it was made, and is signed. The first thing that is written to it makes its row.

-- The row of a deleted cart stays until the cart would have expired: without it the id would be that of an empty cart again.
alter table carts add column is_deleted boolean not null default false;
-- For counting and removing them, where a shop has too many.
create index carts_deleted on carts (merchant_id, id) where is_deleted;

-- When the row was made, which can be long after the cart. Quotas look for the shops that have made rows lately.
alter table carts add column made_at timestamptz not null default now();
create index carts_by_making on carts (made_at);
