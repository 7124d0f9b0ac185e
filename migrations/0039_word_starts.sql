-- A search of one or two characters holds no trigram. It means the beginnings of words, which are kept beside each product and indexed.

-- Words are what stands between blanks, and what stands between characters of ASCII that are neither letters nor digits.
create function word_starts(source text) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct left(word, size)), '{}')
  from (
    select regexp_split_to_table(source, '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+') as word
    union all
    select regexp_split_to_table(source, '\s+')
  ) words
  cross join generate_series(1, 2) size
  where word <> ''
$$;

alter table products add column word_starts text[] not null generated always as (
  word_starts(lower(name) || E'\n' || lower(permalink) || E'\n' || lower(coalesce(sku, '')))
) stored;

create index products_by_word_start on products using gin (merchant_id, word_starts);
