// An order with all that belongs to it, as one select; every read uses it. What never changes lies in `content`.

import type { Minor } from '../../lib/money.ts'
import type { AssetRow } from '../assets/store.ts'
import type { PostalAddress } from '../customers/postal-address.ts'
import type { AppliedDiscountRow } from '../discounts/store.ts'
import type { ReturnedCredit } from '../gift-cards/gift-card.ts'
import type { ChosenGroupRow } from '../lines/line.ts'
import type { LifespanRow } from '../products/read-store.ts'
import type { VariantRow } from '../products/variants/store.ts'
import type { DISPUTE_STATUSES, STATUS_REASONS, TRANSACTION_STATUSES, TRANSACTION_TYPES } from './money/schema.ts'
import type { FulfillmentStatus, PaymentStatus } from './status.ts'

/** As price() gives it. */
type TaxPartRow = { type: string; rate: number; amount: Minor }

/** Without its position: an order lists options in their order. */
export type SelectedOptionRow = Omit<ChosenGroupRow, 'position'>

/** A file that was bought, as the product had it. */
type PackageRow = { asset_id: string; name: string; ext: string; size_in_bytes: number; is_sample: boolean }

/** A line that was bought. */
export type OrderLineRow = {
  id: string
  product_id: string
  product_name: string
  /** The variant's own, else the product's. */
  sku: string | null
  permalink: string | null
  quantity: number
  /** The base price of one. */
  unit_price: Minor
  line_total: Minor
  discount_share: Minor
  variant: Pick<VariantRow, 'id' | 'sku' | 'description' | 'price'> | null
  selected_options: readonly SelectedOptionRow[]
  tax: { is_taxable: boolean; taxable_amount: Minor; amount: Minor; parts: readonly TaxPartRow[] }
  /** Always a public one. */
  image: AssetRow | null
  is_physical: boolean
  /** The stock it was taken from: the id of the product, or of the variant that has its own. Null: none is counted. */
  stock_item_id: string | null
  packages: readonly PackageRow[]
  /** How long and how often the packages can be downloaded; null: for good. */
  lifespan: LifespanRow | null
}

/**
 * The order's own copy of what was bought and what it cost: whatever is deleted later, the order shows it. It holds rows as their stores
 * give them, never what the API made of them: a body that is kept would be of the version of that day, and no change of the API would age it.
 */
export type OrderContent = {
  /** Oldest first. */
  lines: readonly OrderLineRow[]
  subtotal: Minor
  discount: (AppliedDiscountRow & { amount_saved: Minor }) | null
  /** `provider`: who offers the method, as the live totals say it; null where none was chosen. */
  shipping: { id: string | null; description: string | null; price: Minor; provider: string | null }
  tax: {
    amount: Minor
    is_included: boolean
    /** `chec`: computed by us. Anything else: set by an integration, as it calls itself. */
    provider: string
    parts: readonly TaxPartRow[]
    zone: { country: string | null; region: string | null; postal_code: string | null; ip_address: string | null }
  }
  /** The sums as applied, and what an integration has asked for. */
  adjustments: {
    taxable: Minor
    untaxable: Minor
    total: Minor
    entries: readonly { description: string | null; amount: Minor; is_taxable: boolean }[]
  }
  total: Minor
  total_with_tax: Minor
  gift_card: { id: string; code: string; balance_after: Minor; credit: Minor } | null
  pay_what_you_want: { is_enabled: boolean; minimum: Minor | null; customer_set_price: Minor | null }
  extra_fields: readonly { id: string; name: string; type: string; is_required: boolean; value: string }[]
  /** fullname, shipping_address, billing_address, extrafields, tax, eu_vat_moss_evidence. */
  collected: Readonly<Record<string, boolean>>
  redirect: string | null
  /** The link of a cart made its token: everybody who has opened the link knows the token. */
  is_of_link?: true
  client_details: {
    ip_address: string
    country_code: string | null
    country_name: string | null
    region_code: string | null
    region_name: string | null
    city: string | null
    postal_zip_code: string | null
  }
}

export type TransactionRow = {
  id: string
  payment_id: string
  type: (typeof TRANSACTION_TYPES)[number]
  status: (typeof TRANSACTION_STATUSES)[number]
  status_reason: (typeof STATUS_REASONS)[number]
  is_authorized: boolean
  amount: Minor
  gateway: string
  payment_method_id: string | null
  is_simulated: boolean
  gateway_key: string
  gateway_transaction_id: string | null
  gateway_reference: string | null
  payment_source_type: string | null
  payment_source: { brand: string | null; country: string | null; zip: string | null } | null
  /** Of a refund: the charge that it gives back. */
  refunds_id: string | null
  /** Of a refund: the request that it belongs to; null where an older release has made it. */
  refund_id: string | null
  /** Of a charge: what the database counts as given back, or about to be. Never above the amount. */
  refunded: Minor
  /** Of a charge that a gateway holds: how much of it is being taken; null: nothing is, or all of it. */
  taking: Minor | null
  reason: string | null
  notes: string
  meta: Record<string, unknown> | null
  completed: number | null
  created: number
  updated: number
}

/** A request to give something back, which may be spread over several charges. */
export type RefundRow = {
  id: string
  status: 'pending' | 'complete' | 'failed'
  /** What of it goes to the gift card. */
  credit: Minor
  items: readonly { line_item_id: string; quantity: number }[]
  is_restocking: boolean
  /** By which the same request is known when it comes again. */
  request_key: string | null
}

export type DisputeRow = {
  id: string
  transaction_id: string
  gateway: string
  gateway_dispute_id: string
  status: (typeof DISPUTE_STATUSES)[number]
  reason: string | null
  amount: Minor
  created: number
  updated: number
}

export type ItemRow = {
  id: string
  line_item_id: string
  quantity: number
  quantity_fulfilled: number
  is_returned: boolean
  updated: number
}

export type ShipmentRow = {
  id: string
  carrier: string | null
  carrier_name: string | null
  tracking_number: string | null
  tracking_url: string | null
  shipped_on: number
  metadata: Record<string, unknown> | null
  created: number
  items: { item_id: string; quantity: number }[]
}

export type DownloadRow = {
  id: string
  line_item_id: string
  asset_id: string
  position: number
  name: string
  ext: string
  size_in_bytes: number
  remaining: number | null
  expires: number | null
  is_revoked: boolean
}

/** What of a line went back into stock, by refunds or by a cancel. As it is shown. */
export type RestockedLine = { line_item_id: string; product_id: string; variant_id: string | null; quantity: number }

export type OrderRow = {
  merchant_id: number
  id: string
  is_sandbox: boolean
  checkout_id: string
  cart_id: string | null
  body_digest: Buffer
  customer_id: string
  customer_reference: string
  email: string
  firstname: string | null
  lastname: string | null
  phone: string | null
  shipping_address: PostalAddress | null
  billing_address: PostalAddress | null
  content: OrderContent
  meta: Record<string, unknown> | null
  currency: string
  order_value: Minor
  total_due: Minor
  status_payment: PaymentStatus
  status_fulfillment: FulfillmentStatus
  paid: number | null
  /** All that a gift card paid was given back. */
  is_credit_returned: boolean
  /** How much of it was; not where an older release has given it back. */
  credit_returned: Minor
  /** Where that credit went. */
  returned_credit: ReturnedCredit | null
  /** It is to be cancelled once what was paid is given back. Null again when that has ended, one way or the other. */
  cancelling: number | null
  cancelled: number | null
  /** Why it was cancelled, or is being. */
  cancel_reason: string | null
  restocked: RestockedLine[] | null
  created: number
  updated: number
  transactions: TransactionRow[]
  refunds: RefundRow[]
  disputes: DisputeRow[]
  items: ItemRow[]
  shipments: ShipmentRow[]
  downloads: DownloadRow[]
}

/** The rows of `table` that belong to the order called `o`, as a list of objects. */
const list = (columns: Readonly<Record<string, string>>, table: string, order: string) => `coalesce((
       select json_agg(json_build_object(${Object.entries(columns)
         .map(([name, sql]) => `'${name}', ${sql}`)
         .join(', ')}) order by ${order})
       from ${table} t
       where t.merchant_id = :merchant_id and t.order_id = o.id
     ), '[]')`

const TRANSACTION: Record<keyof TransactionRow, string> = {
  id: 't.id',
  payment_id: 't.payment_id',
  type: 't.type',
  status: 't.status',
  status_reason: 't.status_reason',
  is_authorized: 't.is_authorized',
  amount: 't.amount',
  gateway: 't.gateway',
  payment_method_id: 't.payment_method_id',
  is_simulated: 't.is_simulated',
  gateway_key: 't.gateway_key',
  gateway_transaction_id: 't.gateway_transaction_id',
  gateway_reference: 't.gateway_reference',
  payment_source_type: 't.payment_source_type',
  payment_source: 't.payment_source',
  refunds_id: 't.refunds_id',
  refund_id: 't.refund_id',
  refunded: 't.refunded',
  taking: 't.taking',
  reason: 't.reason',
  notes: 't.notes',
  meta: 't.meta',
  completed: 'unix_seconds(t.completed_at)',
  created: 'unix_seconds(t.created_at)',
  updated: 'unix_seconds(t.updated_at)',
}

const REFUND: Record<keyof RefundRow, string> = {
  id: 't.id',
  status: 't.status',
  credit: 't.credit',
  items: 't.items',
  is_restocking: 't.is_restocking',
  request_key: 't.request_key',
}

const DISPUTE: Record<keyof DisputeRow, string> = {
  id: 't.id',
  transaction_id: 't.transaction_id',
  gateway: 't.gateway',
  gateway_dispute_id: 't.gateway_dispute_id',
  status: 't.status',
  reason: 't.reason',
  amount: 't.amount',
  created: 'unix_seconds(t.created_at)',
  updated: 'unix_seconds(t.updated_at)',
}

const ITEM: Record<keyof ItemRow, string> = {
  id: 't.id',
  line_item_id: 't.line_item_id',
  quantity: 't.quantity',
  quantity_fulfilled: 't.quantity_fulfilled',
  is_returned: 't.is_returned',
  updated: 'unix_seconds(t.updated_at)',
}

const SHIPMENT: Record<keyof ShipmentRow, string> = {
  id: 't.id',
  carrier: 't.carrier',
  carrier_name: 't.carrier_name',
  tracking_number: 't.tracking_number',
  tracking_url: 't.tracking_url',
  shipped_on: 'unix_seconds(t.shipped_on)',
  metadata: 't.metadata',
  created: 'unix_seconds(t.created_at)',
  items: `(
         select json_agg(json_build_object('item_id', part.item_id, 'quantity', part.quantity) order by part.item_id)
         from shipment_items part
         where part.merchant_id = :merchant_id and part.order_id = t.order_id and part.shipment_id = t.id
       )`,
}

const DOWNLOAD: Record<keyof DownloadRow, string> = {
  id: 't.id',
  line_item_id: 't.line_item_id',
  asset_id: 't.asset_id',
  position: 't.position',
  name: 't.name',
  ext: 't.ext',
  size_in_bytes: 't.size_in_bytes',
  remaining: 't.remaining',
  expires: 'unix_seconds(t.expires_at)',
  is_revoked: 't.is_revoked',
}

/** The columns of an `OrderRow`, of the table `orders` under the alias `o`. */
export const ORDER_COLUMNS = `o.merchant_id, o.id, o.is_sandbox, o.checkout_id, o.cart_id, o.body_digest, o.customer_id,
     o.customer_reference, o.email, o.firstname, o.lastname, o.phone, o.shipping_address, o.billing_address, o.content, o.meta,
     o.currency, o.order_value, o.total_due, o.status_payment, o.status_fulfillment, unix_seconds(o.paid_at) as paid,
     o.is_credit_returned, o.credit_returned, o.returned_credit, unix_seconds(o.cancelling_at) as cancelling, unix_seconds(o.cancelled_at) as cancelled, o.cancel_reason,
     o.restocked, unix_seconds(o.created_at) as created, unix_seconds(o.updated_at) as updated,
     ${list(TRANSACTION, 'order_transactions', 't.created_at, t.type, t.id')} as transactions,
     ${list(REFUND, 'order_refunds', 't.created_at, t.id')} as refunds,
     ${list(DISPUTE, 'order_disputes', 't.created_at, t.id')} as disputes,
     ${list(ITEM, 'order_items', 't.position')} as items,
     ${list(SHIPMENT, 'shipments', 't.created_at, t.id')} as shipments,
     ${list(DOWNLOAD, 'downloads', 't.position')} as downloads`
