// Values for the parameters of each statement: of the large shop, such that there is something to find. Parameters are known by their names;
// what is only written, and decides about no row, is made up by its type.

import type { Client } from 'pg'
import { BATCH, PAGE, REACH } from './bounds.ts'

export type Values = Readonly<Record<string, unknown>>

/** What the statements are asked about: one of each thing, from the middle of what the large shop has. */
export type Subject = Readonly<Record<string, string>>

/** `{shop}` and `{is_sandbox}` are put in; later ones may name those before them. */
const SUBJECT: Readonly<Record<string, string>> = {
  shop: 'select merchant_id from orders group by 1 order by count(*) desc limit 1',
  shops: "select string_agg(merchant_id::text, ',' order by merchant_id) from merchants",
  order_id:
    "select o.id from orders o join customers c on c.merchant_id = o.merchant_id and c.id = o.customer_id and c.is_sandbox join capture_attempts a on a.merchant_id = o.merchant_id and a.id = o.attempt_id and a.state <> 'released' where o.merchant_id = {shop} and o.is_sandbox order by o.id desc offset 100 limit 1",
  is_sandbox: "select is_sandbox from orders where merchant_id = {shop} and id = '{order_id}'",
  checkout_id: "select checkout_id from orders where merchant_id = {shop} and id = '{order_id}'",
  cart_id: "select cart_id from orders where merchant_id = {shop} and id = '{order_id}'",
  attempt_id: "select attempt_id from orders where merchant_id = {shop} and id = '{order_id}'",
  customer_id: "select customer_id from orders where merchant_id = {shop} and id = '{order_id}'",
  customer_reference: "select customer_reference from orders where merchant_id = {shop} and id = '{order_id}'",
  email_key: "select email_key from customers where merchant_id = {shop} and id = '{customer_id}'",
  order_email: "select lower(email) from orders where merchant_id = {shop} and id = '{order_id}'",
  ordered_at: "select created_at from orders where merchant_id = {shop} and id = '{order_id}'",
  line_id: "select id from cart_lines where merchant_id = {shop} and cart_id = '{cart_id}' order by id limit 1",
  cart_product_id:
    "select product_id from cart_lines where merchant_id = {shop} and cart_id = '{cart_id}' and id = '{line_id}'",
  product_id: 'select product_id from variants where merchant_id = {shop} order by product_id offset 500 limit 1',
  other_product_id: "select id from products where merchant_id = {shop} and id > '{product_id}' order by id limit 1",
  permalink: "select permalink from products where merchant_id = {shop} and id = '{product_id}'",
  product_name: "select name from products where merchant_id = {shop} and id = '{product_id}'",
  sku: "select sku from products where merchant_id = {shop} and id = '{product_id}'",
  variant_id: "select id from variants where merchant_id = {shop} and product_id = '{product_id}' order by id limit 1",
  options:
    "select options from variants where merchant_id = {shop} and product_id = '{product_id}' and id = '{variant_id}'",
  group_id:
    "select id from variant_groups where merchant_id = {shop} and product_id = '{product_id}' order by id limit 1",
  option_id:
    "select id from variant_options where merchant_id = {shop} and product_id = '{product_id}' order by id limit 1",
  extra_field_id: 'select id from extra_fields where merchant_id = {shop} order by id limit 1',
  asset_id:
    "select asset_id from product_assets where merchant_id = {shop} and product_id = '{product_id}' order by 1 limit 1",
  attribute_id: 'select id from attributes where merchant_id = {shop} order by id limit 1',
  category_id:
    "select category_id from product_categories where merchant_id = {shop} and product_id = '{product_id}' order by 1 limit 1",
  parent_id:
    'select parent_id from categories where merchant_id = {shop} and parent_id is not null order by id limit 1',
  batch_id:
    'select id from product_batches where merchant_id = {shop} and is_sandbox = {is_sandbox} order by id offset 500 limit 1',
  slug: "select slug from categories where merchant_id = {shop} and id = '{category_id}'",
  discount_id: 'select id from discounts where merchant_id = {shop} order by id desc limit 1',
  unused_discount_id:
    'select id from discounts where merchant_id = {shop} and usage_limit is not null and expires_at is null order by id limit 1',
  old_code:
    'select code from discounts where merchant_id = {shop} and expires_at is not null order by id offset 1000 limit 1',
  current_code:
    'select code from discounts where merchant_id = {shop} and expires_at is null and usage_limit is not null order by id desc limit 1',
  code: "select code from discounts where merchant_id = {shop} and id = '{discount_id}'",
  gift_card_id: 'select id from gift_cards where merchant_id = {shop} order by id desc limit 1',
  gift_card_code: "select code from gift_cards where merchant_id = {shop} and id = '{gift_card_id}'",
  zone_id: 'select zone_id from shipping_methods where merchant_id = {shop} order by id limit 1',
  method_id: "select id from shipping_methods where merchant_id = {shop} and zone_id = '{zone_id}' order by id limit 1",
  tax_zone_id: 'select id from tax_zones where merchant_id = {shop} order by id limit 1',
  payment_method_id: 'select id from payment_methods where merchant_id = {shop} order by id limit 1',
  deleted_method_id: 'select id from deleted_payment_methods where merchant_id = {shop} order by id limit 1',
  transaction_id:
    "select id from order_transactions where merchant_id = {shop} and order_id = '{order_id}' order by id limit 1",
  item_id: "select id from order_items where merchant_id = {shop} and order_id = '{order_id}' order by id limit 1",
  download_order_id: 'select order_id from downloads where merchant_id = {shop} order by order_id limit 1',
  download_id:
    "select id from downloads where merchant_id = {shop} and order_id = '{download_order_id}' order by id limit 1",
  address_id:
    "select id from customer_addresses where merchant_id = {shop} and customer_id = '{customer_id}' order by id limit 1",
  token_hash: 'select token_hash from login_tokens where merchant_id = {shop} order by expires_at desc limit 1',
  account_id: 'select id from dashboard_accounts where merchant_id = {shop} order by id limit 1',
  account_email: "select email from dashboard_accounts where merchant_id = {shop} and id = '{account_id}'",
  dashboard_session_id:
    "select id from dashboard_sessions where merchant_id = {shop} and account_id = '{account_id}' order by id limit 1",
  dashboard_hash:
    "select token_hash from dashboard_sessions where merchant_id = {shop} and id = '{dashboard_session_id}'",
  mail_id: 'select id from mails where merchant_id = {shop} and is_sandbox order by id desc limit 1',
  recipient: "select recipient from mails where merchant_id = {shop} and id = '{mail_id}'",
  job_id: 'select id from jobs where merchant_id = {shop} and failed_at is null order by id offset 1000 limit 1',
  open_attempt_id:
    "select id from capture_attempts where merchant_id = {shop} and state = 'waiting' order by exists (select from held_stock held where held.merchant_id = {shop} and held.attempt_id = capture_attempts.id) desc, id limit 1",
  charging_attempt_id:
    "select id from capture_attempts where merchant_id = {shop} and state = 'charging' order by id limit 1",
  charging_method_id:
    "select payment_method_id from capture_attempts where merchant_id = {shop} and id = '{charging_attempt_id}'",
  bound_attempt_id: "select attempt_id from payment_references where merchant_id = {shop} and reference = 'pay_1000'",
  provider_charge_id:
    "select gateway_transaction_id from order_transactions where merchant_id = {shop} and gateway_transaction_id like 'pi_%' and type = 'charge' and status = 'complete' order by id limit 1",
  provider_method_id:
    "select payment_method_id from order_transactions where merchant_id = {shop} and gateway_transaction_id = '{provider_charge_id}'",
  settle_after: "select settle_after from capture_attempts where merchant_id = {shop} and id = '{open_attempt_id}'",
  charge_key: 'select key from test_charges where merchant_id = {shop} order by key offset 1000 limit 1',
  held_charge_key:
    "select key from test_charges where merchant_id = {shop} and state = 'authorized' order by key limit 1",
  paid_charge_key: "select key from test_charges where merchant_id = {shop} and state = 'charged' order by key limit 1",
  charge_currency: "select currency from test_charges where merchant_id = {shop} and key = '{charge_key}'",
  idempotency_key:
    'select key from idempotency_keys where merchant_id = {shop} and running_until is not null order by key limit 1',
  claimed_at: "select created_at from idempotency_keys where merchant_id = {shop} and key = '{idempotency_key}'",
  idempotency_route: "select route from idempotency_keys where merchant_id = {shop} and key = '{idempotency_key}'",
  subject: 'select subject from attempts where merchant_id = {shop} order by subject limit 1',
  decline_subject: 'select subject from decline_counters where merchant_id = {shop} order by subject limit 1',
  key_id: 'select id from api_keys where merchant_id = {shop} order by id limit 1',
  key_hash: 'select key_hash from api_keys where merchant_id = {shop} order by id limit 1',
  far: "select '2027-01-01'",
  from: 'select created_at from orders where merchant_id = {shop} order by id offset 1000 limit 1',
  until: 'select created_at from orders where merchant_id = {shop} order by id offset 1020 limit 1',
  parent_slug: "select slug from categories where merchant_id = {shop} and id = '{parent_id}'",
  unreachable_asset_id:
    'select id from assets where merchant_id = {shop} and source_url is not null order by id limit 1',
  unattached_asset_id: 'select id from assets a where merchant_id = {shop} order by id desc limit 1',
  last_option_id:
    "select id from variant_options where merchant_id = {shop} and product_id = '{product_id}' order by id desc limit 1",
  charge_state: "select state from test_charges where merchant_id = {shop} and key = '{charge_key}'",
  job_kind: "select kind from jobs where merchant_id = {shop} and id = '{job_id}'",
  job_key:
    'select key from jobs where merchant_id = {shop} and key is not null and failed_at is null order by id limit 1',
  running_job_id: 'select id from jobs where merchant_id = {shop} and is_running order by id limit 1',
  deleted_cart_id:
    'select cart_id from cart_lines l where merchant_id = {shop} and exists (select from carts c where c.merchant_id = {shop} and c.id = l.cart_id and c.is_deleted) order by 1 limit 1',
  cart_revision: "select revision from carts where merchant_id = {shop} and id = '{cart_id}'",
  log_at:
    'select extract(epoch from created_at) * 1000 from request_log where merchant_id = {shop} and is_sandbox order by created_at offset 1000 limit 1',
  log_id:
    'select id from request_log where merchant_id = {shop} and is_sandbox order by created_at offset 1000 limit 1',
  given_log_id:
    'select id from request_log where merchant_id = {shop} and is_sandbox and is_given order by created_at offset 100 limit 1',
  noted_order_id:
    'select order_id from order_history where merchant_id = {shop} group by 1 order by count(*) desc limit 1',
  event_id: 'select id from events where merchant_id = {shop} order by id limit 1',
  webhook_id: 'select id from webhooks where merchant_id = {shop} and is_sandbox = {is_sandbox} order by id limit 1',
  line_webhook_id:
    'select id from webhooks where merchant_id = {shop} and is_sandbox = {is_sandbox} and turn_at is not null order by id limit 1',
  line_turn_at: "select turn_at from webhooks where merchant_id = {shop} and id = '{line_webhook_id}'",
  delivery_id:
    "select id from deliveries where merchant_id = {shop} and webhook_id = '{webhook_id}' and state = 'delivered' order by id offset 1000 limit 1",
  delivery_event_id:
    "select event_id from deliveries where merchant_id = {shop} and webhook_id = '{webhook_id}' and id = '{delivery_id}'",
  due_delivery_id:
    "select id from deliveries where merchant_id = {shop} and webhook_id = '{webhook_id}' and state = 'pending' and not is_in_line order by id limit 1",
  sending_delivery_id:
    "select id from deliveries where merchant_id = {shop} and webhook_id = '{webhook_id}' and state = 'sending' order by id limit 1",
  stored_secret: "select secret from webhooks where merchant_id = {shop} and id = '{webhook_id}'",
  busy_object: 'select object_id from events where merchant_id = {shop} group by 1 order by count(*) desc limit 1',
  failed_job_id: 'select id from jobs where merchant_id = {shop} and failed_at is not null order by id limit 1',
  pending_asset_id: 'select id from assets where merchant_id = {shop} and is_pending order by id limit 1',
  settled_attempt_id:
    "select id from capture_attempts where merchant_id = {shop} and state = 'done' order by id limit 1",
  released_attempt_id:
    "select id from capture_attempts where merchant_id = {shop} and state = 'released' order by id limit 1",
  looked_cart_id:
    "select cart_id from cart_looks l where merchant_id = {shop} and due_at <= '2026-01-02T03:00:00Z' and exists (select from cart_lines i where i.merchant_id = {shop} and i.cart_id = l.cart_id) order by 1 limit 1",
  made_slice: `select date_bin('5 minutes', made_at, to_timestamp(0)) from carts c where merchant_id = {shop} and not is_deleted and not exists (select from cart_looks l where l.merchant_id = {shop} and l.cart_id = c.id) order by id offset 100 limit 1`,
  made_until: "select counted_at + interval '1 minute' from holdings where merchant_id = {shop}",
  tokens_until:
    "select '{made_until}'::timestamptz + max(expires_at - created_at) from checkouts where merchant_id = {shop}",
  due_order_id:
    'select id from orders where merchant_id = {shop} and is_sandbox = {is_sandbox} and (sales_day is null) = (cancelled_at is null) order by id limit 1',
  middle: 'select percentile_disc(0.5) within group (order by created_at) from orders where merchant_id = {shop}',
}

export async function readSubject(client: Client): Promise<Subject> {
  const found: Record<string, string> = {}
  const missing: string[] = []
  for (const [name, query] of Object.entries(SUBJECT)) {
    const text = query.replaceAll(/\{(\w+)\}/g, (_, other: string) => found[other] ?? '')
    const { rows } = await client.query({ text: `select (${text})::text as value` })
    const value = rows[0]?.value
    if (typeof value !== 'string') missing.push(`${name}: ${text}`)
    found[name] = value
  }
  if (missing.length > 0) throw new Error(`The full tables lack:\n${missing.join('\n')}`)
  return found
}

/** What `:id` is the id of, by how the statement's name begins. */
const IDS: readonly (readonly [RegExp, string])[] = [
  [/^dashboard_accounts\./, 'account_id'],
  [/^dashboard_sessions\./, 'dashboard_session_id'],
  [/^assets\./, 'asset_id'],
  [/^attributes\./, 'attribute_id'],
  [/^carts\./, 'cart_id'],
  [/^categories\./, 'category_id'],
  [/^checkouts\./, 'checkout_id'],
  [/^customers\./, 'customer_id'],
  [/^customer_addresses\./, 'address_id'],
  [/^discounts\./, 'discount_id'],
  [/^deliveries\./, 'delivery_id'],
  [/^events\./, 'delivery_event_id'],
  [/^gift_cards\./, 'gift_card_id'],
  [/^orders\.update_transaction/, 'transaction_id'],
  [/^orders\.update_item/, 'item_id'],
  [/^(orders\.update_download|downloads\.)/, 'download_id'],
  [/^orders\./, 'order_id'],
  [/^payment_methods\./, 'payment_method_id'],
  [/^products\.delete_variant_group/, 'group_id'],
  [/^products\.delete_variant_option/, 'option_id'],
  [/^products\.(\w+_variant)$/, 'variant_id'],
  [/^products\.find_batch(_work)?$/, 'batch_id'],
  [/^products\./, 'product_id'],
  [/^shipping\./, 'zone_id'],
  [/^tax\./, 'tax_zone_id'],
  [/^capture\./, 'open_attempt_id'],
  [/^mails\./, 'mail_id'],
  [/^jobs\./, 'job_id'],
  [/^merchants\./, 'key_id'],
  [/^webhooks\./, 'webhook_id'],
]

/** By type, for what is written. */
const MADE_UP: Readonly<Record<string, unknown>> = {
  text: 'x',
  integer: 1,
  smallint: 200,
  bigint: 1,
  'double precision': 1,
  boolean: false,
  'timestamp with time zone': '2026-01-02T04:00:00Z',
  json: '{}',
  jsonb: '{}',
  bytea: `\\x${'00'.repeat(32)}`,
}

const madeUp = (type: string): unknown => (type.endsWith('[]') ? '{}' : MADE_UP[type])

const makesRow = (name: string) => /\.(insert\w*|enqueue)$/.test(name)

export function valuesOf(
  name: string,
  parameters: readonly string[],
  types: readonly string[],
  subject: Subject,
): Values {
  const byName = sharedValues(subject)
  const own = OWN[name]?.(subject) ?? (name.endsWith('_found') ? { moment: subject.far, limit: BATCH } : {})
  const id = makesRow(name) ? `new_${'0'.repeat(26)}` : subject[IDS.find(([pattern]) => pattern.test(name))?.[1] ?? '']
  return Object.fromEntries(
    parameters.map((parameter, place) => [
      parameter,
      parameter in own
        ? own[parameter]
        : ((parameter === 'id' ? id : byName[parameter]) ?? madeUp(types[place] ?? 'text')),
    ]),
  )
}

function sharedValues(subject: Subject): Values {
  return {
    ...subject,
    merchant_id: subject.shop,
    now: '2026-01-02T04:00:00Z',
    limit: PAGE,
    offset: 0,
    is_secret: true,
    most_bytes: 4_194_304,
  }
}

const list = (...values: (string | undefined)[]) => `{${values.map((value) => JSON.stringify(value ?? '')).join(',')}}`
const rows = (...entries: Values[]) => JSON.stringify(entries)

const FRESH = `new_${'0'.repeat(26)}`

/** Two events, which the webhooks of their mode want. */
const TOLD: Values = {
  event_ids: list('evt_1', 'evt_2'),
  event_names: list('orders.create', 'orders.update'),
  event_kinds: list('order', 'order'),
  event_objects: list('ord_1', 'ord_2'),
  event_modes: '{true,false}',
  event_payloads: list('{}', '{}'),
  event_codes: '{200,200}',
}

/** Asked for, and found nowhere: so all is looked at that may be. */
const NO_EVENT = 'nobody.does_this'

const ALL_DELIVERIES: Values = { state: null, event: null, status: null, before: 'dlvr_~', from: 'dlvr_' }

/** What a statement is given beside, or instead of, what the names say. */
const OWN: Readonly<Record<string, (subject: Subject) => Values>> = {
  'events.insert': () => TOLD,
  ...all(['events.list', 'events.list_of_object'], ({ busy_object }) => ({
    object: busy_object,
    before: 'evt_~',
    from: '',
    reach: REACH,
    event: NO_EVENT,
  })),
  'deliveries.find_due': ({ far }) => ({ now: far, limit: BATCH }),
  ...all(['deliveries.take_due', 'deliveries.put_in_line'], ({ webhook_id, due_delivery_id, far }) => ({
    webhook_ids: list(webhook_id),
    ids: list(due_delivery_id),
    now: far,
  })),
  'deliveries.end_delivered': ({ webhook_id, sending_delivery_id }) => ({
    webhook_ids: list(webhook_id),
    ids: list(sending_delivery_id),
    claims: '{1}',
    statuses: '{200}',
    entries: list('{}'),
  }),
  'deliveries.end_failed': ({ sending_delivery_id }) => ({
    id: sending_delivery_id,
    claim: 1,
    state: 'failed',
    entry: '{}',
  }),
  'deliveries.lock_sending': ({ sending_delivery_id }) => ({ id: sending_delivery_id }),
  'deliveries.replay_event': ({ delivery_event_id, webhook_id }) => ({
    event_id: delivery_event_id,
    webhook_ids: list(webhook_id),
  }),
  'deliveries.replay_many': () => ({ state: 'failed', after: 'dlvr_', before: 'dlvr_~' }),
  'deliveries.list': () => ({ ...ALL_DELIVERIES, event: NO_EVENT, reach: REACH }),
  'deliveries.list_of_state': () => ({ ...ALL_DELIVERIES, state: 'failed', reach: PAGE }),
  'deliveries.list_of_object': ({ busy_object }) => ({
    ...ALL_DELIVERIES,
    object: busy_object,
    before_event: 'evt_~',
    from_event: 'evt_',
    event: NO_EVENT,
    reach: REACH,
  }),
  'sweep.deliveries': ({ webhook_id, delivery_id, far }) => ({
    webhook_id: list(webhook_id),
    id: list(delivery_id),
    moment: far,
  }),
  ...all(['webhooks.insert', 'webhooks.update', 'webhooks.set_health'], () => ({
    transport: 'http',
    url: 'https://example.com/hook',
    disabled_reason: null,
  })),
  'webhooks.announce_lines': ({ webhook_id }) => ({ ids: list(webhook_id), hastens: true }),
  'webhooks.list_arrivals': () => ({ from: 'dlvr_', reach: REACH / 4 }),
  'deliveries.hasten': ({ due_delivery_id }) => ({ id: due_delivery_id, now: '1970-01-02' }),
  'webhooks.find_lines': ({ far }) => ({ now: far, limit: BATCH }),
  'webhooks.take_turn': ({ line_webhook_id, far }) => ({ id: line_webhook_id, now: far, held_until: null }),
  'webhooks.end_line': ({ line_webhook_id, line_turn_at }) => ({
    id: line_webhook_id,
    turn: 0,
    held_until: line_turn_at,
  }),
  'webhooks.list_on': () => ({ event: 'orders.create' }),
  'webhooks.list_of_all': () => ({ after_merchant_id: 0, after_id: '' }),
  'webhooks.replace_secrets': ({ stored_secret }) => ({
    secret: 'whsec_b3RoZXI=',
    previous_secret: null,
    former_secret: stored_secret,
    former_previous_secret: null,
  }),
  'events.list_of_order': ({ busy_object }) => ({ order_id: busy_object, before: 'evt_~' }),
  'events.list_of_request': () => ({ request_id: 'req_1', from: 'evt_', before: 'evt_~', reach: REACH }),
  // No rollback takes it back, and the inserts of other tests go on from there.
  'merchants.number_from': () => ({ number: 1_000_000_000 }),
  'jobs.enqueue': (subject) => ({ kind: subject.job_kind, key: subject.job_key }),
  'jobs.find_due': (subject) => ({ kinds: list(subject.job_kind, 'a', 'b', 'c'), now: subject.far, limit: BATCH }),
  'jobs.find_by_shop': (subject) => ({ kind: subject.job_kind, after: -1, limit: BATCH }),
  'jobs.count_waiting': (subject) => ({ kind: subject.job_kind, most: BATCH }),
  'jobs.claim_alone': (subject) => ({ id: subject.job_id, kinds: list(subject.job_kind), now: subject.far }),
  'jobs.claim': (subject) => ({ ids: list(subject.job_id, subject.running_job_id), now: subject.far }),
  'jobs.join_waiting': (subject) => ({ id: subject.running_job_id, kind: subject.job_kind }),
  ...all(['jobs.renew', 'jobs.interrupt', 'jobs.complete', 'jobs.retry', 'jobs.give_up'], (subject) => ({
    id: subject.running_job_id,
  })),
  'signing_secrets.find': () => ({ name: 'plans' }),
  'session_keys.delete_replaced': (subject) => ({ moment: subject.far }),
  'assets.hold_usable': ({ asset_id }) => ({ ids: list(asset_id) }),
  ...all(['assets.find_placeholders', 'assets.set_source_problem'], ({ unreachable_asset_id }) => ({
    id: unreachable_asset_id,
    ids: list(unreachable_asset_id),
  })),
  'sweep.used_file_keys': ({ shop, asset_id }) => ({ merchant_ids: list(shop), asset_ids: list(asset_id) }),
  'sweep.merchants_expiring_orders': () => ({ after_id: 0 }),
  'sweep.merchants_with_due_orders': ({ shops, far }) => ({
    merchant_ids: `{${shops}}`,
    modes: list(...(shops ?? '').split(',').map(() => 'true')),
    moments: list(...(shops ?? '').split(',').map(() => far)),
  }),
  'payment_methods.list_of_all': () => ({ after_merchant_id: 0, after_id: '' }),
  'payment_methods.list_deleted_of_all': () => ({ after_merchant_id: 0, after_id: '' }),
  'payment_methods.replace_deleted_config': ({ deleted_method_id }) => ({ id: deleted_method_id ?? '' }),
  'capture.unbind_payment': ({ bound_attempt_id }) => ({
    id: bound_attempt_id,
    is_sandbox: true,
    gateway: 'razorpay',
    reference: 'pay_1000',
  }),
  'provider_messages.find_order': ({ provider_charge_id, provider_method_id, attempt_id }) => ({
    transaction_id: provider_charge_id,
    payment_method_id: provider_method_id,
    attempt_id,
  }),
  ...all(['provider_messages.note', 'provider_messages.hasten'], ({ charging_attempt_id, charging_method_id }) => ({
    payment_method_id: charging_method_id,
    attempt_id: charging_attempt_id,
  })),
  'sweep.provider_messages': ({ provider_method_id, far }) => ({
    payment_method_id: list(provider_method_id ?? ''),
    id: list('evt_1000'),
    moment: far,
  }),
  'sweep.undecided_payments': ({ far }) => ({
    moment: far,
    updated_at: '2000-01-01',
    merchant_id: 0,
    id: '',
    limit: BATCH,
  }),
  'sweep.capture_attempts': ({ settled_attempt_id, far }) => ({ id: list(settled_attempt_id), moment: far }),
  'sweep.released_attempts': ({ released_attempt_id, far }) => ({ id: list(released_attempt_id), moment: far }),
  'sweep.carts': ({ cart_id, far }) => ({ id: list(cart_id), moment: far }),
  'sweep.checkouts': ({ checkout_id, far }) => ({ id: list(checkout_id), moment: far }),
  'sweep.events': ({ event_id, far }) => ({ id: list(event_id), moment: far }),
  'sweep.failed_jobs': ({ failed_job_id, far }) => ({ id: list(failed_job_id), moment: far }),
  'sweep.mails': ({ mail_id, far }) => ({ id: list(mail_id), moment: far }),
  'sweep.deleted_payment_methods': ({ deleted_method_id, far }) => ({ id: list(deleted_method_id), moment: far }),
  'sweep.pending_assets': ({ pending_asset_id, far }) => ({ ids: list(pending_asset_id), moment: far }),
  'sweep.dashboard_devices': ({ dashboard_hash, far }) => ({ device_hash: list(dashboard_hash), moment: far }),
  'sweep.dashboard_links': ({ dashboard_hash, far }) => ({ token_hash: list(dashboard_hash), moment: far }),
  'sweep.dashboard_sessions': ({ dashboard_session_id, far }) => ({ id: list(dashboard_session_id), moment: far }),
  'sweep.dashboard_waits': ({ far }) => ({ subject: list('login 1'), moment: far }),
  ...all(['dashboard_accounts.list_by_email', 'dashboard_accounts.lock_by_email'], ({ account_email }) => ({
    email: account_email,
  })),
  'merchants.find_password_hash': ({ account_email }) => ({ email: account_email }),
  'dashboard_accounts.use_spare_code': ({ dashboard_hash }) => ({ hash: dashboard_hash }),
  'dashboard_accounts.list_with_roles': () => ({ roles: list('owner') }),
  ...all(['dashboard_accounts.insert_invited', 'dashboard_accounts.set_role'], () => ({
    email: 'new@example.com',
    role: 'packer',
  })),
  ...all(
    ['dashboard_sessions.find_by_token', 'dashboard_sessions.delete_by_token', 'dashboard_sessions.list'],
    ({ dashboard_hash }) => ({ token_hash: dashboard_hash, idle_since: '2000-01-01' }),
  ),
  ...all(['dashboard_links.find', 'dashboard_links.take', 'dashboard_links.delete'], ({ dashboard_hash }) => ({
    token_hash: dashboard_hash,
    purpose: 'reset',
  })),
  'dashboard_links.insert': () => ({ purpose: 'reset' }),
  'dashboard_sessions.delete_others': () => ({ kept: '' }),
  'dashboard_sessions.delete_oldest': () => ({ kept: 0 }),
  'dashboard_devices.list_known': ({ dashboard_hash }) => ({ hashes: list(dashboard_hash) }),
  'dashboard_devices.keep': ({ dashboard_hash }) => ({ device_hash: dashboard_hash }),
  ...all(['dashboard_waits.make', 'dashboard_waits.lock', 'dashboard_waits.set'], () => ({
    subjects: list('login 1', 'login 2'),
    failures: '{1,2}',
    untils: list('2026-01-02T04:00:00Z', '2026-01-02T04:00:00Z'),
    ends: list('2026-01-02T04:00:00Z', '2026-01-02T04:00:00Z'),
  })),
  'sweep.login_tokens': ({ token_hash, far }) => ({ token_hash: list(token_hash), moment: far }),
  'sweep.decline_counters': ({ decline_subject, far }) => ({ subject: list(decline_subject), moment: far }),
  'sweep.attempts': ({ subject, far }) => ({ subject: list(subject), moment: far }),
  'sweep.idempotency_keys': ({ is_sandbox, idempotency_key, idempotency_route, far }) => ({
    is_sandbox: list(is_sandbox),
    key: list(idempotency_key),
    route: list(idempotency_route),
    moment: far,
  }),
  'test_charges.delete_old': ({ charge_key, far }) => ({ key: list(charge_key), moment: far }),
  'products.insert_batch': () => ({ id: FRESH, change: '{}' }),
  'products.insert_batch_entries': () => ({ entries: rows({ position: 21, product_id: FRESH, name: 'x' }) }),
  'products.names': ({ product_id, other_product_id }) => ({ ids: list(product_id, other_product_id) }),
  'products.list_waiting_entries': () => ({ after: 14 }),
  ...all(['products.lock_batch_entry', 'products.end_batch_entry'], () => ({
    position: 15,
    state: 'changed',
    errors: '[]',
  })),
  'products.find_category_slugs': ({ slug }) => ({ slugs: list(slug) }),
  'sweep.product_batches': ({ batch_id, far }) => ({ id: list(batch_id), moment: far }),
  'products.find_stamp': ({ product_id }) => ({ value: product_id }),
  'products.find_stamp_by_sku': ({ sku }) => ({ value: sku }),
  'products.find_stamp_by_permalink': ({ permalink }) => ({ value: permalink }),
  ...all(['carts.put_line', 'carts.remove_line', 'carts.join_lines'], ({ cart_revision, line_id, product_id }) => ({
    revision: cart_revision,
    removed_id: line_id,
    line_id: FRESH,
    product_id,
  })),
  'lines.find_goods': ({ product_id }) => ({
    product_ids: list(product_id),
    variants: rows({ product_id, options: {} }),
  }),
  'lines.find_combinations': ({ product_id }) => ({ product_ids: list(product_id) }),
  'lines.find_stock': ({ product_id }) => ({ product_ids: list(product_id) }),
  'schedules.claim': () => ({ names: '{plans}' }),
  ...all(['schedules.read_places', 'schedules.keep_place'], () => ({ name: 'plans' })),
  ...all(['schedules.renew', 'schedules.end'], () => ({ name: 'plans-running', claim: 1 })),
  ...all(['attributes.insert', 'attributes.update'], () => ({ type: 'short_text' })),
  'products.set_categories': ({ category_id }) => ({ ids: list(category_id) }),
  'products.hold_categories': ({ category_id }) => ({ ids: list(category_id) }),
  'products.set_assets': ({ asset_id }) => ({ ids: list(asset_id) }),
  'products.set_variant_assets': ({ asset_id }) => ({ ids: list(asset_id) }),
  ...all(['products.set_related_products', 'products.hold_products', 'products.find_many'], ({ other_product_id }) => ({
    ids: list(other_product_id),
  })),
  'products.set_attributes': ({ attribute_id }) => ({ entries: rows({ id: attribute_id, value: 'x' }) }),
  'products.set_packages': ({ unattached_asset_id }) => ({
    entries: rows({ asset_id: unattached_asset_id, name: 'x', is_sample: false }),
  }),
  'products.set_extra_fields': () => ({ entries: rows({ id: FRESH, name: 'x', type: 'text', is_required: false }) }),
  'products.set_variant_groups': ({ group_id }) => ({ entries: rows({ id: group_id, position: 0, name: 'x' }) }),
  'products.set_variant_options': ({ group_id, option_id }) => ({
    entries: rows({ id: option_id, group_id, position: 0, name: 'x', price_delta: 0 }),
  }),
  'products.set_option_assets': ({ asset_id, last_option_id }) => ({
    entries: rows({ option_id: last_option_id, asset_id }),
  }),
  'products.clear_option_assets': ({ option_id }) => ({ ids: list(option_id) }),
  'products.clear_variant_options': ({ group_id }) => ({ group_ids: list(group_id) }),
  'products.insert_variants': () => ({ entries: rows({ id: FRESH, options: { a: 'b' } }) }),
  'products.find_variants': ({ variant_id }) => ({ ids: list(variant_id) }),
  'products.open_stock': () => ({ items: rows({ id: FRESH, available: 1 }) }),
  ...all(
    ['products.lock_stock', 'products.clear_stock', 'products.delete_variant_stock', 'products.set_stock'],
    ({ product_id }) => ({
      item_id: product_id,
    }),
  ),
  'products.find': ({ product_id }) => ({ value: product_id }),
  'products.find_by_sku': ({ sku }) => ({ value: sku }),
  'products.find_by_permalink': ({ permalink }) => ({ value: permalink }),
  'products.hold_shipping_zones': ({ zone_id }) => ({ ids: list(zone_id) }),
  'products.hold_attributes': ({ attribute_id }) => ({ ids: list(attribute_id) }),
  ...all(['stock.restock', 'stock.find_restock_places', 'capture.take_stock'], ({ cart_product_id, product_id }) => ({
    item_ids: list(cart_product_id, product_id),
    quantities: '{1,1}',
  })),
  ...all(['products.insert', 'products.update'], () => ({ permalink: 'new', sku: 'new' })),
  'shipping.set_methods': ({ method_id }) => ({
    methods: rows({ position: 0, id: method_id, description: 'x', price: 1, on_own: 0, with_others: 0 }),
  }),
  ...all(['discounts.insert', 'discounts.update'], () => ({ type: 'fixed', code: 'NEW' })),
  ...all(['discounts.count_use', 'discounts.uncount_use'], ({ unused_discount_id }) => ({
    discount_id: unused_discount_id,
  })),
  ...all(['discounts.list_text', 'discounts.list_text_expired'], ({ old_code }) => ({ text: old_code })),
  ...all(['discounts.export_text', 'discounts.export_text_expired'], ({ old_code }) => ({ text: old_code, after: '' })),
  'discounts.list_text_current': ({ current_code }) => ({ text: current_code }),
  'discounts.export_text_current': ({ current_code }) => ({ text: current_code, after: '' }),
  ...all(['gift_cards.list_text', 'gift_cards.export_text'], ({ gift_card_code }) => ({
    text: gift_card_code,
    after: '',
  })),
  ...all(['discounts.export', 'discounts.export_expired', 'discounts.export_current', 'gift_cards.export'], () => ({
    after: '',
    after_end: '-infinity',
  })),
  'discounts.offer': ({ unused_discount_id }) => ({ id: unused_discount_id }),
  'discounts.withdraw': ({ unused_discount_id }) => ({ id: unused_discount_id, modes: '{true,false}' }),
  ...all(['gift_cards.insert', 'gift_cards.update'], () => ({ code: 'NEW' })),
  'gift_cards.guess_usable': ({ gift_card_code }) => ({ code: gift_card_code }),
  'gift_cards.move_balance': () => ({ reason: 'adjusted' }),
  'customer_addresses.clear_defaults': () => ({ id: FRESH, default_shipping: true, default_billing: true }),
  ...all(['customer_addresses.insert', 'customer_addresses.update'], () => ({ most: 100 })),
  ...all(['customers.insert', 'customers.update'], () => ({ email_key: 'new@example.com' })),
  'customers.insert_login_token': () => ({ token_hash: `\\x${'01'.repeat(32)}` }),
  'orders.find_many': ({ order_id }) => ({ ids: list(order_id) }),
  'orders.find_of_customer': ({ customer_id }) => ({ of_customer_id: customer_id, begun_at: null }),
  ...all(['customers.find', 'customers.lock', 'customers.touch'], () => ({ begun_at: null })),
  ...all(['customer_addresses.list', 'customer_addresses.find'], () => ({ begun_at: null })),
  ...all(
    [
      'orders.cancel',
      'orders.insert',
      'orders.insert_shipment',
      'orders.update_item',
      'orders.update_transaction',
      'orders.settle_refunds',
    ],
    () => ({
      status_payment: 'paid',
      status_fulfillment: 'fulfilled',
      status: 'complete',
      charges: '[]',
      downloads: '[]',
      refunds: '[]',
      rest: '[]',
      endings: '[]',
    }),
  ),
  'orders.insert': ({ item_id, line_id }) => ({
    ...TOLD,
    status_payment: 'paid',
    status_fulfillment: 'fulfilled',
    checkout_id: FRESH,
    jobs: rows({ id: FRESH, kind: 'x', payload: {} }),
    charges: rows({
      id: FRESH,
      payment_id: FRESH,
      type: 'charge',
      status: 'complete',
      status_reason: 'x',
      is_authorized: false,
      amount: 1,
      gateway: 'x',
      gateway_key: 'x',
      is_simulated: false,
      notes: '',
    }),
    items: rows({
      id: item_id,
      line_item_id: line_id,
      position: 0,
      quantity: 1,
      quantity_fulfilled: 0,
      is_returned: false,
    }),
    downloads: '[]',
  }),
  'orders.insert_shipment': ({ order_id, item_id }) => ({
    order_id,
    status_fulfillment: 'fulfilled',
    items: rows({ item_id, quantity: 1 }),
  }),
  'orders.begin_refund': ({ transaction_id }) => ({
    refund_id: FRESH,
    status: 'pending',
    items: '[]',
    counts: rows({ id: transaction_id, amount: 0 }),
    parts: rows({
      id: FRESH,
      payment_id: FRESH,
      type: 'refund',
      status: 'pending',
      status_reason: 'x',
      amount: 1,
      gateway: 'x',
      gateway_key: 'x',
      is_simulated: false,
    }),
  }),
  'orders.settle_refunds': ({ transaction_id }) => ({
    status_payment: 'paid',
    outcomes: rows({ id: transaction_id, status: 'complete', status_reason: 'x', notes: '' }),
    counts: rows({ id: transaction_id, amount: 0 }),
    conclusions: rows({ id: FRESH, status: 'complete', credit: 0 }),
  }),
  'orders.write_dispute': ({ transaction_id }) => ({ id: FRESH, transaction_id, status: 'open' }),
  ...all(['orders.update_download', 'downloads.find', 'downloads.count'], ({ download_order_id }) => ({
    order_id: download_order_id,
  })),
  ...all(['merchants.insert', 'merchants.update'], () => ({ country: 'US', currency: 'USD' })),
  'merchants.insert_key': () => ({
    id: FRESH,
    is_secret: false,
    public_key: 'pk_new',
    key_hash: `\\x${'02'.repeat(32)}`,
  }),
  'merchants.note_key_uses': ({ shop, key_id }) => ({
    merchant_ids: `{${shop}}`,
    ids: list(key_id),
    times: '{2026-01-02T04:00:00Z}',
  }),
  'orders.insert_history': () => ({ entry_id: FRESH, kind: 'note' }),
  'orders.delete_note': ({ noted_order_id }) => ({ order_id: noted_order_id, note_id: 'note_1' }),
  'orders.list_history': ({ noted_order_id, far }) => ({ order_id: noted_order_id, before_at: far, before_id: '' }),
  'quotas.set_full_sandbox': () => ({ full: '{orders}' }),
  'carts.find_made': ({ far }) => ({ after_at: '2000-01-01', after_merchant_id: 0, until: far, limit: BATCH }),
  'carts.note_looks': ({ made_slice }) => ({ at: made_slice }),
  'carts.find_due_looks': ({ far }) => ({
    now: far,
    due_at: '2000-01-01',
    after_merchant_id: 0,
    cart_id: '',
    limit: BATCH,
  }),
  'carts.settle_looks': ({ looked_cart_id }) => ({
    cart_ids: list(looked_cart_id),
    quiet_since: '2026-01-01T04:00:00Z',
  }),
  'products.touch_variants': ({ variant_id }) => ({ ids: list(variant_id) }),
  'carts.delete_lines': ({ deleted_cart_id }) => ({ cart_id: deleted_cart_id }),
  // Before all that the shops have made.
  ...all(['quotas.find_shops_by_orders', 'quotas.find_shops_by_carts', 'quotas.find_shops_by_tokens'], () => ({
    at: '2000-01-01',
    after_merchant_id: 0,
    limit: BATCH,
  })),
  ...all(['quotas.count_sandbox', 'quotas.count_carts'], () => ({ most: BATCH })),
  'quotas.raise_ceiling': ({ made_until, tokens_until }) => ({
    now: made_until,
    tokens_until,
    oldest: '2000-01-01',
    most: BATCH,
  }),
  ...all(['carts.make', 'carts.make_with_line', 'carts.make_or_delete'], ({ product_id }) => ({
    cart_id: FRESH,
    line_id: FRESH,
    product_id,
  })),
  'checkouts.insert': ({ product_id }) => ({
    lines: rows({ id: FRESH, product_id, name: 'x', options: {}, quantity: 1 }),
  }),
  // A state of the cart that there is no token of.
  'checkouts.insert_of_link': ({ product_id }) => ({
    lines: rows({ id: FRESH, product_id, name: 'x', options: {}, quantity: 1 }),
    cart_revision: 9,
  }),
  'checkouts.let_go_of_link': ({ far }) => ({ now: far }),
  'checkouts.find_order_by_email': () => ({ email: 'ada@example.com' }),
  'checkouts.find_details': ({ product_id }) => ({ product_ids: list(product_id) }),
  'checkouts.find_capture_facts': ({ product_id }) => ({
    product_ids: list(product_id),
    groups_of: list(product_id),
    choices: '[]',
    tax_places: '[]',
    token_subject: 'sandbox in 1',
    subjects: list('sandbox from 1'),
    heights: '{30}',
  }),
  ...all(
    ['categories.list', 'categories.list_top', 'categories.list_children', 'categories.read', 'categories.read_slug'],
    ({ category_id, parent_id }) => ({
      ids: list(category_id),
      parent_id,
      depth: 3,
      has_breadcrumbs: true,
    }),
  ),
  'categories.insert': () => ({ slug: 'new' }),
  'categories.update': () => ({ slug: 'new', parent_id: null }),
  'categories.place': () => ({ parent_id: null, before_id: null }),
  ...all(['categories.known', 'categories.adopt'], ({ category_id }) => ({ ids: list(category_id), parent_id: FRESH })),
  'categories.attach_assets': ({ unattached_asset_id }) => ({ asset_ids: list(unattached_asset_id) }),
  ...all(['tax.insert_zone', 'tax.update_zone'], () => ({ country: 'DE', region: '', postal_prefix: '1' })),
  ...all(['capture.let_attempt_wait', 'capture.hasten_attempt'], ({ charging_attempt_id }) => ({
    id: charging_attempt_id,
  })),
  'checkouts.find_terms': () => ({ country: 'US', region: 'CA', postal_code: '94103' }),
  'checkouts.find_chosen': () => ({ options: '[]', variant_id: null, chosen_id: FRESH }),
  'checkouts.change_line': () => ({ options: '{}', quantity: 2 }),
  ...all(
    [
      'capture.take_slots',
      'capture.find_decline_standing',
      'capture.begin_whole_attempt',
      'capture.go_on_with_attempt',
    ],
    ({ decline_subject }) => ({ token_subject: decline_subject, subjects: list(decline_subject), heights: '{30}' }),
  ),
  'capture.give_slots_back': ({ decline_subject }) => ({ slots: list(decline_subject) }),
  'capture.let_go_of_slots': ({ charging_attempt_id }) => ({ id: charging_attempt_id, state: 'charging' }),
  'capture.count_decline': ({ decline_subject }) => ({
    subjects: list(decline_subject),
    heights: '{30}',
    ends: list('2026-01-02T05:00:00Z'),
    slots: list(decline_subject),
    now_seconds: 1_767_323_045,
  }),
  'orders.delete_digest': () => ({ orders: 10 }),
  'orders.keep_rest_of_digest': () => ({ orders: 5, listed: 1 }),
  'capture.count_recent_attempts': () => ({ since: 'atmpt_' }),
  'capture.find_due_attempts': ({ far }) => ({ now: far, limit: BATCH }),
  'capture.find_old_drafts': ({ far }) => ({ moment: far, limit: BATCH }),
  'capture.forget_drafts': ({ released_attempt_id }) => ({ ids: list(released_attempt_id) }),
  'capture.claim_attempts': ({ open_attempt_id, far }) => ({ ids: list(open_attempt_id), now: far }),
  'test_charges.find': ({ charge_key }) => ({ key: charge_key }),
  'test_charges.enter': () => ({ key: FRESH, state: 'charged' }),
  'test_charges.take': ({ held_charge_key, charge_currency }) => ({
    key: held_charge_key,
    amount: 1,
    currency: charge_currency,
  }),
  'test_charges.refund': ({ paid_charge_key, charge_currency }) => ({
    key: paid_charge_key,
    amount: 1,
    refund_key: FRESH,
    currency: charge_currency,
  }),
  'test_charges.move': ({ charge_key, charge_state }) => ({ key: charge_key, from: charge_state, to: 'refunded' }),
  ...all(
    ['idempotency_keys.claim', 'idempotency_keys.renew', 'idempotency_keys.keep', 'idempotency_keys.free'],
    ({ idempotency_key, idempotency_route, claimed_at }) => ({
      key: idempotency_key,
      route: idempotency_route,
      claimed_at,
      running_until: '2026-01-02T04:00:14Z',
    }),
  ),
  'request_log.find': ({ log_at, log_id }) => ({ is_sandbox: true, at: log_at, id: log_id }),
  'request_log.find_given': ({ given_log_id }) => ({ is_sandbox: true, id: given_log_id }),
  'request_log.list': ({ far }) => ({
    ...{ is_sandbox: true, from: 0, before: Date.parse(far ?? ''), before_id: '', least_status: 400, most_status: 499 },
    ...{ method: null, path: '/v1/', key_id: null, version: null, look: BATCH, limit: 2 * BATCH },
  }),
  'request_log.count_by_version': () => ({ is_sandbox: true, from: '2000-01-01T00:00:00Z', look: BATCH }),
  ...all(['request_log.insert', 'request_log.insert_again'], () => ({
    ...{
      is_sandbox: '{t}',
      at: '{1767326400000}',
      id: list(FRESH),
      is_given: '{f}',
      version: list('x'),
      key_id: list('x'),
    },
    ...{
      key_used: list('x'),
      token_id: list('x'),
      method: list('x'),
      url: list('x'),
      route: list('x'),
      is_secure: '{f}',
    },
    ...{ ip_address: list('x'), status_code: '{200}', ms: '{1}', user_agent: list('x'), idempotency_key: list('x') },
    ...{ request_body: list('x'), response_body: list('x') },
  })),
  'request_log.open_day': () => ({ day: '2035-01-01' }),
  'request_log.drop_before': () => ({ day: '2000-01-01' }),
  'sales.find_due': () => ({ after_merchant_id: 0, after_is_sandbox: false, after_id: '', limit: BATCH }),
  'sales.lock_due': ({ due_order_id }) => ({ ids: list(due_order_id) }),
  'sales.mark': ({ due_order_id }) => ({ ids: list(due_order_id), days: '{2026-01-01}', returning: '{t}' }),
  'spending.find_due': () => ({ after_merchant_id: 0, after_is_sandbox: false, after_id: '', limit: BATCH }),
  'spending.lock_due': ({ due_order_id }) => ({ ids: list(due_order_id) }),
  'spending.mark': ({ due_order_id }) => ({ ids: list(due_order_id), sums: '{100}' }),
  'spending.add': ({ customer_id }) => ({
    customer_ids: list(customer_id),
    changes: rows({ customer_id, currency: 'USD', orders: 1, spent: 100 }),
  }),
  'sales.add_to_days': () => ({
    changes: rows({ is_sandbox: true, day: '2026-01-01', orders: 1, returning_orders: 0, amount: 1 }),
  }),
  'sales.add_to_products': () => ({
    changes: rows({ is_sandbox: true, day: '2026-01-01', product_id: 'prod_1', name: 'Hat', quantity: 1, amount: 1 }),
  }),
  'reports.overview': () => ({ from: '2026-01-01', to: '2026-01-02', below: 5 }),
  'reports.list_products': () => ({ from: '2026-01-01', to: '2026-01-02' }),
  'reports.list_stock': () => ({ below: 5 }),
  'export.find_rows': ({ order_id }) => ({ ids: list(order_id) }),
  'orders.list_unpaid': ({ far }) => ({ moment: far, created_at: '2000-01-01', id: '' }),
  'sweep.open_cancels': ({ far }) => ({ moment: far, cancelling_at: '2000-01-01', merchant_id: 0, id: '' }),
}

function all(names: readonly string[], values: (subject: Subject) => Values) {
  return Object.fromEntries(names.map((name) => [name, values]))
}
