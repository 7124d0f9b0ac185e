-- Customers beyond their orders: addresses, logging in by mail, and the mails of a service that has no mail server.

alter table customers
  -- False once the customer has changed the address, until a link mailed to it is used or the merchant sets another.
  add column is_email_proven boolean not null default true,
  -- Sessions begun before it are over.
  add column sessions_from timestamptz;

-- The address that an order was made with, in the form that addresses are compared in, where that was not its customer's own and proven
-- at that moment. Whoever is logged in does not see such an order: it may be somebody else's. Whatever becomes of the customer's address
-- or of the order's, it stays as it is until somebody shows that this address is theirs. Null in the orders there are: nobody could log
-- in, and so nobody could take an address, when they were made.
alter table orders add column unproven_email_key text collate "C";

create index customers_by_age on customers (merchant_id, is_sandbox, created_at, id);
create index customers_by_external_id on customers (merchant_id, is_sandbox, external_id) where external_id is not null;

create table customer_addresses (
  merchant_id integer not null,
  customer_id text collate "C" not null,
  id text collate "C" not null,
  name text,
  street text,
  street_2 text,
  town_city text,
  county_state text,
  postal_zip_code text,
  country text,
  delivery_instructions text,
  meta json,
  is_default_shipping boolean not null default false,
  is_default_billing boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, customer_id, id),
  foreign key (merchant_id, customer_id) references customers (merchant_id, id) on delete cascade
);
create unique index customer_addresses_one_shipping on customer_addresses (merchant_id, customer_id)
  where is_default_shipping;
create unique index customer_addresses_one_billing on customer_addresses (merchant_id, customer_id)
  where is_default_billing;

create table login_tokens (
  merchant_id integer not null,
  -- Whoever reads this table can log in as nobody.
  token_hash bytea not null check (octet_length(token_hash) = 32),
  is_sandbox boolean not null,
  customer_id text collate "C" not null,
  -- The address that the link is mailed to, which its use proves.
  email_key text collate "C" not null,
  expires_at timestamptz not null,
  primary key (merchant_id, token_hash),
  foreign key (merchant_id, customer_id) references customers (merchant_id, id) on delete cascade
);
create index login_tokens_by_customer on login_tokens (merchant_id, customer_id);
-- For the sweep, which goes through all merchants.
create index login_tokens_by_end on login_tokens (expires_at);

-- What customers' sessions are signed with, for all merchants. The newest signs; one that another has replaced still opens the
-- sessions it has signed, until the last of them is over.
create table session_keys (
  id text collate "C" primary key,
  secret bytea not null check (octet_length(secret) >= 32),
  created_at timestamptz not null
);

-- Mails that no server takes from us: the developer of a shop reads them here.
create table mails (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  is_sandbox boolean not null,
  kind text not null,
  recipient text not null,
  sender text not null,
  subject text not null,
  body_text text not null,
  body_html text not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index mails_of_merchant on mails (merchant_id, is_sandbox, created_at, id);
-- For the sweep, which goes through all merchants.
create index mails_by_age on mails (created_at);
