-- When a key was last used, to the minute; null: never since this is kept. Each process gathers it and writes it once a minute.
alter table api_keys add column last_used_at timestamptz;
