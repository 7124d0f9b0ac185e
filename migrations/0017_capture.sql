-- Attempts to pay a checkout, and what each of them holds until it is settled.

create table capture_attempts (
  merchant_id integer not null references merchants on delete cascade,
  -- Also the key that the gateway knows it by, written before the gateway is asked.
  id text collate "C" not null,
  is_sandbox boolean not null,
  checkout_id text collate "C" not null,
  -- charging: holds what it needs, and the gateway may have been asked. waiting: for the shopper. done: there is an order.
  -- released: declined or undone, and everything given back.
  state text not null check (state in ('charging', 'waiting', 'done', 'released')),
  -- Null: nothing is due.
  gateway text,
  payment_method_id text collate "C",
  amount bigint not null check (amount >= 0),
  currency text not null,
  body_digest bytea not null,
  -- Scheme and host that the links of the order begin with: the completer has no request to read them off.
  origin text not null,
  -- The order that it will make; null once it is settled. Never a card's number.
  draft json,
  -- What the gateway wants of the shopper, or why it was released.
  gateway_state json,
  -- The code and the card it holds, to be given back by a release.
  discount_id text collate "C",
  gift_card_id text collate "C",
  gift_card_credit bigint not null default 0 check (gift_card_credit >= 0),
  -- From then on the completer asks the gateway what has become of it.
  settle_after timestamptz not null,
  -- From then on it is undone, unless it has been paid.
  gives_up_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (draft is not null or state in ('done', 'released'))
);
-- One token, one attempt that counts. Done ones stay in it: between reading that there is no order yet and writing an attempt, another
-- may have been paid, and only an index sees that.
create unique index capture_attempts_one_kept on capture_attempts (merchant_id, checkout_id) where state <> 'released';
-- For the completer, which goes through all merchants.
create index capture_attempts_unsettled on capture_attempts (settle_after) where state in ('charging', 'waiting');
-- For the sweep, too.
create index capture_attempts_settled on capture_attempts (updated_at) where state in ('done', 'released');

create table held_stock (
  merchant_id integer not null,
  attempt_id text collate "C" not null,
  item_id text collate "C" not null,
  quantity bigint not null check (quantity >= 1),
  primary key (merchant_id, attempt_id, item_id),
  foreign key (merchant_id, attempt_id) references capture_attempts on delete cascade
);

-- The books of the test gateways: what a processor of its own would know. Written apart from every transaction of the shop.
create table test_charges (
  merchant_id integer not null references merchants on delete cascade,
  key text collate "C" not null,
  state text not null check (state in ('authorized', 'charged', 'waiting', 'declined', 'cancelled', 'refunded')),
  amount bigint not null,
  currency text not null,
  details jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, key)
);
