-- A provider that a sandbox tries out before there is an account: its payments are written to the test books.
alter table payment_methods add column is_simulated boolean not null default false;

-- Kept with each payment: a refund of what was made up must not be asked of the provider once its credentials have come.
alter table capture_attempts add column is_simulated boolean not null default false;
alter table order_transactions add column is_simulated boolean not null default false;

-- These cannot charge yet, and so are on nowhere. Whoever has entered credentials switches them on when they can.
update payment_methods set is_enabled = false where code in ('stripe', 'square', 'razorpay', 'paypal') and is_enabled;
