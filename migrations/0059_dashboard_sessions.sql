-- The dashboard: who may log in and as what, the sessions and browsers of each, and the links that are mailed (docs/decisions/0070).

-- Accounts stay whole on every node: whoever logs in names an address, and no shop. All columns have defaults, so that the release before this one can
-- go on opening shops.
alter table dashboard_accounts
  add column id text collate "C",
  add column role text not null default 'owner',
  add column name text not null default '',
  add column password_changed_at timestamptz,
  add column seen_at timestamptz,
  -- What the second factor is reckoned from; null: there is none.
  add column totp_secret bytea,
  -- The last moment whose code was taken, in steps of 30 seconds: a code that was seen over a shoulder opens nothing a second time.
  add column totp_step bigint not null default 0,
  -- SHA-256 of the spare codes that are left.
  add column spare_codes bytea[] not null default '{}';

-- Of what the row holds, and not of chance: on several nodes each must come to the same.
update dashboard_accounts set id = 'acct_' || md5(merchant_id || ' ' || email);

alter table dashboard_accounts
  alter column id set default 'acct_' || replace(gen_random_uuid()::text, '-', ''),
  alter column id set not null,
  -- Somebody who was invited and has not come yet has no password.
  alter column password_hash drop not null,
  add constraint dashboard_accounts_role check (role in ('owner', 'manager', 'packer', 'developer'));

create unique index dashboard_accounts_by_id on dashboard_accounts (merchant_id, id);
create index dashboard_accounts_by_email on dashboard_accounts (email);

-- Distributed by merchant_id. The cookie names the shop and holds 256 random bits; here stands their hash.
create table dashboard_sessions (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  token_hash bytea not null check (length(token_hash) = 32),
  account_id text collate "C" not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  agent text not null,
  address text not null,
  -- A second factor that was begun in this session and is not confirmed yet.
  pending_totp bytea,
  primary key (merchant_id, id)
);

create unique index dashboard_sessions_by_token on dashboard_sessions (merchant_id, token_hash);
create index dashboard_sessions_of_account on dashboard_sessions (merchant_id, account_id);
create index dashboard_sessions_by_end on dashboard_sessions (expires_at);

-- Distributed by merchant_id. Browsers in which an account has logged in before: nobody is told of them again, and others' wrong passwords do not keep
-- them waiting.
create table dashboard_devices (
  merchant_id integer not null references merchants on delete cascade,
  device_hash bytea not null check (length(device_hash) = 32),
  account_id text collate "C" not null,
  seen_at timestamptz not null,
  primary key (merchant_id, device_hash)
);

create index dashboard_devices_of_account on dashboard_devices (merchant_id, account_id);
create index dashboard_devices_by_age on dashboard_devices (seen_at);

-- Distributed by merchant_id. What a mailed link opens, once: a new password, or the account that somebody was invited to.
create table dashboard_links (
  merchant_id integer not null references merchants on delete cascade,
  token_hash bytea not null check (length(token_hash) = 32),
  account_id text collate "C" not null,
  purpose text not null check (purpose in ('reset', 'invitation')),
  expires_at timestamptz not null,
  primary key (merchant_id, token_hash)
);

create index dashboard_links_of_account on dashboard_links (merchant_id, account_id);
create index dashboard_links_by_end on dashboard_links (expires_at);

-- Distributed by merchant_id, which is 0: wrong passwords are counted by the address that was named, whether or not any shop knows it. Not
-- logged, as other counters: after a crash everybody begins anew.
create unlogged table dashboard_waits (
  merchant_id integer not null,
  subject text collate "C" not null,
  failures integer not null,
  -- Until then it is refused.
  until timestamptz not null,
  -- Then it counts for nothing any more.
  ends_at timestamptz not null,
  primary key (merchant_id, subject)
);

create index dashboard_waits_by_end on dashboard_waits (ends_at);
