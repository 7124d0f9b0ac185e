-- What deleted carts left behind is counted and removed in one mode. Without the mode in the index all of the other was passed over.
drop index carts_deleted;
create index carts_deleted on carts (merchant_id, is_sandbox, id) where is_deleted;
