// A row → the order in its newest form, field by field. Lines, payments and delivery are in files of their own.

import { type Minor, priceOf } from '../../lib/money.ts'
import { NO_ADDRESS, viewPostalAddress } from '../customers/postal-address.ts'
import { viewAppliedDiscount } from '../discounts/discount.ts'
import { viewAppliedGiftCard } from '../gift-cards/gift-card.ts'
import { viewFulfillment } from './fulfillment-view.ts'
import { viewOrderLine, viewTaxParts } from './line-view.ts'
import type { OrderAddresses, OwnerAddresses } from './links.ts'
import { viewCurrency, viewPayments, viewRefunds, viewTransaction } from './payment-view.ts'
import type { OrderContent, OrderRow } from './read-store.ts'
import type { Order } from './schema.ts'
import { orderFlags, type Payments, sumsOf } from './status.ts'

/** As its events tell it, and as the reply shows it: one and the same where both name us alike. */
export function viewsOf(row: OrderRow, addresses: OwnerAddresses, now: Date): { told: Order; shown: Order } {
  const told = viewOrder(row, addresses.lasting, now)
  return { told, shown: addresses.origin === addresses.lasting.origin ? told : viewOrder(row, addresses, now) }
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
    order: viewBought(row, addresses),
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
const viewReturnedCredit = ({ returned_credit: returned, currency }: OrderRow): Order['returned_credit'] =>
  returned && {
    gift_card_id: returned.gift_card_id,
    amount: priceOf(returned.amount, currency),
    is_new_card: returned.replaced !== null,
    reason: returned.replaced,
  }

/** What the status of its payment is derived from. */
export const paymentsOf = (row: OrderRow): Payments => ({
  due: row.total_due,
  credit: row.content.gift_card?.credit ?? 0,
  isCreditReturned: row.is_credit_returned,
  transactions: row.transactions,
})

function viewBought(row: OrderRow, addresses: OrderAddresses): Order['order'] {
  const { content, currency } = row
  const { discount, gift_card: giftCard, shipping, pay_what_you_want: chosen, adjustments } = content
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
      enabled: chosen.is_enabled,
      minimum: chosen.minimum === null ? null : show(chosen.minimum),
      customer_set_price: chosen.customer_set_price === null ? null : show(chosen.customer_set_price),
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
