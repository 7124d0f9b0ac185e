-- What a request asks about all codes, all mails or all products of a shop is kept as an answer, or found by an index: the request then costs
-- the same however many there are.

-- The codes that are not used up, one row for each mode and each product that the code is for. Whether one can be used now, for anything of
-- what is bought, is one look for each product and one for the codes of all products. Written by whoever holds the row of the code: with
-- the code itself, with the use that is the last one, and with the one that is given back.
create table usable_discounts (
  merchant_id integer not null,
  is_sandbox boolean not null,
  -- Empty: every product.
  for_product text collate "C" not null,
  -- Of a code that does not expire, infinity.
  expires_at timestamptz not null,
  discount_id text collate "C" not null,
  primary key (merchant_id, is_sandbox, for_product, expires_at, discount_id),
  foreign key (merchant_id, discount_id) references discounts on delete cascade
);
create index usable_discounts_by_discount on usable_discounts (discount_id, merchant_id, is_sandbox);

insert into usable_discounts (merchant_id, is_sandbox, for_product, expires_at, discount_id)
select distinct discount.merchant_id, mode.is_sandbox, product.id, coalesce(discount.expires_at, 'infinity'), discount.id
from discounts discount
cross join (values (false), (true)) mode (is_sandbox)
cross join lateral unnest(case when discount.product_ids = '{}' then array[''] else discount.product_ids end) product (id)
left join discount_uses uses
  on uses.merchant_id = discount.merchant_id and uses.discount_id = discount.id and uses.is_sandbox = mode.is_sandbox
where discount.usage_limit is null or discount.usage_limit > coalesce(uses.used, 0);

-- Every one, two and three characters of a code that follow one another. A code is short, so parts of any length are found anywhere in it.
-- In plpgsql: a function in SQL that is no plain expression takes four times as long, and more where an index calls it.
create function code_parts(merchant_id integer, code text) returns text[] language plpgsql immutable parallel safe as $$
declare
  prefix text := merchant_id || ' ';
  parts text[] := '{}';
begin
  for start in 1 .. length(code) loop
    for size in 1 .. least(3, length(code) - start + 1) loop
      parts := parts || (prefix || substr(code, start, size));
    end loop;
  end loop;
  return parts;
end
$$;

-- The same parts as before, by the same rules, in less time.
create or replace function search_parts(merchant_id integer, source text) returns text[] language plpgsql immutable parallel safe as $$
declare
  prefix text := merchant_id || ' ';
  parts text[] := '{}';
  word text;
begin
  for start in 1 .. length(source) - 2 loop
    parts := parts || (prefix || substr(source, start, 3));
  end loop;
  foreach word in array regexp_split_to_array(source, '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+')
    || regexp_split_to_array(source, '\s+')
  loop
    if word <> '' then
      parts := parts || (prefix || left(word, 1)) || (prefix || left(word, 2));
    end if;
  end loop;
  return parts;
end
$$;

create index discounts_by_part on discounts using gin (code_parts(merchant_id, lower(code)) collate "C") with (fastupdate = off);
-- For those that have expired, and for the others.
create index discounts_by_expiry on discounts (merchant_id, coalesce(expires_at, 'infinity'::timestamptz), id);

-- The mails to one address that the developer of a shop may read.
create index mails_by_recipient on mails (lower(recipient), merchant_id, created_at, id) where is_sandbox;

insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'mails', is_sandbox, 0, count(*) from mails group by merchant_id, is_sandbox;
insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
select merchant_id, 'payment_methods', false, 0, count(*) from payment_methods group by merchant_id;

-- How many active products a category has. Several slots, as kept_counts has them: products that are written at the same moment do not wait
-- for each other.
create table category_counts (
  merchant_id integer not null,
  category_id text collate "C" not null,
  slot smallint not null,
  products bigint not null,
  primary key (merchant_id, category_id, slot),
  foreign key (merchant_id, category_id) references categories on delete cascade
) with (fillfactor = 70);

insert into category_counts (merchant_id, category_id, slot, products)
select link.merchant_id, link.category_id, 0, count(*)
from product_categories link
join products product on product.merchant_id = link.merchant_id and product.id = link.product_id
where product.is_active
group by link.merchant_id, link.category_id;
