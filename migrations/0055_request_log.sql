-- The requests that keys of a shop have sent, for whoever builds on the API (src/request-log). One partition a day (UTC): a day goes by
-- dropping a table, whatever it holds. Rows are only ever added, so nothing of it needs a vacuum.
--
-- No foreign key to merchants: checking it would cost each request more than writing its row. What is left of a shop that is gone goes with its day.
create table request_log (
  merchant_id integer not null,
  is_sandbox boolean not null,
  created_at timestamptz not null,
  -- The request's id. Ours holds the millisecond of created_at, by which it is found; a trusted proxy's own may repeat.
  id text collate "C" not null,
  is_given boolean not null,
  version text not null,
  key_id text collate "C",
  key_used text,
  token_id text,
  method text not null,
  url text not null,
  route text,
  is_secure boolean not null,
  ip_address text not null,
  status_code smallint not null,
  ms real not null,
  user_agent text,
  idempotency_key text,
  -- JSON as it was masked and cut, so that it may end early.
  request_body text,
  response_body text,
  primary key (merchant_id, is_sandbox, created_at, id)
) partition by range (created_at);

create index request_log_by_given_id on request_log (merchant_id, is_sandbox, id, created_at) where is_given;

-- In functions, because a statement that makes or drops a table takes no parameters. Each gives up where somebody holds the table for long:
-- the log's own rows would queue up behind it.
create function open_request_log_day(day date) returns boolean
  language plpgsql
  set lock_timeout = '2s'
as $$
declare
  part text := 'request_log_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(part) is not null then
    return false;
  end if;
  -- Several processes come to a new day at the same moment.
  perform pg_advisory_xact_lock(hashtext('open_request_log_day'));
  execute format(
    'create table if not exists %I partition of request_log for values from (%L) to (%L) with (autovacuum_enabled = off, toast.autovacuum_enabled = off)',
    part, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC'
  );
  return true;
end
$$;

create function drop_request_log_before(day date) returns integer
  language plpgsql
  set lock_timeout = '2s'
as $$
declare
  part text;
  dropped integer := 0;
begin
  for part in
    select partition.relname
    from pg_inherits
    join pg_class partition on partition.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = 'request_log'::regclass
      and partition.relname < 'request_log_' || to_char(day, 'YYYYMMDD')
    order by partition.relname
  loop
    execute format('drop table %I', part);
    dropped := dropped + 1;
  end loop;
  return dropped;
end
$$;
