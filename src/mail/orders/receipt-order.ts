// Reads what mails show from an order in the newest version: line items, sums, payments, downloads and addresses as plain text. parts.ts
// and the mails lay it out as HTML and as text.

import { countryName } from '../../geo/places.ts'
import { toOneLine } from '../../lib/text.ts'
import { safeShopperText } from '../shopper-words.ts'

export type MailAmount = {
  readonly raw: number
  readonly formatted_with_symbol: string
  readonly formatted_with_code: string
}

type Address = {
  readonly name: string | null
  readonly street: string | null
  readonly street_2: string | null
  readonly town_city: string | null
  readonly county_state: string | null
  readonly postal_zip_code: string | null
  readonly country: string | null
}

export type MailSelectedOption = { readonly group_name: string; readonly option_name: string }

/** The part of an order that its receipt shows. */
export type ReceiptOrder = {
  readonly sandbox: boolean
  readonly status: string
  readonly status_payment: string
  readonly customer_reference: string
  readonly created: number
  readonly shipping: Address
  readonly billing: Address | null
  readonly extra_fields: readonly { readonly name: string; readonly value: string }[]
  readonly adjustments: readonly { readonly description: string | null; readonly amount: MailAmount }[]
  readonly order: {
    readonly line_items: readonly {
      readonly id: string
      readonly product_name: string
      readonly quantity: number
      readonly line_total: MailAmount
      readonly selected_options: readonly MailSelectedOption[]
    }[]
    readonly subtotal: MailAmount
    readonly discount: { readonly code: string; readonly amount_saved: MailAmount } | readonly never[]
    readonly shipping: { readonly id: string | null; readonly description: string | null; readonly price: MailAmount }
    readonly tax: { readonly amount: MailAmount; readonly included_in_price: boolean }
    readonly total_with_tax: MailAmount
    readonly giftcard: { readonly code: string; readonly credit: MailAmount } | readonly never[]
  }
  readonly transactions: readonly {
    readonly type: string
    readonly status: string
    readonly status_reason: string
    readonly gateway_name: string
    readonly gateway_reference: string | null
    readonly amount: MailAmount
    readonly payment_source_type: string | null
    readonly payment_source: { readonly brand: string | null }
  }[]
  readonly fulfillment: {
    readonly digital: {
      readonly downloads: readonly {
        readonly product_name: string
        readonly is_expired: boolean
        readonly lifespan: { readonly human: string | null }
        readonly packages: readonly {
          readonly name: string
          readonly ext: string
          readonly size: string
          readonly access_link: string
          readonly is_access_revoked: boolean
        }[]
      }[]
    }
  }
}

export type LabelledValue = { readonly label: string; readonly value: string }

/** `total`: null if only the item matters, as in a parcel. */
export type MailLineItem = {
  readonly name: string
  readonly options: string
  readonly quantity: number
  readonly total: string | null
}

export const mailLineItems = ({ order }: ReceiptOrder): MailLineItem[] =>
  order.line_items.map((line) => ({
    ...mailLineItemOf(line, line.quantity),
    total: line.line_total.formatted_with_symbol,
  }))

/** A bought product and its quantity as a line item. */
export const mailLineItemOf = (
  thing: { readonly product_name: string; readonly selected_options: readonly MailSelectedOption[] },
  quantity: number,
): MailLineItem => ({
  name: toOneLine(thing.product_name),
  options: thing.selected_options
    .map(({ group_name, option_name }) => `${toOneLine(group_name)}: ${toOneLine(option_name)}`)
    .join(', '),
  quantity,
  total: null,
})

const negated = (amount: MailAmount) => `-${amount.formatted_with_symbol}`

/** The rows between the subtotal and the total. */
export function subtotalRows({ order, adjustments }: ReceiptOrder): LabelledValue[] {
  const { subtotal, discount, shipping, tax } = order
  return [
    { label: 'Subtotal', value: subtotal.formatted_with_symbol },
    ...('code' in discount
      ? [{ label: `Discount (${toOneLine(discount.code)})`, value: negated(discount.amount_saved) }]
      : []),
    ...adjustments.map(({ description, amount }) => ({
      label: toOneLine(description ?? '') || 'Adjustment',
      value: amount.formatted_with_symbol,
    })),
    ...(shipping.id === null && shipping.price.raw === 0
      ? []
      : [
          {
            label: ['Shipping', toOneLine(shipping.description ?? '')].filter((part) => part !== '').join(': '),
            value: shipping.price.formatted_with_symbol,
          },
        ]),
    ...(tax.included_in_price || tax.amount.raw === 0
      ? []
      : [{ label: 'Tax', value: tax.amount.formatted_with_symbol }]),
  ]
}

/** Adds the currency's code, because many currencies use `$`. */
export const amountWithCurrency = (amount: MailAmount): string =>
  `${amount.formatted_with_symbol} ${amount.formatted_with_code.split(' ').at(-1) ?? ''}`

export const totalRow = ({ order }: ReceiptOrder): LabelledValue => ({
  label: 'Total',
  value: amountWithCurrency(order.total_with_tax),
})

/** A sentence below the total, if prices include tax. */
export const includedTaxOf = ({ order: { tax } }: ReceiptOrder): string[] =>
  tax.included_in_price && tax.amount.raw !== 0
    ? [`The total includes ${tax.amount.formatted_with_symbol} of tax.`]
    : []

/** Payments and pending payments of the order. */
export function paymentRows({ order, transactions }: ReceiptOrder): LabelledValue[] {
  const { giftcard } = order
  return [
    ...('code' in giftcard
      ? // Anybody with the full code can spend the rest of the credit.
        [{ label: giftCardLabel(giftcard.code), value: giftcard.credit.formatted_with_symbol }]
      : []),
    ...transactions
      .filter(({ type, status }) => type === 'charge' && (status === 'complete' || status === 'pending'))
      .map((charge) => ({
        label: paymentMethodLabel(charge) + paymentStateSuffix(charge),
        value: charge.amount.formatted_with_symbol,
      })),
    ...transactions
      .filter(({ type, status }) => type === 'refund' && status === 'complete')
      .map((refund) => ({ label: 'Given back', value: negated(refund.amount) })),
  ]
}

/** If the result of a payment is unknown, do not tell the customer to pay again. */
const paymentStateSuffix = ({ status, status_reason: reason }: ReceiptOrder['transactions'][number]): string =>
  status === 'complete' ? '' : reason === 'gateway_failure' ? ', being checked' : ', not paid yet'

/** The last four characters of a short code would reveal too much of it. */
export const giftCardLabel = (code: string): string =>
  code.length > 8 ? `Gift card ending in ${toOneLine(code.slice(-4))}` : 'Gift card'

/** The payment method of a charge or refund. */
export function paymentMethodLabel(charge: ReceiptOrder['transactions'][number]): string {
  const { payment_source_type: type, payment_source: source, gateway_name: name, gateway_reference: end } = charge
  const method = source.brand === null ? toOneLine(name) : safeShopperText(source.brand)
  const label = method.charAt(0).toUpperCase() + method.slice(1)
  // Show the last four digits of a card. Other references are internal to the gateway.
  return type === 'card' && end !== null && /^\d{4}$/.test(end) ? `${label} ending in ${end}` : label
}

type ReceiptDownload = {
  readonly name: string
  readonly size: string
  /** Time and number limits of the download. */
  readonly rule: string
  readonly link: string
}

/** A partial refund does not close the downloads. */
const OPEN_TO_BUYER = ['paid', 'partially_refunded']

/** Downloads that the buyer can open now. */
export function downloadsOf({ status, status_payment, fulfillment }: ReceiptOrder): ReceiptDownload[] {
  if (!OPEN_TO_BUYER.includes(status_payment) || status !== 'open') return []
  return fulfillment.digital.downloads
    .filter(({ is_expired }) => !is_expired)
    .flatMap(({ product_name, packages, lifespan }) =>
      packages
        .filter(({ is_access_revoked }) => !is_access_revoked)
        .map(({ name, ext, size, access_link }) => ({
          name: toOneLine(name) || toOneLine(product_name),
          size: `${toOneLine(ext)}, ${size}`,
          rule: lifespan.human ?? '',
          link: access_link,
        })),
    )
}

const addressLines = (address: Address | null): string[] => {
  if (address === null) return []
  // `US-CA` is our code for California; people write CA.
  const region = address.county_state?.replace(`${address.country ?? ''}-`, '') ?? null
  const place = [region, address.postal_zip_code].filter(isFilled).map(safeText).join(' ')
  const town = [address.town_city, place].filter(isFilled).map(safeText).join(', ')
  const country = address.country && (countryName(address.country) ?? address.country)
  return [address.name, address.street, address.street_2, town, country].filter(isFilled).map(safeText)
}

export type MailAddress = { readonly title: string; readonly lines: readonly string[] }

/** The addresses that the order has. */
export const addressesOf = ({ shipping, billing }: Pick<ReceiptOrder, 'shipping' | 'billing'>): MailAddress[] =>
  [
    { title: 'Shipping address', lines: addressLines(shipping) },
    { title: 'Billing address', lines: addressLines(billing) },
  ].filter(({ lines }) => lines.length > 0)

export const extraFieldsOf = ({ extra_fields }: ReceiptOrder): LabelledValue[] =>
  extra_fields
    .map(({ name, value }) => ({ label: toOneLine(name), value: safeShopperText(value, 1_000) }))
    .filter(({ value }) => value !== '')

// Created once: creating a formatter takes as long as writing the rest of the mail.
const dates = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

export const dateOf = ({ created }: Pick<ReceiptOrder, 'created'>): string => formatMailDay(created)

/** `seconds`: Unix time. */
export const formatMailDay = (seconds: number): string => dates.format(seconds * 1_000)

/** Sentences that are more important than the thanks, so they come first. */
export const noticesOf = (order: ReceiptOrder): string[] => [
  ...testNotices(order),
  ...(order.status === 'cancelled' ? ['This order has been cancelled.'] : []),
]

export const testNotices = ({ sandbox }: Pick<ReceiptOrder, 'sandbox'>): string[] =>
  sandbox ? ['This is a test order. Nothing was paid and nothing will be sent.'] : []

/** Prefix of the subject of a sandbox order's mail. */
export const testSubjectPrefix = ({ sandbox }: Pick<ReceiptOrder, 'sandbox'>): string => (sandbox ? '[Test] ' : '')

const safeText = (text: string) => safeShopperText(text)
const isFilled = (text: string | null): text is string => text !== null && safeText(text) !== ''
