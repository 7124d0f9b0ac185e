-- Attributes: fields of the merchant's own that can be attached to products.

create table attributes (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  name text not null,
  description text not null,
  type text not null check (type in ('short_text', 'long_text', 'options', 'number', 'checkbox', 'date', 'radio')),
  is_required boolean not null,
  is_public boolean not null,
  is_multiselect boolean not null check (not is_multiselect or type = 'options'),
  -- json, not jsonb: what a merchant stores comes back with its fields in the order they were sent.
  default_value json,
  meta json,
  -- [{"id", "value", "label"}]: always read and replaced together with the attribute.
  options json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
