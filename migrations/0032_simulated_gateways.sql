-- A provider that a sandbox tries out before there is an account: its payments are written to the test books.
alter table payment_methods add column is_simulated boolean not null default false;

-- Kept with each payment: a refund of what was made up must not be asked of the provider once its credentials have come.
alter table capture_attempts add column is_simulated boolean not null default false;
alter table order_transactions add column is_simulated boolean not null default false;

-- Whatever has credentials cannot charge yet, and so is on nowhere. Who has entered them switches it on when it can. (Of the gateways that are
-- there once, the others have nothing to enter.)
update payment_methods set is_enabled = false where is_single and config <> '{}' and is_enabled;
