-- Requests that carried an Idempotency-Key, and their answers, so that a repeated one gets the same.

create table idempotency_keys (
  merchant_id integer not null references merchants on delete cascade,
  is_sandbox boolean not null,
  -- Method and path of the request, with the ids in it.
  route text collate "C" not null,
  key text collate "C" not null,
  -- All that is kept of the request, which may hold a card number. Keyed, so that numbers cannot be tried out against it.
  request_digest bytea not null,
  -- While the first request runs. Once it is past, the process is taken to have died and the key is free.
  running_until timestamptz,
  -- The answer as it was sent, in the version it was sent in. Without a body: it could not be kept.
  status smallint,
  version text,
  body text,
  created_at timestamptz not null,
  primary key (merchant_id, is_sandbox, route, key),
  check ((running_until is null) = (status is not null)),
  check ((version is null) = (status is null))
);
-- For the sweep, which goes through all merchants.
create index idempotency_keys_by_age on idempotency_keys (created_at);
