-- Discount codes, and how often each was used.

create table discounts (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  -- By the rules of "C" upper and lower case are the same letters in every database.
  code text collate "C" not null,
  type text not null check (type in ('percentage', 'fixed')),
  -- fixed: minor units. percentage: ten-thousandths of a percent, so that 12.5 % is 125000.
  value bigint not null check (value between 1 and case type when 'percentage' then 1000000 else 1000000000000 end),
  -- Empty: every product. An array and not a table: when the last product of a narrow code is deleted the code must not become a wide one.
  product_ids text[] not null,
  -- Null: any number of times, in each mode.
  usage_limit integer check (usage_limit >= 1),
  expires_at timestamptz,
  description text,
  meta json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index discounts_code_unique on discounts (merchant_id, lower(code));

-- Orders that a code was used in, per mode. No row: none.
create table discount_uses (
  merchant_id integer not null,
  discount_id text collate "C" not null,
  is_sandbox boolean not null,
  used integer not null check (used >= 0),
  primary key (merchant_id, discount_id, is_sandbox),
  foreign key (merchant_id, discount_id) references discounts on delete cascade
);
