// What the tests of capture share: a shop to capture in, bodies as a form sends them, and the whole order that comes of the plainest.

import { expect } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import type { TestApp } from '../../support/app.ts'
import { type Body, matching, price, unixNow } from '../../support/shop.ts'
import { type CheckoutShop, openCheckoutShop, prefixed } from './support.ts'

export const NUMBER = '4242 4242 4242 4242'

export const CARD = {
  gateway: 'test_gateway',
  card: { number: NUMBER, expires: '01/22', cvc: 123, postal_zip_code: '94107' },
}

export const ADDRESS = {
  name: 'Ada Lovelace',
  street: '1 Main Street',
  town_city: 'San Francisco',
  county_state: 'CA',
  postal_zip_code: '94107',
  country: 'US',
}

export const CUSTOMER = { email: 'ada@example.com' }

export type CaptureShop = Awaited<ReturnType<typeof openCaptureShop>>

/** A shop that ships within the US by one method. */
export async function openCaptureShop(app: TestApp, draft: Parameters<typeof openCheckoutShop>[1] = {}) {
  const shop = await openCheckoutShop(app, draft)
  const zone = await shop.zone()
  const method = zone.methods[0]?.id ?? ''
  const capture = (token: { id: string }, body: unknown, key?: string) =>
    shop.call('POST', `checkouts/${token.id}`, body, key)
  return {
    ...shop,
    zoneId: zone.id,
    method,
    capture,
    order: async (token: { id: string }, body: unknown, key?: string): Promise<Order> => {
      const answer = await capture(token, body, key)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.body as Order
    },
    /** The errors of a capture that is refused, by path. */
    errors: async (token: { id: string }, body: unknown, key?: string): Promise<Record<string, string[]>> => {
      const answer = await capture(token, body, key)
      expect([answer.status, answer.text]).toEqual([422, answer.text])
      return (answer.body as { error: { errors: Record<string, string[]> } }).error.errors
    },
    /** What is needed to buy something that is shipped. */
    body: (more: Body = {}): Body => ({
      customer: CUSTOMER,
      shipping: ADDRESS,
      fulfillment: { shipping_method: method },
      payment: CARD,
      ...more,
    }),
  }
}

/** What is needed to buy something that is not shipped. */
export const digitalBody = (more: Body = {}): Body => ({ customer: CUSTOMER, payment: CARD, ...more })

export const digital = { delivery: { physical: false } }

const ZERO = price(0, '0.00')

/** The flags of an order of something shipped and paid for, and what differs from that. */
export function orderFlags(
  different: { collected?: Record<string, boolean>; has?: Record<string, boolean>; is?: Record<string, boolean> } = {},
) {
  const families = {
    collected: {
      fullname: false,
      shipping_address: true,
      billing_address: false,
      extrafields: false,
      extra_fields: false,
      tax: false,
      eu_vat_moss_evidence: false,
      ...different.collected,
    },
    has: {
      physical_fulfillment: true,
      digital_fulfillment: false,
      pay_what_you_want: false,
      discounts: false,
      ...different.has,
    },
    is: { free: false, fulfilled: false, ...different.is },
  }
  return { ...families, conditionals: prefixed(families) }
}

export const noAddress = {
  name: null,
  street: null,
  street_2: null,
  town_city: null,
  county_state: null,
  postal_zip_code: null,
  country: null,
  delivery_instructions: null,
  meta: null,
}

/** The order, made at this moment, of one `product` of 10.00 that is sent by Post for 5.00 and paid with the test card. */
export function orderOf(
  app: TestApp,
  shop: CheckoutShop & { method: string },
  token: { id: string; cart_id: string | null; products: readonly { id: string }[] },
  product: Product,
) {
  const now = unixNow(app)
  const usd = { code: 'USD', symbol: '$' }
  const total = price(15, '15.00')
  const source = { brand: 'Visa', country: 'US', billing_zip_postal_code: '94107' }
  const tax = {
    zone: { country: 'US', region: 'CA', postal_zip_code: '94107', ip_address: null },
    amount: ZERO,
    included_in_price: false,
    provider: 'chec',
    provider_type: 'native',
    breakdown: [],
  }
  return {
    id: matching('ord_'),
    sandbox: true,
    checkout_token_id: token.id,
    cart_id: token.cart_id,
    customer_reference: expect.stringMatching(/^SHP-\d+$/),
    created: now,
    updated: now,
    status: 'open',
    cancel_reason: null,
    restocked: [],
    returned_credit: null,
    status_payment: 'paid',
    status_fulfillment: 'not_fulfilled',
    currency: usd,
    order_value: total,
    ...orderFlags(),
    redirect: false,
    meta: null,
    customer: { id: matching('cstmr_'), email: 'ada@example.com' },
    extra_fields: [],
    extrafields: [],
    shipping: { ...noAddress, ...ADDRESS },
    billing: null,
    order: {
      line_items: [
        {
          id: token.products[0]?.id,
          product_id: product.id,
          product_name: product.name,
          name: product.name,
          product_sku: product.sku,
          sku: product.sku,
          permalink: product.permalink,
          quantity: 1,
          quantity_refunded: 0,
          quantity_restocked: 0,
          price: product.price,
          line_total: product.price,
          line_total_with_tax: product.price,
          variant: null,
          variants: [],
          selected_options: [],
          taxable_amount: product.price,
          tax_rate: 0,
          tax_rate_percentage: '0%',
          tax_amount: ZERO,
          tax_lines: [],
          tax: {
            is_taxable: true,
            amount: ZERO,
            taxable_amount: product.price,
            rate: 0,
            rate_percentage: '0%',
            breakdown: null,
          },
          image: product.image,
        },
      ],
      subtotal: product.price,
      discount: [],
      shipping: { id: shop.method, description: 'Post', provider: 'chec', price: price(5, '5.00') },
      tax,
      adjustments: { taxable: ZERO, untaxable: ZERO, total: ZERO },
      total,
      total_with_tax: total,
      total_due: total,
      total_paid: total,
      total_refunded: ZERO,
      total_refundable: total,
      giftcard: [],
      pay_what_you_want: { enabled: false, minimum: null, customer_set_price: null },
    },
    tax,
    adjustments: [],
    payments: [
      {
        id: matching('pymnt_'),
        gateway_transaction_id: expect.any(String),
        created: now,
        type: 'card',
        gateway: 'test_gateway',
        reference: '4242',
        amount: total,
        currency: usd,
        is_refunded: false,
        refund_date: null,
        refunded: ZERO,
        refundable: total,
        payment_source: source,
      },
    ],
    refunds: [],
    disputes: [],
    transactions: [
      {
        id: matching('trns_'),
        payment_id: matching('pymnt_'),
        type: 'charge',
        status: 'complete',
        status_reason: 'complete',
        charge_date: now,
        gateway: 'test_gateway',
        gateway_name: 'Test Gateway',
        gateway_transaction_id: expect.any(String),
        gateway_customer_id: null,
        gateway_reference: '4242',
        notes: '',
        amount: total,
        payment_source_type: 'card',
        payment_source: source,
        reason: null,
        meta: null,
        created: now,
        updated: now,
        dunning: { is_dunning: false, failed_attempts: 0, last_failed_attempt: null, next_attempt: null },
      },
    ],
    fulfillment: {
      physical: {
        items: [
          {
            id: matching('ful_'),
            shipping_method_id: shop.method,
            line_item_id: token.products[0]?.id,
            product_id: product.id,
            shipping_description: 'Post',
            provider: 'chec',
            provider_type: 'native_shipping',
            product_name: product.name,
            variants: [],
            selected_options: [],
            status: 'not_fulfilled',
            quantity: 1,
            quantity_fulfilled: 0,
            quantity_remaining: 1,
            last_updated: now,
            linked_shipments: [],
          },
        ],
        shipments: [],
      },
      digital: { downloads: [] },
    },
    fraud: { provider: null, response: null },
    client_details: {
      ip_address: '127.0.0.1',
      country_code: null,
      country_name: null,
      region_code: null,
      region_name: null,
      city: null,
      postal_zip_code: null,
    },
  }
}
