-- Where the merchant collects tax, and at which rates.

create table tax_zones (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  -- ISO 3166-1 alpha-2; the region by the part of its ISO 3166-2 code after the dash. Empty: the whole country, every postal code.
  country text collate "C" not null check (country ~ '^[A-Z]{2}$'),
  region text collate "C" not null,
  postal_prefix text collate "C" not null,
  -- [{"type", "rate", "digital_rate"}] in millionths, so that 7.25 % is 72500; digital_rate is null where it is the same as rate.
  rates jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  constraint tax_zones_place_unique unique (merchant_id, country, region, postal_prefix)
);
