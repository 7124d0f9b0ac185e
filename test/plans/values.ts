// Parameter values for each statement that match rows of the large shop, by name and type. exceptions.ts lists the others.

import { BATCH, boundOf, PAGE, REACH } from './bounds.ts'
import { FRESH, OWN, type Values } from './exceptions.ts'
import type { Subject } from './subject.ts'

/** The subject's value for `:id`, by prefix of the statement's name. */
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

/** Values by type, for columns that are only written. */
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

const makesRow = (name: string) => /\.(insert\w*|enqueue)$/.test(name)

export function valuesOf(
  name: string,
  parameters: readonly string[],
  types: readonly string[],
  subject: Subject,
): Values {
  const own = OWN.get(name) ?? {}
  const byName = sharedValues(name, subject)
  const values = parameters.map((parameter, place) => {
    const type = types[place] ?? 'text'
    const value =
      parameter in own ? resolved(own[parameter], subject) : (byName[parameter] ?? madeUp(parameter, type, byName))
    return [parameter, encoded(value, type)]
  })
  return Object.fromEntries(values)
}

function sharedValues(name: string, subject: Subject): Values {
  // A sweep names its table after the dot.
  const table = name.replace(/^sweep\.(\w+)$/, '$1.')
  const id = makesRow(name) ? FRESH : subject[IDS.find(([pattern]) => pattern.test(table))?.[1] ?? '']
  return {
    ...subject,
    id,
    merchant_id: subject.shop,
    now: '2026-01-02T04:00:00Z',
    moment: subject.far,
    limit: boundOf(name, 0) === 2 * BATCH ? BATCH : PAGE,
    most: BATCH,
    reach: REACH,
    offset: 0,
    is_secret: true,
    most_bytes: 4_194_304,
    after: '',
    after_merchant_id: 0,
    after_id: '',
    begun_at: null,
    kind: subject.job_kind,
    token_subject: subject.decline_subject,
  }
}

/** `ids` and `product_ids` contain the value of `id` and `product_id`. Other parameters are only written and select no row. */
function madeUp(parameter: string, type: string, byName: Values): unknown {
  if (type.endsWith('[]')) return byName[parameter.replace(/s$/, '')] ?? MADE_UP[type.slice(0, -2)]
  if (type === 'json' && parameter.endsWith('s')) return []
  return MADE_UP[type]
}

/** Replaces `:cart_id` by the subject's value, at any depth. */
function resolved(value: unknown, subject: Subject): unknown {
  if (typeof value === 'string' && value.startsWith(':')) return subject[value.slice(1)]
  if (Array.isArray(value)) return value.map((each) => resolved(each, subject))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, resolved(each, subject)]))
}

/** Encodes arrays in PostgreSQL's syntax, objects as JSON. */
function encoded(value: unknown, type: string): unknown {
  if (type.endsWith('[]'))
    return `{${[value]
      .flat()
      .map((each) => JSON.stringify(String(each ?? '')))
      .join(',')}}`
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
