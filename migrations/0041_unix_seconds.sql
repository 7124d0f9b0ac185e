-- The same moment by functions that are immutable themselves, as this one says it is. PostgreSQL puts the body of a function in its place
-- only where the body keeps what the function promises; until now each statement ran it as a query of its own, for each moment that it shows.
create or replace function unix_seconds(moment timestamptz) returns double precision
  language sql immutable strict parallel safe
  return floor(extract(epoch from moment at time zone 'UTC'))::double precision;
