-- Which customers' addresses somebody stands for. Anybody with a public key makes customers of whatever addresses they type, by orders that
-- cost nothing; mails to these are limited for the whole shop, and those to the others are not.

alter table customers
  -- A link that was mailed to the address has been used, or the merchant has put the address in.
  add column is_email_vouched boolean not null default false;

-- Addresses that have bought for money, in the form that addresses are compared in. Not of the sandbox, where nobody pays.
create index orders_paid_by_email on orders (merchant_id, lower(email collate "C"))
  where paid_at is not null and order_value > 0 and not is_sandbox;
