// The subject of the statements: one row of each kind, from the middle of the large shop.

import type { Client } from 'pg'

/** Values by name: one row of each kind, from the middle of the large shop. */
export type Subject = Readonly<Record<string, string>>

/** Queries by name, without `select` and `limit 1`; they see only rows of the large shop. `{order_id}` inserts the value named so above. */
const SUBJECT = `
  shop: merchant_id from orders group by 1 order by count(*) desc
  order_id: o.id from orders o join customers c on c.merchant_id = o.merchant_id and c.id = o.customer_id and
      c.is_sandbox join capture_attempts a on a.merchant_id = o.merchant_id and a.id = o.attempt_id and a.state <>
      'released' where o.is_sandbox order by o.id desc offset 100
  is_sandbox: is_sandbox from orders where id = '{order_id}'
  checkout_id: checkout_id from orders where id = '{order_id}'
  cart_id: cart_id from orders where id = '{order_id}'
  attempt_id: attempt_id from orders where id = '{order_id}'
  customer_id: customer_id from orders where id = '{order_id}'
  customer_reference: customer_reference from orders where id = '{order_id}'
  email_key: email_key from customers where id = '{customer_id}'
  line_id: id from cart_lines where cart_id = '{cart_id}' order by id
  cart_product_id: product_id from cart_lines where cart_id = '{cart_id}' and id = '{line_id}'
  product_id: product_id from variants order by product_id offset 500
  other_product_id: id from products where id > '{product_id}' order by id
  permalink: permalink from products where id = '{product_id}'
  product_name: name from products where id = '{product_id}'
  sku: sku from products where id = '{product_id}'
  variant_id: id from variants where product_id = '{product_id}' order by id
  options: options from variants where product_id = '{product_id}' and id = '{variant_id}'
  group_id: id from variant_groups where product_id = '{product_id}' order by id
  option_id: id from variant_options where product_id = '{product_id}' order by id
  asset_id: asset_id from product_assets where product_id = '{product_id}' order by 1
  attribute_id: id from attributes order by id
  category_id: category_id from product_categories where product_id = '{product_id}' order by 1
  parent_id: parent_id from categories where parent_id is not null order by id
  batch_id: id from product_batches where is_sandbox = {is_sandbox} order by id offset 500
  slug: slug from categories where id = '{category_id}'
  discount_id: id from discounts order by id desc
  unused_discount_id: id from discounts where usage_limit is not null and expires_at is null order by id
  old_code: code from discounts where expires_at is not null order by id offset 1000
  current_code: code from discounts where expires_at is null and usage_limit is not null order by id desc
  code: code from discounts where id = '{discount_id}'
  gift_card_id: id from gift_cards order by id desc
  gift_card_code: code from gift_cards where id = '{gift_card_id}'
  zone_id: zone_id from shipping_methods order by id
  method_id: id from shipping_methods where zone_id = '{zone_id}' order by id
  tax_zone_id: id from tax_zones order by id
  payment_method_id: id from payment_methods order by id
  deleted_method_id: id from deleted_payment_methods order by id
  transaction_id: id from order_transactions where order_id = '{order_id}' order by id
  item_id: id from order_items where order_id = '{order_id}' order by id
  download_order_id: order_id from downloads order by order_id
  download_id: id from downloads where order_id = '{download_order_id}' order by id
  address_id: id from customer_addresses where customer_id = '{customer_id}' order by id
  token_hash: token_hash from login_tokens order by expires_at desc
  account_id: id from dashboard_accounts order by id
  account_email: email from dashboard_accounts where id = '{account_id}'
  dashboard_session_id: id from dashboard_sessions where account_id = '{account_id}' order by id
  dashboard_hash: token_hash from dashboard_sessions where id = '{dashboard_session_id}'
  mail_id: id from mails where is_sandbox order by id desc
  job_id: id from jobs where failed_at is null order by id offset 1000
  open_attempt_id: id from capture_attempts where state = 'waiting' order by exists (select from held_stock held where
      held.merchant_id = {shop} and held.attempt_id = capture_attempts.id) desc, id
  charging_attempt_id: id from capture_attempts where state = 'charging' order by id
  charging_method_id: payment_method_id from capture_attempts where id = '{charging_attempt_id}'
  bound_attempt_id: attempt_id from payment_references where reference = 'pay_1000'
  provider_charge_id: gateway_transaction_id from order_transactions where gateway_transaction_id like 'pi_%' and type
      = 'charge' and status = 'complete' order by id
  provider_method_id: payment_method_id from order_transactions where gateway_transaction_id = '{provider_charge_id}'
  settle_after: settle_after from capture_attempts where id = '{open_attempt_id}'
  charge_key: key from test_charges order by key offset 1000
  held_charge_key: key from test_charges where state = 'authorized' order by key
  paid_charge_key: key from test_charges where state = 'charged' order by key
  charge_currency: currency from test_charges where key = '{charge_key}'
  idempotency_key: key from idempotency_keys where running_until is not null order by key
  claimed_at: created_at from idempotency_keys where key = '{idempotency_key}'
  idempotency_route: route from idempotency_keys where key = '{idempotency_key}'
  subject: subject from attempts order by subject
  decline_subject: subject from decline_counters order by subject
  key_id: id from api_keys order by id
  key_hash: key_hash from api_keys order by id
  far: '2027-01-01'
  from: created_at from orders order by id offset 1000
  until: created_at from orders order by id offset 1020
  parent_slug: slug from categories where id = '{parent_id}'
  unreachable_asset_id: id from assets where source_url is not null order by id
  unattached_asset_id: id from assets order by id desc
  last_option_id: id from variant_options where product_id = '{product_id}' order by id desc
  charge_state: state from test_charges where key = '{charge_key}'
  job_kind: kind from jobs where id = '{job_id}'
  job_key: key from jobs where key is not null and failed_at is null order by id
  running_job_id: id from jobs where is_running order by id
  deleted_cart_id: cart_id from cart_lines l where exists (select from carts c where c.merchant_id = {shop} and c.id =
      l.cart_id and c.is_deleted) order by 1
  cart_revision: revision from carts where id = '{cart_id}'
  log_at: extract(epoch from created_at) * 1000 from request_log where is_sandbox order by created_at offset 1000
  log_id: id from request_log where is_sandbox order by created_at offset 1000
  given_log_id: id from request_log where is_sandbox and is_given order by created_at offset 100
  noted_order_id: order_id from order_history group by 1 order by count(*) desc
  event_id: id from events order by id
  webhook_id: id from webhooks where is_sandbox = {is_sandbox} order by id
  line_webhook_id: id from webhooks where is_sandbox = {is_sandbox} and turn_at is not null order by id
  line_turn_at: turn_at from webhooks where id = '{line_webhook_id}'
  delivery_id: id from deliveries where webhook_id = '{webhook_id}' and state = 'delivered' order by id offset 1000
  delivery_event_id: event_id from deliveries where webhook_id = '{webhook_id}' and id = '{delivery_id}'
  due_delivery_id: id from deliveries where webhook_id = '{webhook_id}' and state = 'pending' and not is_in_line order
      by id
  sending_delivery_id: id from deliveries where webhook_id = '{webhook_id}' and state = 'sending' order by id
  stored_secret: secret from webhooks where id = '{webhook_id}'
  busy_object: object_id from events group by 1 order by count(*) desc
  failed_job_id: id from jobs where failed_at is not null order by id
  pending_asset_id: id from assets where is_pending order by id
  settled_attempt_id: id from capture_attempts where state = 'done' order by id
  released_attempt_id: id from capture_attempts where state = 'released' order by id
  looked_cart_id: cart_id from cart_looks l where due_at <= '2026-01-02T03:00:00Z' and exists (select from cart_lines
      i where i.merchant_id = {shop} and i.cart_id = l.cart_id) order by 1
  made_slice: date_bin('5 minutes', made_at, to_timestamp(0)) from carts c where not is_deleted and not exists (select
      from cart_looks l where l.merchant_id = {shop} and l.cart_id = c.id) order by id offset 100
  made_until: counted_at + interval '1 minute' from holdings
  tokens_until: '{made_until}'::timestamptz + max(expires_at - created_at) from checkouts
  due_order_id: id from orders where is_sandbox = {is_sandbox} and (sales_day is null) = (cancelled_at is null) order
      by id
  middle: percentile_disc(0.5) within group (order by created_at) from orders`

/** Restricts the first table of a query to the rows of the large shop. */
const ofShop = (sql: string, shop: string | undefined) =>
  sql.replace(/ from (\w+)(?: (\w))?(?= |$)/, (_, table: string, alias = table) => {
    const rows = shop === undefined ? 'true' : `merchant_id = ${shop}`
    return ` from (select * from ${table} where ${rows}) ${alias}`
  })

export async function readSubject(client: Client): Promise<Subject> {
  const found: Record<string, string> = {}
  const missing: string[] = []
  for (const line of SUBJECT.trim().split(/\n {2}(?=\w)/)) {
    const [, name = '', query = ''] = /^(\w+): (.*)$/s.exec(line) ?? []
    const named = query.replaceAll(/\s+/g, ' ').replaceAll(/\{(\w+)\}/g, (_, other: string) => found[other] ?? '')
    const text = `select ${ofShop(named, found.shop)} limit 1`
    const { rows } = await client.query({ text: `select (${text})::text as value` })
    const value = rows[0]?.value
    if (typeof value !== 'string') missing.push(`${name}: ${text}`)
    found[name] = value
  }
  if (missing.length > 0) throw new Error(`The full tables lack:\n${missing.join('\n')}`)
  return found
}
