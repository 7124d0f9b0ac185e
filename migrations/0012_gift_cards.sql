-- Gift cards. What is left on one is split by mode, and every change of it is an entry in a ledger.

create table gift_cards (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  -- By the rules of "C" upper and lower case are the same letters in every database.
  code text collate "C" not null,
  initial_value bigint not null check (initial_value between 1 and 1000000000000),
  note text,
  meta json,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index gift_cards_code_unique on gift_cards (merchant_id, lower(code));

create table gift_card_balances (
  merchant_id integer not null,
  gift_card_id text collate "C" not null,
  is_sandbox boolean not null,
  balance bigint not null check (balance >= 0),
  primary key (merchant_id, gift_card_id, is_sandbox),
  foreign key (merchant_id, gift_card_id) references gift_cards on delete cascade
);

-- The entries of a card and mode add up to its balance, and to zero once the card is deleted.
create table gift_card_entries (
  merchant_id integer not null references merchants on delete cascade,
  -- No foreign key: the ledger outlives the card, because orders that it paid for do.
  gift_card_id text collate "C" not null,
  is_sandbox boolean not null,
  id bigint generated always as identity,
  amount bigint not null check (amount <> 0),
  reason text not null check (reason in ('issued', 'adjusted', 'reserved', 'returned', 'deleted')),
  -- What it was for: the id of an attempt to pay, or null.
  subject_id text collate "C",
  created_at timestamptz not null,
  primary key (merchant_id, gift_card_id, is_sandbox, id)
);
