-- A search of any length goes by one index of parts, and no part of it can be found by another shop: each begins with the merchant's id.

-- Every three characters that follow one another, and the first one and two of every word. Words are what stands between blanks, and what
-- stands between characters of ASCII that are neither letters nor digits.
create function search_parts(merchant_id integer, source text) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct merchant_id || ' ' || part), '{}')
  from (
    select substr(source, start, 3) as part from generate_series(1, length(source) - 2) start
    union all
    select left(word, size)
    from (
      select regexp_split_to_table(source, '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+') as word
      union all
      select regexp_split_to_table(source, '\s+')
    ) words
    cross join generate_series(1, 2) size
    where word <> ''
  ) parts
$$;

drop index products_by_text;

-- No list of what is still to be entered: every search would go through it.
create index products_by_part on products using gin (search_parts(merchant_id, search_text) collate "C") with (fastupdate = off);
