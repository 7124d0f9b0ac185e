-- Customers, one per e-mail address, merchant and mode.

create table customers (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  is_sandbox boolean not null,
  email text not null,
  -- What two addresses are compared by: upper and lower case are the same, and nothing else is.
  email_key text collate "C" not null,
  firstname text,
  lastname text,
  phone text,
  external_id text,
  meta json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  constraint customers_email_unique unique (merchant_id, is_sandbox, email_key)
);
