-- What an order keeps of what was bought is spelled like the tables it was copied from, and its pictures are rows, not the body that the
-- API made of them (docs/decisions/0024). So are the drafts of orders in attempts to pay that are still open.
--
-- Stop processes of an older checkout before: they cannot show orders in the new spelling, which "expand, then contract" forbids between
-- releases. No release has ever written the old one. One that runs on all the same is refused by the constraints below when it begins an
-- attempt, before any money is taken; and when it ends one, whose draft the completer of a newer process then makes the order of.
--
-- All of it is json and never jsonb: a merchant's own `meta` keeps the order of its fields.

-- The asset row that a body of the API was made of.
create function asset_row_0027(shop integer, body json) returns json language sql immutable as $$
  select case when json_typeof(body) = 'object' then json_build_object(
    'merchant_id', shop, 'id', body -> 'id', 'filename', body -> 'filename', 'file_extension', body -> 'file_extension',
    'file_size', body -> 'file_size', 'is_image', body -> 'is_image',
    -- An empty list where none is known.
    'width', body -> 'image_dimensions' -> 'width', 'height', body -> 'image_dimensions' -> 'height',
    'description', body -> 'description',
    -- An empty list where there is none.
    'meta', case when (body ->> 'meta') <> '[]' then body -> 'meta' end,
    'is_private', body -> 'private', 'is_pending', body -> 'pending',
    'created', body -> 'created_at', 'updated', body -> 'updated_at'
  ) end
$$;

create function order_line_0027(shop integer, line json) returns json language sql immutable as $$
  select json_build_object(
    'id', line -> 'id', 'product_id', line -> 'productId', 'product_name', line -> 'productName', 'sku', line -> 'sku',
    'permalink', line -> 'permalink', 'quantity', line -> 'quantity', 'unit_price', line -> 'unitPrice',
    'line_total', line -> 'lineTotal', 'discount_share', line -> 'discountShare', 'variant', line -> 'variant',
    'selected_options', (
      select coalesce(json_agg(json_build_object(
        'group_id', option -> 'groupId', 'group_name', option -> 'groupName', 'option_id', option -> 'optionId',
        'option_name', option -> 'optionName', 'price_delta', option -> 'price'
      ) order by position), '[]')
      from json_array_elements(line -> 'selectedOptions') with ordinality as chosen (option, position)
    ),
    'tax', json_build_object(
      'is_taxable', line -> 'tax' -> 'isTaxable', 'taxable_amount', line -> 'tax' -> 'taxableAmount',
      'amount', line -> 'tax' -> 'amount', 'parts', line -> 'tax' -> 'parts'
    ),
    'image', asset_row_0027(shop, line -> 'image'),
    'is_physical', line -> 'isPhysical',
    'stock_item_id', line -> 'stockItemId',
    'packages', (
      select coalesce(json_agg(json_build_object(
        'asset_id', file -> 'assetId', 'name', file -> 'name', 'ext', file -> 'ext', 'size_in_bytes', file -> 'sizeInBytes',
        'is_sample', coalesce(file -> 'isSample', 'false')
      ) order by position), '[]')
      from json_array_elements(line -> 'packages') with ordinality as package (file, position)
    ),
    'lifespan', case when json_typeof(line -> 'lifespan') = 'object' then json_build_object(
      'duration', line -> 'lifespan' -> 'duration', 'period', line -> 'lifespan' -> 'period',
      'download_limit', line -> 'lifespan' -> 'downloadLimit'
    ) end
  )
$$;

create function order_content_0027(shop integer, old json) returns json language sql immutable as $$
  select json_build_object(
    'lines', (
      select coalesce(json_agg(order_line_0027(shop, line) order by position), '[]')
      from json_array_elements(old -> 'lines') with ordinality as bought (line, position)
    ),
    'subtotal', old -> 'subtotal',
    'discount', case when json_typeof(old -> 'discount') = 'object' then json_build_object(
      'id', old -> 'discount' -> 'id', 'code', old -> 'discount' -> 'code', 'type', old -> 'discount' -> 'type',
      'value', old -> 'discount' -> 'value', 'product_ids', old -> 'discount' -> 'productIds',
      'amount_saved', old -> 'discount' -> 'amountSaved'
    ) end,
    'shipping', json_build_object(
      'id', old -> 'shipping' -> 'id', 'description', old -> 'shipping' -> 'description', 'price', old -> 'shipping' -> 'price',
      'provider', old -> 'shipping' -> 'provider'
    ),
    'tax', json_build_object(
      'amount', old -> 'tax' -> 'amount', 'is_included', old -> 'tax' -> 'isIncluded', 'provider', old -> 'tax' -> 'provider',
      'parts', old -> 'tax' -> 'parts',
      'zone', json_build_object(
        'country', old -> 'tax' -> 'zone' -> 'country', 'region', old -> 'tax' -> 'zone' -> 'region',
        'postal_code', old -> 'tax' -> 'zone' -> 'postalCode', 'ip_address', old -> 'tax' -> 'zone' -> 'ipAddress'
      )
    ),
    'adjustments', json_build_object(
      'taxable', old -> 'adjustments' -> 'taxable', 'untaxable', old -> 'adjustments' -> 'untaxable',
      'total', old -> 'adjustments' -> 'total',
      'entries', (
        select coalesce(json_agg(json_build_object(
          'description', entry -> 'description', 'amount', entry -> 'amount', 'is_taxable', entry -> 'isTaxable'
        ) order by position), '[]')
        from json_array_elements(old -> 'adjustments' -> 'entries') with ordinality as adjustment (entry, position)
      )
    ),
    'total', old -> 'total',
    'total_with_tax', old -> 'totalWithTax',
    'gift_card', case when json_typeof(old -> 'giftCard') = 'object' then json_build_object(
      'id', old -> 'giftCard' -> 'id', 'code', old -> 'giftCard' -> 'code',
      'balance_after', old -> 'giftCard' -> 'balanceAfter', 'credit', old -> 'giftCard' -> 'credit'
    ) end,
    'pay_what_you_want', json_build_object(
      'is_enabled', old -> 'payWhatYouWant' -> 'isEnabled', 'minimum', old -> 'payWhatYouWant' -> 'minimum',
      'customer_set_price', old -> 'payWhatYouWant' -> 'customerSetPrice'
    ),
    'extra_fields', (
      select coalesce(json_agg(json_build_object(
        'id', field -> 'id', 'name', field -> 'name', 'type', field -> 'type', 'is_required', field -> 'required',
        'value', field -> 'value'
      ) order by position), '[]')
      from json_array_elements(old -> 'extraFields') with ordinality as answer (field, position)
    ),
    'collected', old -> 'collected',
    'redirect', old -> 'redirect',
    'client_details', json_build_object(
      'ip_address', old -> 'clientDetails' -> 'ipAddress', 'country_code', old -> 'clientDetails' -> 'countryCode',
      'country_name', old -> 'clientDetails' -> 'countryName', 'region_code', old -> 'clientDetails' -> 'regionCode',
      'region_name', old -> 'clientDetails' -> 'regionName', 'city', old -> 'clientDetails' -> 'city',
      'postal_zip_code', old -> 'clientDetails' -> 'postalCode'
    )
  )
$$;

update orders set content = order_content_0027(merchant_id, content) where content -> 'totalWithTax' is not null;

update capture_attempts
set draft = json_build_object(
  'checkout_id', draft -> 'checkoutId', 'cart_id', draft -> 'cartId', 'currency', draft -> 'currency',
  'content', order_content_0027(merchant_id, draft),
  'total_due', draft -> 'totalDue', 'customer', draft -> 'customer', 'shipping_address', draft -> 'shippingAddress',
  'billing_address', draft -> 'billingAddress', 'meta', draft -> 'meta',
  'captured_by', case when json_typeof(draft -> 'capturedBy') = 'object' then json_build_object(
    'is_secret', draft -> 'capturedBy' -> 'isSecret', 'networks', draft -> 'capturedBy' -> 'networks'
  ) end
)
where draft -> 'totalWithTax' is not null;

drop function order_content_0027;
drop function order_line_0027;
drop function asset_row_0027;

alter table orders add constraint orders_content_not_of_before_0027 check (content -> 'totalWithTax' is null);
alter table capture_attempts add constraint capture_attempts_draft_not_of_before_0027 check (draft -> 'totalWithTax' is null);
