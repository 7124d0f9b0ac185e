// Fills the tables as years of trade would: rows copied by bench/full-tables.js, and rows in every state that is swept, claimed or settled.

import pg from 'pg'
import type { TestApp } from '../support/app.ts'
import { openShop } from '../support/shop.ts'
import { PEOPLE, ROWS } from './bounds.ts'
import { manyVariants } from './many-variants.ts'

const of = (file: string) => import(new URL(`../../bench/${file}`, import.meta.url).href)
const { fillTables, leaveUnanalysed } = await of('full-tables.js')
const { makeShop } = await of('shop.js')

export { leaveUnanalysed }

/** Opens a new shop with one or a few of everything. */
export async function openFirstShop(app: TestApp): Promise<number> {
  const { id: shop, keys } = await openShop(app)
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    // Advance the clock, so that no two ids of one kind have the same timestamp.
    app.clock.advance(1)
    const answer = await app.call(method as 'GET', path, { key: keys.sandbox.secret, body, headers })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  await makeShop(send)
  return shop
}

export async function fill(app: TestApp, connection: pg.ClientConfig, shop: number): Promise<void> {
  const now = app.clock.now()
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(`set session_replication_role = replica; set synchronous_commit = off`)
    const besides = () => client.query(furtherRows(shop, ROWS, now))
    await fillTables(connection, { merchantId: shop, rows: ROWS, shops: 10, rowsOfOthers: 200, now, besides })
    await client.query(states(shop, now))
    await client.query(manyVariants(shop))
  } finally {
    await client.end()
  }
}

/** A category with few products, in the large shop, where other categories contain thousands. */
export const SMALL_CATEGORY = { id: 'cat_few', slug: 'few' }

/** Start of a word that few products of the large shop contain. */
export const RARE_START = 'zz'
/** Attribute value that few products have. */
export const RARE_VALUE = 'Rare'

const numbered = (prefix: string) => `'${prefix}' || lpad(n::text, 26, '0')`

/** Rows that the API creates too few of in the template shop. Their times spread over the last five days, like those of the copies. */
function furtherRows(shop: number, count: number, now: Date): string {
  const at = `('${now.toISOString()}'::timestamptz - interval '5 days' * (${count} - n) / ${count})`
  const isCurrent = 'n % 1000 = 1'
  const series = `generate_series(1, ${count}) n`
  return `
    insert into assets (merchant_id, id, filename, file_key, file_extension, content_type, is_image, file_size, read_width, read_height,
      is_private, is_pending, created_at, updated_at, source_url)
    select ${shop}, ${numbered('ast_')}, 'picture-' || n || '.png', 'merchants/${shop}/' || n, 'png', 'image/png', true, 1, 640, 480,
      false, n % 100 = 7, ${at}, ${at}, case when n % 100 = 8 then 'https://example.com/picture-' || n || '.png' end
    from ${series};
    -- None that a checkout could use: few for other products, and all the rest have expired.
    insert into discounts (merchant_id, id, code, type, value, product_ids, usage_limit, expires_at, created_at, updated_at)
    select ${shop}, ${numbered('code_')}, 'AUTUMN-' || n, 'percentage', 100000,
      case when ${isCurrent} then '{prod_other}'::text[] else '{}' end, 10, case when not ${isCurrent} then ${at} end, ${at}, ${at}
    from ${series};
    insert into discount_uses select ${shop}, ${numbered('code_')}, mode, 3 from ${series}, unnest('{true,false}'::boolean[]) mode;
    insert into usable_discounts (merchant_id, is_sandbox, for_product, expires_at, discount_id)
    select ${shop}, mode, case when ${isCurrent} then 'prod_other' else '' end, case when ${isCurrent} then 'infinity' else ${at} end,
      ${numbered('code_')}
    from ${series}, unnest('{true,false}'::boolean[]) mode;
    insert into gift_cards (merchant_id, id, code, initial_value, note, created_at, updated_at)
    select ${shop}, ${numbered('gift_')}, 'WELCOME-' || n, 5000, 'For a friend', ${at}, ${at} from ${series};
    insert into gift_card_balances select ${shop}, ${numbered('gift_')}, mode, 5000 from ${series}, unnest('{true,false}'::boolean[]) mode;
    insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, subject_id, created_at)
    select ${shop}, ${numbered('gift_')}, mode, 5000, 'issued', null, ${at} from ${series}, unnest('{true,false}'::boolean[]) mode;
    -- Zones of postal codes alone, in a country that has one region besides.
    insert into tax_zones (merchant_id, id, country, region, postal_prefix, rates, created_at, updated_at)
    select ${shop}, ${numbered('txzn_')}, 'US', '', lpad(n::text, 6, '0'), '[]', ${at}, ${at} from ${series};
    select open_request_log_day(day::date)
    from generate_series('${now.toISOString()}'::timestamptz - interval '5 days', '${now.toISOString()}'::timestamptz, '1 day') day;
    insert into request_log (merchant_id, is_sandbox, created_at, id, is_given, version, key_id, method, url, route, is_secure, ip_address,
      status_code, ms)
    select ${shop}, n % 3 > 0, date_trunc('milliseconds', ${at}), ${numbered('req_')}, n % 10 = 1, '2022-07-21', 'key_1', 'GET',
      '/v1/products/' || n, '/v1/products/:id', true, '203.0.113.7', 200 + n % 2 * 204, 1.5
    from ${series};
    insert into provider_messages (merchant_id, payment_method_id, id, received_at)
    select ${shop}, 'gway_' || lpad('1', 26, '0'), 'evt_' || n, ${at} from ${series};
    insert into decline_counters (merchant_id, subject, declines, under_way, ends_at)
    select ${shop}, 'sandbox from ' || n, n % 10, n % 3, ${at} + interval '1 hour' from ${series};
    insert into order_digests (merchant_id, is_sandbox, orders, order_references) values (${shop}, true, 10, '{SHP-1,SHP-2}');
    insert into payment_references (merchant_id, is_sandbox, gateway, reference, attempt_id, created_at)
    select ${shop}, true, 'razorpay', 'pay_' || n, ${numbered('atmpt_')}, ${at} from ${series};
    insert into mails (merchant_id, id, is_sandbox, kind, recipient, sender, subject, body_text, body_html, created_at)
    select ${shop}, ${numbered('mail_')}, true, 'receipt', 'ada.' || n || '@example.com', 'shop@example.com', 'Your order',
      repeat('Thank you for your order. ', 40), repeat('<p>Thank you for your order.</p> ', 60), ${at} from ${series}`
}

/** Id prefix of deleted carts in live mode. */
const LIVE_MARK = 'cart_0mark'

/** Puts a few rows into each transient state, among all the others. */
function states(shop: number, now: Date): string {
  const moment = `'${now.toISOString()}'::timestamptz`
  /** Selects one row in `step`; another `rest` selects different rows. */
  const oneIn = (step: number, rest = 1) => `merchant_id = ${shop} and (hashtext(id) & 65535) % ${step} = ${rest}`
  return `
    insert into login_tokens (merchant_id, token_hash, is_sandbox, customer_id, email_key, expires_at)
    select merchant_id, sha256(id::bytea), is_sandbox, id, email_key, created_at + interval '6 days' from customers where merchant_id = ${shop};
    insert into dashboard_accounts (merchant_id, id, email, password_hash, spare_codes, created_at)
    select ${shop}, ${numbered('acct_')}, 'person' || n || '@example.com', 'x', array[sha256(n::text::bytea)], ${moment} from generate_series(1, ${PEOPLE - 1}) n;
    insert into dashboard_sessions (merchant_id, id, token_hash, account_id, created_at, seen_at, expires_at, agent, address)
    select ${shop}, ${numbered('sess_')}, sha256(n::text::bytea), ${numbered('acct_')}, ${moment}, ${moment},
      ${moment} + interval '1 day' + interval '13 days' * n / ${ROWS}, '', '' from generate_series(1, ${ROWS}) n;
    insert into dashboard_devices (merchant_id, device_hash, account_id, seen_at)
    select ${shop}, sha256(n::text::bytea), ${numbered('acct_')}, ${moment} - interval '1 day' * n / 10 from generate_series(1, ${ROWS}) n;
    insert into dashboard_links (merchant_id, token_hash, account_id, purpose, expires_at)
    select ${shop}, sha256(n::text::bytea), ${numbered('acct_')}, 'reset', ${moment} + interval '1 day' + interval '1 minute' * n from generate_series(1, ${ROWS}) n;
    insert into dashboard_waits (merchant_id, subject, failures, until, ends_at)
    select ${shop}, 'login ' || n, 1, ${moment}, ${moment} + interval '1 minute' * n from generate_series(1, ${ROWS}) n;
    update jobs set failed_at = due_at - interval '31 days' where ${oneIn(10)};
    update jobs set due_at = ${moment} - interval '1 minute' where failed_at is null and ${oneIn(9)};
    update jobs set key = id where ${oneIn(3)};
    update jobs set is_running = true, claim = 1
    where failed_at is null and ${oneIn(33)};
    update capture_attempts set state = 'charging', draft = '{}', payment_method_id = 'gway_' || lpad('1', 26, '0'),
      settle_after = ${moment} + interval '1 day'
    where ${oneIn(500, 2)};
    update capture_attempts set state = 'waiting', draft = '{}', settle_after = created_at + interval '4 days', 
      gift_card_id = 'gift_' || lpad((1 + (hashtext(checkout_id) & 65535) % 1000)::text, 26, '0')
    where ${oneIn(100)};
    update capture_attempts set state = 'released', draft = '{}' where ${oneIn(40, 3)};
    -- Few: what is held of a product is summed up, and as much of it is looked at as captures are under way.
    insert into held_stock (merchant_id, attempt_id, item_id, quantity)
    select attempt.merchant_id, attempt.id, line.product_id, 1
    from capture_attempts attempt
    join checkout_lines line on line.merchant_id = attempt.merchant_id and line.checkout_id = attempt.checkout_id
    where attempt.merchant_id = ${shop} and attempt.state = 'waiting'
    limit 30
    on conflict do nothing;
    -- A card that has paid for a few hundred orders: the last one, which the statements are asked about.
    insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, subject_id, checkout_id, created_at)
    select paid.merchant_id, (select max(id) from gift_cards where merchant_id = ${shop}), paid.is_sandbox, -1, 'reserved', paid.attempt_id,
      paid.checkout_id, paid.created_at
    from orders paid where ${oneIn(10)};
    update orders set status_payment = 'not_paid' where ${oneIn(100)};
    update orders set status_payment = 'refunded', status_fulfillment = 'returned' where ${oneIn(350)};
    update orders set cancelled_at = created_at where ${oneIn(100, 9)};
    insert into order_days (merchant_id, is_sandbox, day, orders, returning_orders, amount)
    select ${shop}, mode, ${moment}::date - n, 20, 5, 100000 from generate_series(0, 800) n, unnest('{true,false}'::boolean[]) mode;
    insert into sales_days (merchant_id, is_sandbox, day, product_id, name, quantity, amount)
    select ${shop}, mode, ${moment}::date - n / 20, 'prod_' || n % 20, 'Hat', 3, 3000 + n % 20
    from generate_series(0, ${ROWS}) n, unnest('{true,false}'::boolean[]) mode;
    update stock set available = 3 where merchant_id = ${shop} and (hashtext(item_id) & 65535) % 100 = 1;
    update test_charges set state = 'authorized' where merchant_id = ${shop} and (hashtext(key) & 65535) % 350 = 1;
    update order_transactions set payment_method_id = 'gway_' || lpad('1', 26, '0'), gateway_transaction_id = 'pi_' || id where ${oneIn(50, 3)};
    update order_transactions set status = 'pending', completed_at = null, is_authorized = false, gateway_transaction_id = 'pi_' || id where ${oneIn(1000, 7)};
    update orders set is_sandbox = false where ${oneIn(3, 2)};
    update customers set is_sandbox = false where ${oneIn(3, 2)};
    update orders set cancelling_at = created_at where ${oneIn(500)};
    insert into downloads (merchant_id, order_id, id, line_item_id, asset_id, position, name, ext, size_in_bytes, remaining, is_revoked)
    select merchant_id, id, 'dwnld_' || right(id, 26), 'item_', 'ast_' || lpad('9', 26, '0'), 0, 'Song', 'mp3', 1, 3, false
    from orders where ${oneIn(200, 3)};
    -- One that was much written about, among many with a mail each.
    insert into order_history (merchant_id, order_id, id, kind, content, person, created_at)
    select merchant_id, id, 'mail_' || right(id, 26), 'mail', 'receipt', email, created_at from orders where merchant_id = ${shop};
    insert into order_history (merchant_id, order_id, id, kind, content, person, created_at)
    select noted.merchant_id, noted.id, 'note_' || n, 'note', 'Call back.', 'Ada', noted.created_at
    from (select merchant_id, id, created_at from orders where merchant_id = ${shop} and is_sandbox order by id limit 1) noted,
      generate_series(1, 500) n;
    -- By links: of each cart's state at most one.
    update checkouts token set is_hosted = true, cart_revision = cart.revision
    from (
      select merchant_id, cart_id, min(id) as id from checkouts where cart_id is not null group by 1, 2
    ) first
    join carts cart on cart.merchant_id = first.merchant_id and cart.id = first.cart_id
    where token.merchant_id = first.merchant_id and token.id = first.id;
    update merchants set settings = '{"orders":{"unpaid_expire_after_hours":24}}', full_sandbox = '{carts}' where merchant_id = ${shop};
    insert into holdings (merchant_id, carts, checkouts, counted_at)
    select ${shop}, 0, 0, percentile_disc(0.5) within group (order by made_at) from carts where merchant_id = ${shop};
    insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at, is_deleted)
    select ${shop}, 'cart_' || lpad(n::text, 26, 'z'), mode, ${moment}, ${moment}, ${moment} + interval '30 days', true
    from generate_series(1, 30) n, lateral (select n % 2 = 0) is_test (mode);
    -- Those of the other mode come before them, and are far more.
    insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at, is_deleted)
    select ${shop}, ${numbered(LIVE_MARK)}, false, ${moment}, ${moment}, ${moment} + interval '30 days', true
    from generate_series(1, ${ROWS}) n;
    -- No deleted cart has lines; without any, nobody could tell what looking for them costs.
    insert into cart_lines (merchant_id, cart_id, id, product_id, name, options, quantity)
    select merchant_id, id, 'item_' || right(id, 26), 'prod_' || right(id, 26), 'Hat', '{}', 1
    from carts where merchant_id = ${shop} and is_deleted and id not like '${LIVE_MARK}%';
    insert into cart_looks (merchant_id, cart_id, due_at)
    select merchant_id, id, updated_at + interval '24 hours' from carts where not is_deleted and ${oneIn(2)};
    insert into categories
    select (jsonb_populate_record(category, '${JSON.stringify(SMALL_CATEGORY)}')).*
    from categories category where merchant_id = ${shop} and parent_id is null limit 1;
    insert into product_categories (merchant_id, product_id, category_id, position)
    select merchant_id, id, '${SMALL_CATEGORY.id}', 9 from products where merchant_id = ${shop} order by md5(id) limit 8;
    insert into category_counts (merchant_id, category_id, slot, products) values (${shop}, '${SMALL_CATEGORY.id}', 0, 8);
    update products set is_active = false where ${oneIn(1000)};
    update product_attributes set value = '"${RARE_VALUE}"' where merchant_id = ${shop} and (hashtext(product_id) & 65535) % 1000 = 3;
    update products set is_inventory_managed = true
    where merchant_id = ${shop} and id in (select product_id from stock where merchant_id = ${shop} and available < 20);
    insert into product_batches (merchant_id, id, is_sandbox, change, is_trial, currency, origin, created_at)
    select ${shop}, ${numbered('bat_')}, true, '{}', false, 'USD', '', ${moment} + interval '1 minute' * n from generate_series(1, ${ROWS}) n;
    insert into product_batch_entries (merchant_id, batch_id, position, product_id, name, state)
    select ${shop}, ${numbered('bat_')}, place, 'prod_x', 'Hat', case when place < 15 then 'changed' else 'waiting' end
    from generate_series(1, ${ROWS}) n, generate_series(1, 20) place;
    update products set sku = '${RARE_START}-' || sku where ${oneIn(1000, 5)};
    insert into product_packages (merchant_id, product_id, asset_id, position, is_sample)
    select distinct merchant_id, product_id, 'ast_' || right(product_id, 26), 0, false from variants where merchant_id = ${shop};
    insert into extra_fields (merchant_id, product_id, id, position, name, type, is_required, created_at, updated_at)
    select distinct merchant_id, product_id, 'extr_' || lpad('9', 26, '0'), 9, 'Engraving', 'text', false, ${moment}, ${moment}
    from variants where merchant_id = ${shop};
    insert into related_products (merchant_id, product_id, related_id, position)
    select distinct merchant_id, product_id, 'prod_' || lpad('9', 26, '0'), 9 from variants where merchant_id = ${shop}
    on conflict do nothing;
    insert into option_assets (merchant_id, product_id, option_id, asset_id, position)
    select merchant_id, product_id, id, 'ast_' || lpad('9', 26, '0'), 0 from variant_options where merchant_id = ${shop};
    insert into variant_assets (merchant_id, product_id, variant_id, asset_id, position)
    select merchant_id, product_id, id, 'ast_' || lpad('9', 26, '0'), 0 from variants where merchant_id = ${shop};
    insert into category_assets (merchant_id, category_id, asset_id, position)
    select merchant_id, id, 'ast_' || lpad('9', 26, '0'), 0 from categories where merchant_id = ${shop};
    update idempotency_keys set running_until = ${moment} + interval '1 minute', status = null, version = null, body = null
    where merchant_id = ${shop} and (hashtext(key) & 65535) % 50 = 1;
    -- Three webhooks in each mode of each shop; the first has all the deliveries, the second something in line.
    insert into webhooks (merchant_id, id, is_sandbox, transport, url, subscribed_events, description, version, secret, turn_at,
      last_delivered_at, created_at, updated_at)
    select merchant_id, ${numbered('wbhk_')}, n <= 3, 'http', 'https://example.com/hook-' || n, '{*}', '', '2022-07-21', 'whsec_' || repeat('a', 44),
      case when n % 3 = 2 then ${moment} - interval '1 minute' end, ${moment}, ${moment}, ${moment}
    from merchants, generate_series(1, 6) n;
    update webhooks set failing_since = ${moment} - interval '1 day' where id = 'wbhk_' || lpad('3', 26, '0');
    update events set request_id = 'req_1' where (merchant_id, id) in (select merchant_id, min(id) from events group by 1);
    -- Many events are about one thing.
    update events set object_id = 'ordr_' || lpad('1', 26, '0') where ${oneIn(3)};
    insert into deliveries (merchant_id, webhook_id, id, event_id, event, object_id, state, due_at, is_in_line, claim, attempts, last_status,
      log, created_at, updated_at)
    select event.merchant_id, webhook.id, 'dlvr_' || substr(event.id, 5, 20) || right(webhook.id, 6), event.id, event.name, event.object_id,
      fate.state, case when fate.state = 'retrying' then ${moment} + interval '5 minutes' when fate.state = 'sending' then ${moment} + interval '1 minute'
        when fate.number between 60 and 69 then ${moment} - interval '1 second' end,
      fate.number between 40 and 59, 1, case when fate.state in ('pending', 'skipped') then 0 else 1 end,
      case fate.state when 'delivered' then 200 when 'failed' then 500 end,
      case when fate.state in ('delivered', 'failed') then jsonb_build_array(jsonb_build_object('number', 1, 'at', 1767323045, 'ms', 34, 'status', 200,
        'error', null, 'headers', jsonb_build_object('webhook-id', event.id, 'webhook-signature', 'v1,' || md5(event.id), 'webhook-timestamp', '1767323045'),
        'answer', 'Thank you.')) end,
      event.created_at, event.created_at
    from events event
    join webhooks webhook on webhook.merchant_id = event.merchant_id and webhook.id = 'wbhk_' || lpad('1', 26, '0')
    cross join lateral (
      select number, case when number < 20 then 'failed' when number < 40 then 'skipped' when number < 70 then 'pending' when number < 75 then 'sending'
        when number < 85 then 'retrying' else 'delivered' end as state
      from (select (hashtext(event.id) & 65535) % 1000 as number) number
    ) fate;
    insert into payment_methods (merchant_id, id, code, is_sandbox, config, is_enabled, is_single, created_at, updated_at)
    select ${shop}, ${numbered('gway_')}, 'manual', mode, '{}', true, false, ${moment}, ${moment} from unnest('{true,false}'::boolean[]) mode, lateral (select mode::integer) number (n);
    insert into deleted_payment_methods (merchant_id, id, code, is_sandbox, is_simulated, config, deleted_at)
    select ${shop}, ${numbered('gway_')}, 'manual', true, false, '{}', ${moment} from generate_series(101, 1100) n;
    insert into schedules (name, next_run_at, leased_until, claim) values ('plans', ${moment}, null, 0), ('plans-running', ${moment}, ${moment} + interval '1 minute', 1)
    on conflict do nothing;
    insert into signing_secrets (name, secret, created_at) values ('plans', decode(repeat('00', 32), 'hex'), ${moment});
    insert into session_keys (id, secret, created_at)
    select 'skey_' || n, decode(repeat('00', 32), 'hex'), ${moment} - n * interval '100 days' from generate_series(1, 3) n`
}
