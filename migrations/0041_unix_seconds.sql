-- What it calls is stable, and PostgreSQL does not put the body of a function in its place that claims more than its body: each statement
-- prepared and ran it as a query of its own, for each moment that it shows. No index and no generated column is made of it.
alter function unix_seconds(timestamptz) stable;
