// Maps an order row to its newest API form, field by field. Lines and delivery are in line-view.ts, money is in money/view.ts.

import { type Minor, priceOf } from '../../lib/money.ts'
import { NO_ADDRESS, viewPostalAddress } from '../customers/postal-address.ts'
import { viewAppliedDiscount } from '../discounts/discount.ts'
import { viewAppliedGiftCard } from '../gift-cards/gift-card.ts'
import { withConditionals } from '../products/view.ts'
import { viewFulfillment, viewOrderLine, viewTaxParts } from './line-view.ts'
import type { OrderAddresses, ReplyAndLastingAddresses } from './links.ts'
import { paymentStatusInput, refundableOf } from './money/sums.ts'
import {
  viewCurrency,
  viewDisputes,
  viewPayments,
  viewRefunds,
  viewReturnedCredit,
  viewTransaction,
} from './money/view.ts'
import type { OrderContent, OrderRow } from './read-store.ts'
import type { Order } from './schema.ts'
import { sumPayments } from './status.ts'

/** The order for its event and for the reply. Both are the same object if they use the same origin. */
export function viewForEventAndReply(
  row: OrderRow,
  addresses: ReplyAndLastingAddresses,
  now: Date,
): { event: Order; reply: Order } {
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
    // Storefronts read `shipping.street` even if nothing was shipped.
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
    disputes: viewDisputes(row),
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

function viewPurchase(row: OrderRow, addresses: OrderAddresses): Order['order'] {
  const { content, currency } = row
  const { discount, gift_card: giftCard, shipping, pay_what_you_want: payWhatYouWant, adjustments } = content
  const show = (amount: Minor) => priceOf(amount, currency)
  const { paid, refunded, creditReturned } = sumPayments(paymentStatusInput(row))
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
    total_paid: show(paid),
    total_refunded: show(refunded + creditReturned),
    total_refundable: show(refundableOf(row)),
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

/** Flags of the order: data that was collected, what it has and what it is. `conditionals` repeats them with prefixes. */
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
