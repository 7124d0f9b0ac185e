-- When a gateway was last set up for what may be another account of its provider. A payment that was begun before may be at the former one: that
-- the provider does not know it now does not say that nobody paid.
alter table payment_methods add column account_changed_at timestamptz;
alter table deleted_payment_methods add column account_changed_at timestamptz;
