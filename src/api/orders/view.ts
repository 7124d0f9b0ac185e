// A row → the order in its newest form, field by field, with its payments. Lines and their delivery: line-view.ts.

import { findGateway } from '../../gateways/index.ts'
import { currencyOf } from '../../lib/currencies.ts'
import { type Minor, priceOf } from '../../lib/money.ts'
import { NO_ADDRESS, viewPostalAddress } from '../customers/postal-address.ts'
import { viewAppliedDiscount } from '../discounts/discount.ts'
import { viewAppliedGiftCard } from '../gift-cards/gift-card.ts'
import { withConditionals } from '../products/view.ts'
import { viewFulfillment, viewOrderLine, viewTaxParts } from './line-view.ts'
import type { OrderAddresses, OwnerAddresses } from './links.ts'
import type { OrderContent, OrderRow, TransactionRow } from './read-store.ts'
import type { Order, Payment, Refund, Transaction } from './schema.ts'
import { type Payments, sumsOf } from './status.ts'

/** As its event holds it, and as the reply shows it: one and the same where both name us alike. */
export function viewsOf(row: OrderRow, addresses: OwnerAddresses, now: Date): { event: Order; reply: Order } {
  const event = viewOrder(row, addresses.lasting, now)
  return { event, reply: addresses.origin === addresses.lasting.origin ? event : viewOrder(row, addresses, now) }
}

export function viewOrder(row: OrderRow, addresses: OrderAddresses, now: Date): Order {
  const { content, currency } = row
  const { client_details: details } = content
  const show = (amount: Minor) => priceOf(amount, currency)
  const { conditionals, collected, has, is } = orderFlags(row)
  const extraFields = content.extra_fields.map(({ id, name, type, is_required, value }) => ({
    id,
    name,
    type,
    required: is_required,
    value,
  }))
  return {
    id: row.id,
    sandbox: row.is_sandbox,
    checkout_token_id: row.checkout_id,
    cart_id: row.cart_id,
    customer_reference: row.customer_reference,
    created: row.created,
    updated: row.updated,
    status: row.cancelled === null ? 'open' : 'cancelled',
    cancel_reason: row.cancelled === null ? null : row.cancel_reason,
    restocked: row.restocked ?? [],
    status_payment: row.status_payment,
    status_fulfillment: row.status_fulfillment,
    currency: viewCurrency(currency),
    order_value: show(row.order_value),
    conditionals,
    collected,
    has,
    is,
    redirect: content.redirect ?? false,
    meta: row.meta,
    customer: {
      id: row.customer_id,
      email: row.email,
      ...(row.firstname === null ? {} : { firstname: row.firstname }),
      ...(row.lastname === null ? {} : { lastname: row.lastname }),
      ...(row.phone === null ? {} : { phone: row.phone }),
    },
    extra_fields: extraFields,
    extrafields: extraFields,
    // Storefronts read `shipping.street` also of an order that was shipped nowhere.
    shipping: viewPostalAddress(row.shipping_address ?? NO_ADDRESS),
    billing: row.billing_address && viewPostalAddress(row.billing_address),
    order: viewPurchase(row, addresses),
    tax: viewTax(content, currency),
    adjustments: content.adjustments.entries.map(({ description, amount, is_taxable }) => ({
      description,
      amount: show(amount),
      taxable: is_taxable,
    })),
    payments: viewPayments(row.transactions, currency),
    refunds: viewRefunds(row.transactions, currency),
    returned_credit: viewReturnedCredit(row),
    transactions: row.transactions.map((transaction) => viewTransaction(transaction, currency)),
    fulfillment: viewFulfillment(row, addresses, now),
    fraud: { provider: null, response: null },
    client_details: {
      ip_address: details.ip_address,
      country_code: details.country_code,
      country_name: details.country_name,
      region_code: details.region_code,
      region_name: details.region_name,
      city: details.city,
      postal_zip_code: details.postal_zip_code,
    },
  }
}

/** Never a code: whoever holds it can spend the card. The secret key reads it off the card itself. */
const viewReturnedCredit = ({ returned_credit: credit, currency }: OrderRow): Order['returned_credit'] =>
  credit && {
    gift_card_id: credit.gift_card_id,
    amount: priceOf(credit.amount, currency),
    is_new_card: credit.replaced !== null,
    reason: credit.replaced,
  }

/** What the status of its payment is derived from. */
export const paymentsOf = (row: OrderRow): Payments => ({
  due: row.total_due,
  credit: row.content.gift_card?.credit ?? 0,
  isCreditReturned: row.is_credit_returned,
  transactions: row.transactions,
})

function viewPurchase(row: OrderRow, addresses: OrderAddresses): Order['order'] {
  const { content, currency } = row
  const { discount, gift_card: giftCard, shipping, pay_what_you_want: payWhatYouWant, adjustments } = content
  const show = (amount: Minor) => priceOf(amount, currency)
  return {
    line_items: content.lines.map((line) => viewOrderLine(line, row, addresses)),
    subtotal: show(content.subtotal),
    discount: discount ? viewAppliedDiscount(discount, discount.amount_saved, currency) : [],
    shipping: {
      id: shipping.id,
      description: shipping.description,
      provider: shipping.provider ?? 'chec',
      price: show(shipping.price),
    },
    tax: viewTax(content, currency),
    adjustments: {
      taxable: show(adjustments.taxable),
      untaxable: show(adjustments.untaxable),
      total: show(adjustments.total),
    },
    total: show(content.total),
    total_with_tax: show(content.total_with_tax),
    total_due: show(row.total_due),
    total_paid: show(sumsOf(paymentsOf(row)).paid),
    giftcard: giftCard ? viewAppliedGiftCard(giftCard, giftCard.credit, giftCard.balance_after, currency) : [],
    pay_what_you_want: {
      enabled: payWhatYouWant.is_enabled,
      minimum: payWhatYouWant.minimum === null ? null : show(payWhatYouWant.minimum),
      customer_set_price: payWhatYouWant.customer_set_price === null ? null : show(payWhatYouWant.customer_set_price),
    },
  }
}

const viewTax = ({ tax }: OrderContent, currency: string): Order['tax'] => ({
  zone: {
    country: tax.zone.country,
    region: tax.zone.region,
    postal_zip_code: tax.zone.postal_code,
    ip_address: tax.zone.ip_address,
  },
  amount: priceOf(tax.amount, currency),
  included_in_price: tax.is_included,
  provider: tax.provider,
  provider_type: tax.provider === 'chec' ? 'native' : 'external',
  breakdown: viewTaxParts(tax.parts, currency),
})

// Transactions, and the payments and refunds that are read off them.

export const viewTransaction = (row: TransactionRow, currency: string): Transaction => ({
  id: row.id,
  payment_id: row.payment_id,
  type: row.type,
  status: row.status,
  status_reason: row.status_reason,
  charge_date: row.type === 'charge' ? row.completed : null,
  gateway: row.gateway,
  gateway_name: findGateway(row.gateway)?.name ?? row.gateway,
  gateway_transaction_id: row.gateway_transaction_id,
  gateway_customer_id: null,
  gateway_reference: row.gateway_reference,
  notes: row.notes,
  amount: priceOf(row.amount, currency),
  payment_source_type: row.payment_source_type,
  payment_source: viewSource(row),
  reason: row.reason,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
  dunning: { is_dunning: false, failed_attempts: 0, last_failed_attempt: null, next_attempt: null },
})

const isComplete = ({ status }: TransactionRow) => status === 'complete'

function viewPayments(rows: readonly TransactionRow[], currency: string): Payment[] {
  const refunds = new Map(
    rows.filter((row) => row.type === 'refund' && isComplete(row)).map((row) => [row.refunds_id, row]),
  )
  return rows
    .filter((row) => row.type === 'charge' && isComplete(row))
    .map((row) => ({
      id: row.payment_id,
      gateway_transaction_id: row.gateway_transaction_id,
      created: row.created,
      type: row.payment_source_type ?? row.gateway,
      gateway: row.gateway,
      reference: row.gateway_reference,
      amount: priceOf(row.amount, currency),
      currency: viewCurrency(currency),
      is_refunded: refunds.has(row.id),
      refund_date: refunds.get(row.id)?.completed ?? null,
      payment_source: viewSource(row),
    }))
}

const viewRefunds = (rows: readonly TransactionRow[], currency: string): Refund[] =>
  rows
    .filter((row) => row.type === 'refund' && isComplete(row))
    .map((row) => ({
      payment_id: row.payment_id,
      gateway_transaction_id: row.gateway_transaction_id,
      type: 'full',
      gateway: row.gateway,
      amount: priceOf(row.amount, currency),
      currency: viewCurrency(currency),
      created: row.created,
      reason: row.reason,
    }))

function viewCurrency(currency: string) {
  const { code, symbol } = currencyOf(currency)
  return { code, symbol }
}

const viewSource = ({ payment_source: source }: TransactionRow) => ({
  brand: source?.brand ?? null,
  country: source?.country ?? null,
  billing_zip_postal_code: source?.zip ?? null,
})

/** What was collected, what the order has and what it is; `conditionals` repeats it with prefixes. */
function orderFlags({ content, order_value, status_fulfillment, items, downloads }: OrderRow) {
  const { collected } = content
  const hasExtraFields = collected.extrafields ?? collected.extra_fields ?? false
  return withConditionals({
    collected: {
      fullname: collected.fullname ?? false,
      shipping_address: collected.shipping_address ?? false,
      billing_address: collected.billing_address ?? false,
      extrafields: hasExtraFields,
      extra_fields: hasExtraFields,
      tax: collected.tax ?? false,
      eu_vat_moss_evidence: collected.eu_vat_moss_evidence ?? false,
    },
    has: {
      physical_fulfillment: items.length > 0,
      digital_fulfillment: downloads.length > 0,
      pay_what_you_want: content.pay_what_you_want.is_enabled,
      discounts: content.discount !== null,
    },
    is: { free: order_value === 0, fulfilled: status_fulfillment === 'fulfilled' },
  })
}
