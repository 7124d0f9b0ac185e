-- Products by the value of an attribute: each value by an index of its own, and no value of another shop. A list of options is found by each of
-- them. By their hashes, as a text may be longer than an index takes.
create function attribute_parts(merchant_id integer, attribute_id text, value json) returns text[] language sql immutable parallel safe as $$
  select case json_typeof(value)
    when 'array' then (
      select coalesce(array_agg(merchant_id || ' ' || attribute_id || ' ' || md5(part)), '{}')
      from json_array_elements_text(value) part
    )
    when 'null' then '{}'
    else array[merchant_id || ' ' || attribute_id || ' ' || md5(value #>> '{}')]
  end
$$;

-- No list of what is still to be entered: every search would go through it.
create index product_attributes_by_part on product_attributes
  using gin (attribute_parts(merchant_id, attribute_id, value) collate "C") with (fastupdate = off);

-- Where a file is used. The file first, as in 0045: an index that begins with the merchant is to the planner as good as the key, which has the file
-- at its end and would be gone through as a whole.
drop index product_assets_by_asset;
create index product_assets_by_asset on product_assets (asset_id, merchant_id, product_id);
drop index option_assets_by_asset;
create index option_assets_by_asset on option_assets (asset_id, merchant_id, product_id);
drop index variant_assets_by_asset;
create index variant_assets_by_asset on variant_assets (asset_id, merchant_id, product_id);
