-- Customers beyond their orders: addresses, logging in by mail, and the mails of a service that has no mail server.

alter table customers
  -- When the customer changed the address without having shown that it is theirs. Orders that come in under it from then on are not
  -- shown to whoever is logged in: they may be somebody else's. Ends when a link mailed to the address is used.
  add column email_changed_at timestamptz,
  -- Addresses that the customer had set and has left again, without ever having shown that they are theirs. Orders under them are not
  -- shown to whoever is logged in, also once another address has been proven.
  add column unproven_emails text[] collate "C" not null default '{}',
  -- Sessions begun before it are over.
  add column sessions_from timestamptz;
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
  -- The address that the link was for, which its use proves; null where the merchant asked for it with a key, for whatever purpose.
  email_key text collate "C",
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
