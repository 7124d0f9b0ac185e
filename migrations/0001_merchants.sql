-- Merchants, their API keys and dashboard accounts.
-- These three are small and read by every request's authentication; on a sharded PostgreSQL they are reference tables.

-- A timestamp as the API shows it. Inlined by the planner.
create function unix_seconds(moment timestamptz) returns double precision
  language sql immutable strict parallel safe
  return floor(extract(epoch from moment))::double precision;

create table merchants (
  merchant_id integer generated always as identity primary key,
  name text not null,
  description text,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  country text check (country ~ '^[A-Z]{2}$'),
  support_email text not null,
  logo text,
  cover text,
  settings jsonb not null default '{}',
  api_version text not null,
  is_disabled boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table api_keys (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  is_secret boolean not null,
  is_sandbox boolean not null,
  key_hash bytea not null check (length(key_hash) = 32),
  -- Public keys stay readable; a secret key is known to its owner alone.
  public_key text check ((public_key is null) = is_secret),
  last_four text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (merchant_id, id)
);

-- Authentication knows only the key, so this look-up cannot name the merchant.
create unique index api_keys_by_hash on api_keys (key_hash);

create table dashboard_accounts (
  merchant_id integer not null references merchants on delete cascade,
  email text not null check (email = lower(email)),
  password_hash text not null,
  created_at timestamptz not null,
  primary key (merchant_id, email)
);

-- Counters that tell every process that something it may have cached has changed; see src/db/heartbeat.ts.
create table revisions (
  name text primary key,
  value bigint not null
);
insert into revisions (name, value) values ('merchants', 1);
