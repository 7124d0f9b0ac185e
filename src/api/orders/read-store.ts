// Reads an order with all its related rows in one select; every read uses it. Data that never changes is in `content`.

import type { Minor } from '../../lib/money.ts'
import type { AssetRow } from '../assets/store.ts'
import type { PostalAddress } from '../customers/postal-address.ts'
import type { AppliedDiscountRow } from '../discounts/store.ts'
import type { CreditReturn } from '../gift-cards/gift-card.ts'
import type { ChosenGroupRow } from '../lines/line.ts'
import type { LifespanRow } from '../products/read-store.ts'
import type { VariantRow } from '../products/variants/store.ts'
import type { DISPUTE_STATUSES, STATUS_REASONS, TRANSACTION_STATUSES, TRANSACTION_TYPES } from './money/schema.ts'
import type { FulfillmentStatus, PaymentStatus } from './status.ts'

/** A tax part as `price()` returns it. */
type TaxPartRow = { type: string; rate: number; amount: Minor }

/** Without `position`: an order lists its options in their order. */
export type SelectedOptionRow = Omit<ChosenGroupRow, 'position'>

/** A purchased file, as the product had it. */
type PackageRow = { asset_id: string; name: string; ext: string; size_in_bytes: number; is_sample: boolean }

/** A purchased line. */
export type OrderLineRow = {
  id: string
  product_id: string
  product_name: string
  /** SKU of the variant, or else of the product. */
  sku: string | null
  permalink: string | null
  quantity: number
  /** Base price of one unit. */
  unit_price: Minor
  line_total: Minor
  discount_share: Minor
  variant: Pick<VariantRow, 'id' | 'sku' | 'description' | 'price'> | null
  selected_options: readonly SelectedOptionRow[]
  tax: { is_taxable: boolean; taxable_amount: Minor; amount: Minor; parts: readonly TaxPartRow[] }
  /** Always a public asset. */
  image: AssetRow | null
  is_physical: boolean
  /** The stock it was taken from: id of the product, or of the variant that has its own. Null if stock is not counted. */
  stock_item_id: string | null
  packages: readonly PackageRow[]
  /** Limits for downloading the packages; null: no limits. */
  lifespan: LifespanRow | null
}

/**
 * The order's own copy of what was bought and what it cost. The order still shows it after the originals are deleted.
 * It holds rows as the stores return them, not API bodies. A stored body would stay in the API version of its day, and no later change of
 * the API would convert it.
 */
export type OrderContent = {
  /** Oldest first. */
  lines: readonly OrderLineRow[]
  subtotal: Minor
  discount: (AppliedDiscountRow & { amount_saved: Minor }) | null
  /** `provider`: provider of the method, as the live totals show it; null if no method was chosen. */
  shipping: { id: string | null; description: string | null; price: Minor; provider: string | null }
  tax: {
    amount: Minor
    is_included: boolean
    /** `chec`: computed by this server. Any other value: set by an integration, under its own name. */
    provider: string
    parts: readonly TaxPartRow[]
    zone: { country: string | null; region: string | null; postal_code: string | null; ip_address: string | null }
  }
  /** Sums as applied, and the entries that an integration has requested. */
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
  /** Keys: fullname, shipping_address, billing_address, extrafields, tax, eu_vat_moss_evidence. */
  collected: Readonly<Record<string, boolean>>
  redirect: string | null
  /** A cart link made the token, so everybody who has opened the link knows the token. */
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
  /** For a refund: the charge that it refunds. */
  refunds_id: string | null
  /** For a refund: the request that it belongs to; null if an older release made it. */
  refund_id: string | null
  /** For a charge: the amount that the database counts as refunded or about to be. Never above `amount`. */
  refunded: Minor
  /** For a charge that a gateway holds: the part that is being captured. Null if nothing is, or all of it. */
  taking: Minor | null
  reason: string | null
  notes: string
  meta: Record<string, unknown> | null
  completed: number | null
  created: number
  updated: number
}

/** A refund request, which may be spread over several charges. */
export type RefundRow = {
  id: string
  status: 'pending' | 'complete' | 'failed'
  /** Part of the refund that goes to the gift card. */
  credit: Minor
  items: readonly { line_item_id: string; quantity: number }[]
  is_restocking: boolean
  /** Key that identifies the same request when it is sent again. */
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

/** Quantity of a line that refunds or a cancellation put back into stock, as the API shows it. */
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
  /** True if all that the gift card paid was returned. */
  is_credit_returned: boolean
  /** Returned part of what the gift card paid. Not set if an older release returned it. */
  credit_returned: Minor
  /** Destination of the returned credit. */
  returned_credit: CreditReturn | null
  /** Set while the order waits for its refunds before it is cancelled. Null again when that has succeeded or failed. */
  cancelling: number | null
  cancelled: number | null
  /** Reason for the cancellation, also while it is pending. */
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

/** SQL: the rows of `table` that belong to the order aliased `o`, as a JSON list. */
const rowsAsJson = (columns: Readonly<Record<string, string>>, table: string, order: string) => `coalesce((
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

/** SQL: the columns of an `OrderRow`, from the table `orders` aliased `o`. */
export const ORDER_COLUMNS = `o.merchant_id, o.id, o.is_sandbox, o.checkout_id, o.cart_id, o.body_digest, o.customer_id,
     o.customer_reference, o.email, o.firstname, o.lastname, o.phone, o.shipping_address, o.billing_address, o.content, o.meta,
     o.currency, o.order_value, o.total_due, o.status_payment, o.status_fulfillment, unix_seconds(o.paid_at) as paid,
     o.is_credit_returned, o.credit_returned, o.returned_credit, unix_seconds(o.cancelling_at) as cancelling, unix_seconds(o.cancelled_at) as cancelled, o.cancel_reason,
     o.restocked, unix_seconds(o.created_at) as created, unix_seconds(o.updated_at) as updated,
     ${rowsAsJson(TRANSACTION, 'order_transactions', 't.created_at, t.type, t.id')} as transactions,
     ${rowsAsJson(REFUND, 'order_refunds', 't.created_at, t.id')} as refunds,
     ${rowsAsJson(DISPUTE, 'order_disputes', 't.created_at, t.id')} as disputes,
     ${rowsAsJson(ITEM, 'order_items', 't.position')} as items,
     ${rowsAsJson(SHIPMENT, 'shipments', 't.created_at, t.id')} as shipments,
     ${rowsAsJson(DOWNLOAD, 'downloads', 't.position')} as downloads`
