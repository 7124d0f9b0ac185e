-- Public keys of another service can be taken over. One that was revoked may be taken over again, by the same shop or by another, so a key
-- is unique among those in use. Authentication asks for these alone.

create unique index api_keys_in_use on api_keys (key_hash) where revoked_at is null;
drop index api_keys_by_hash;
