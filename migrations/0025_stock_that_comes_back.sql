-- For stock that comes back: which product a variant belongs to, where all that is known is the variant's id.
create index variants_by_id on variants (merchant_id, id);

-- For the sweep of orders that are being cancelled for long: the few that are.
create index orders_cancelling on orders (cancelling_at, merchant_id, id) where cancelling_at is not null;
