-- The gateways a merchant takes payments by, as set up by the merchant.

create table payment_methods (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  code text collate "C" not null,
  -- Whether what it was set up with is for trying out. Credentials of a processor belong to one mode, there as here.
  is_sandbox boolean not null,
  -- What the gateway needs; which parts of it a shopper may see is the gateway's to say.
  config jsonb not null,
  is_enabled boolean not null,
  -- Whether a merchant may have this gateway once only. A copy of what the gateway says, so that the index can hold it.
  is_single boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index payment_methods_single_unique on payment_methods (merchant_id, code, is_sandbox) where is_single;
