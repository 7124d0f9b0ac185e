// Fields of an order that the screens read, as the API returns them.

import type { Price } from '../../parts/show/values.tsx'

export type Address = {
  readonly name: string | null
  readonly street: string | null
  readonly street_2: string | null
  readonly town_city: string | null
  readonly county_state: string | null
  readonly postal_zip_code: string | null
  readonly country: string | null
  readonly delivery_instructions: string | null
}

export type ChosenOption = { readonly group_name: string; readonly option_name: string }

export type OrderLineItem = {
  readonly id: string
  readonly product_name: string
  readonly sku: string | null
  readonly quantity: number
  readonly quantity_refunded: number
  readonly quantity_restocked: number
  readonly price: Price
  readonly line_total: Price
  readonly selected_options: readonly ChosenOption[]
  readonly image: { readonly url: string } | null
}

export type Transaction = {
  readonly id: string
  readonly payment_id: string
  readonly type: 'charge' | 'refund'
  readonly status: 'pending' | 'complete' | 'cancelled' | 'failed'
  readonly status_reason: string
  readonly charge_date: number | null
  readonly gateway: string
  readonly gateway_name: string
  readonly gateway_reference: string | null
  readonly gateway_transaction_id: string | null
  readonly notes: string
  readonly amount: Price
  readonly payment_source_type: string | null
  readonly payment_source: { readonly brand: string | null }
  readonly reason: string | null
  readonly created: number
}

export type Item = {
  readonly id: string
  readonly line_item_id: string
  readonly product_name: string
  readonly selected_options: readonly ChosenOption[]
  readonly status: 'fulfilled' | 'not_fulfilled' | 'returned'
  readonly quantity: number
  readonly quantity_fulfilled: number
  readonly quantity_remaining: number
}

export type OrderShipment = {
  readonly id: string
  readonly shipped_on: number
  readonly carrier: string | null
  readonly carrier_name: string | null
  readonly tracking_number: string | null
  readonly tracking_url: string | null
  readonly line_items: readonly {
    readonly fulfillment_item_id: string
    readonly product_name: string
    readonly selected_options: readonly ChosenOption[]
    readonly fulfilled_quantity: number
    readonly total_quantity: number
  }[]
}

export type DownloadPackage = {
  readonly id: string
  readonly name: string
  readonly ext: string
  readonly size: string
  readonly access_expires: number | null
  readonly remaining_downloads: number | null
  readonly is_access_revoked: boolean
}

export type OrderDownload = {
  readonly line_item_id: string
  readonly product_name: string
  readonly packages: readonly DownloadPackage[]
  readonly lifespan: { readonly human: string; readonly expiry_date: number | null }
  readonly is_expired: boolean
}

type TaxPart = { readonly amount: Price; readonly rate_percentage: string; readonly type: string }

export type Order = {
  readonly id: string
  readonly customer_reference: string
  readonly created: number
  readonly updated: number
  readonly status: 'open' | 'cancelled'
  readonly cancel_reason: string | null
  readonly status_payment: string
  readonly status_fulfillment: string
  readonly currency: { readonly code: string; readonly symbol: string }
  readonly order_value: Price
  readonly has: { readonly physical_fulfillment: boolean; readonly digital_fulfillment: boolean }
  readonly customer: {
    readonly id: string
    readonly email: string
    readonly firstname?: string
    readonly lastname?: string
    readonly phone?: string
  }
  readonly extra_fields: readonly { readonly id: string; readonly name: string; readonly value: string }[]
  readonly shipping: Address
  readonly billing: Address | null
  readonly order: {
    readonly line_items: readonly OrderLineItem[]
    readonly subtotal: Price
    readonly discount: { readonly code: string; readonly amount_saved: Price } | readonly []
    readonly shipping: { readonly id: string | null; readonly description: string | null; readonly price: Price }
    readonly tax: {
      readonly amount: Price
      readonly included_in_price: boolean
      readonly breakdown: readonly TaxPart[]
    }
    readonly total_with_tax: Price
    readonly total_due: Price
    readonly total_paid: Price
    readonly total_refunded: Price
    readonly total_refundable: Price
    readonly giftcard: { readonly credit: Price } | readonly []
  }
  readonly adjustments: readonly { readonly description: string | null; readonly amount: Price }[]
  readonly payments: readonly {
    readonly id: string
    readonly type: string
    readonly gateway: string
    readonly reference: string | null
    readonly amount: Price
    readonly refundable: Price
    readonly payment_source: { readonly brand: string | null }
  }[]
  readonly transactions: readonly Transaction[]
  readonly disputes: readonly {
    readonly id: string
    readonly status: string
    readonly reason: string | null
    readonly amount: Price
    readonly created: number
  }[]
  readonly fulfillment: {
    readonly physical: { readonly items: readonly Item[]; readonly shipments: readonly OrderShipment[] }
    readonly digital: { readonly downloads: readonly OrderDownload[] }
  }
}

/** "Ada Lovelace", else the e-mail address. */
export const orderCustomerName = ({ firstname, lastname, email }: Order['customer']): string =>
  [firstname, lastname].filter(Boolean).join(' ') || email

export const optionsText = (options: readonly ChosenOption[]): string =>
  options.map(({ option_name }) => option_name).join(', ')

/** Items that can still be put into a parcel. */
export const shippableItems = ({ status, fulfillment }: Order): readonly Item[] =>
  status === 'cancelled'
    ? []
    : fulfillment.physical.items.filter((item) => item.status !== 'returned' && item.quantity_remaining > 0)

/** Quantity of an item that is still wanted. Pieces refunded before they were shipped are not. */
export function wantedQuantity({ order }: Order, item: Item): number {
  const line = order.line_items.find(({ id }) => id === item.line_item_id)
  const openQuantity = item.quantity - (line?.quantity_refunded ?? 0) - item.quantity_fulfilled
  return Math.max(0, Math.min(item.quantity_remaining, openQuantity))
}

/** Items and quantities of a parcel, unless somebody changes them. */
export const wantedItems = (order: Order): { readonly id: string; readonly quantity: number }[] =>
  shippableItems(order)
    .map((item) => ({ id: item.id, quantity: wantedQuantity(order, item) }))
    .filter(({ quantity }) => quantity > 0)

export const hasShippedItems = ({ fulfillment }: Order): boolean =>
  fulfillment.physical.items.some(({ quantity_fulfilled }) => quantity_fulfilled > 0)

/** Charges that a person may complete: paid by hand, or held by a gateway. Charges that a gateway is still checking are left out. */
export const openCharges = ({ status, transactions }: Order): readonly Transaction[] =>
  status === 'cancelled'
    ? []
    : transactions.filter(
        (each) => each.type === 'charge' && each.status === 'pending' && each.status_reason !== 'awaiting_gateway',
      )

export const isByHand = ({ gateway }: { readonly gateway: string }): boolean => gateway === 'manual'

/** Fields of a payment from which `refundTarget` names the target of a refund: "the Visa card 4242". */
type RefundablePayment = Pick<Order['payments'][number], 'type' | 'gateway' | 'reference' | 'payment_source'>

export function refundTarget({ type, gateway, reference, payment_source: source }: RefundablePayment): string {
  if (type === 'card') return ['the', source.brand, 'card', reference].filter(Boolean).join(' ')
  return gateway === 'manual' ? 'the customer, by hand' : `the customer through ${type}`
}

export const addNumbers = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** Address of the list as it was left, so that the way back leads to the same view. */
export const orderListView = { address: '/dashboard/orders' }
