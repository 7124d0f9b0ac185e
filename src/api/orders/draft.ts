// An order that is about to be made: everything it will show, copied at the moment of the capture. Types only.
// Kept as JSON beside the attempt to pay, so nothing in it may be of a kind that JSON does not have.

import type { Minor } from '../../lib/money.ts'
import type { TaxPart } from '../../pricing/price.ts'
import type { PostalAddress } from '../customers/postal-address.ts'

export type Address = PostalAddress

export type SelectedOptionDraft = {
  groupId: string
  groupName: string
  optionId: string
  optionName: string
  /** What it adds to the price of one, or takes off. */
  price: Minor
}

export type OrderLineDraft = {
  id: string
  productId: string
  productName: string
  sku: string | null
  permalink: string | null
  quantity: number
  /** The base price of one. */
  unitPrice: Minor
  lineTotal: Minor
  discountShare: Minor
  variant: { id: string; sku: string | null; description: string | null; price: Minor | null } | null
  selectedOptions: readonly SelectedOptionDraft[]
  tax: { isTaxable: boolean; taxableAmount: Minor; amount: Minor; parts: readonly TaxPart[] }
  /** The asset in its newest form, as it was then, with a bare path as its `url`; null when there is none. */
  image: unknown
  isPhysical: boolean
  /** The stock it was taken from: the id of the product, or of the variant that has its own. Null, or missing in older ones: none. */
  stockItemId?: string | null
  /** `isSample` is missing in what was drafted before there were samples. */
  packages: readonly { assetId: string; name: string; ext: string; sizeInBytes: number; isSample?: boolean }[]
  /** How long and how often the packages can be downloaded; null: for good. */
  lifespan: {
    duration: number | null
    period: 'days' | 'weeks' | 'months' | null
    downloadLimit: number | null
  } | null
}

export type OrderDraft = {
  checkoutId: string
  cartId: string | null
  currency: string
  /** Oldest first. */
  lines: readonly OrderLineDraft[]
  subtotal: Minor
  discount: {
    id: string
    type: 'percentage' | 'fixed'
    code: string
    /** As in DiscountInput: minor units, or ten-thousandths of a percent. */
    value: number
    productIds: readonly string[]
    amountSaved: Minor
  } | null
  shipping: {
    id: string | null
    description: string | null
    price: Minor
    /** Who offers the method, as the live totals say it; `chec` unless given. */
    provider?: string | null
  }
  tax: {
    amount: Minor
    isIncluded: boolean
    /** `chec`: computed by us. Anything else: set by an integration, as it calls itself. */
    provider: string
    parts: readonly TaxPart[]
    zone: { country: string | null; region: string | null; postalCode: string | null; ipAddress: string | null }
  }
  adjustments: {
    taxable: Minor
    untaxable: Minor
    total: Minor
    entries: readonly { description: string | null; amount: Minor; isTaxable: boolean }[]
  }
  total: Minor
  totalWithTax: Minor
  totalDue: Minor
  giftCard: { id: string; code: string; balanceAfter: Minor; credit: Minor } | null
  payWhatYouWant: { isEnabled: boolean; minimum: Minor | null; customerSetPrice: Minor | null }
  customer: {
    /** Null: matched by e-mail or made. */
    id: string | null
    email: string
    firstname: string | null
    lastname: string | null
    phone: string | null
    meta: Record<string, unknown> | null
  }
  shippingAddress: Address | null
  billingAddress: Address | null
  extraFields: readonly { id: string; name: string; type: string; required: boolean; value: string }[]
  /** fullname, shipping_address, billing_address, extrafields, tax, eu_vat_moss_evidence. */
  collected: Readonly<Record<string, boolean>>
  redirect: string | null
  clientDetails: {
    ipAddress: string
    countryCode: string | null
    countryName: string | null
    regionCode: string | null
    regionName: string | null
    city: string | null
    postalCode: string | null
  }
  meta: Record<string, unknown> | null
  /** Who has sent the capture; undefined in an attempt that an older release has begun. */
  capturedBy?: CapturedBy
}

export type CapturedBy = {
  /** Whether it was the merchant's server, with the secret key. */
  isSecret: boolean
  /** As `Context.clientNetworks`. */
  networks: readonly string[]
}

/** What the gateway has answered. Without one the order was free. */
export type PaymentMade = {
  /** `pending`: the merchant completes it by hand. */
  kind: 'charged' | 'authorized' | 'pending'
  gateway: string
  /** The payment method of the merchant (gway_…), where there is one. */
  paymentMethodId: string | null
  amount: Minor
  /** The gateway's own id of the charge. */
  transactionId: string | null
  /** The last four digits of a card, say. */
  reference: string | null
  source: { type: string; brand: string | null; country: string | null; zip: string | null } | null
}
