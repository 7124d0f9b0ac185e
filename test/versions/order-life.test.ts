// A whole purchase in the oldest version, with the bodies that storefronts and merchants of that time send: a cart, a checkout, a form
// that is not filled in, an order that is paid by card, its downloads, and its refund.

import { expect, it } from 'vitest'
import { ADDRESS, noAddress, openCaptureShop } from '../api/checkouts/capture-support.ts'
import { addAsset, type Shop } from '../api/products/support.ts'
import { testApp } from '../support/app.ts'
import { matching, price, unixNow } from '../support/shop.ts'

const app = await testApp()
const shop = await openCaptureShop(app)
const picture = await addAsset(app, shop as unknown as Shop)
const file = await addAsset(app, shop as unknown as Shop, { isImage: false })
const shirt = await shop.product({
  name: 'Shirt',
  assets: [picture.id],
  variant_groups: [{ name: 'Size', options: [{ name: 'S', price: 1 }] }],
  collect: { fullname: true },
})
const book = await shop.product({
  name: 'Book',
  sku: 'BOOK',
  delivery: { physical: false, digital: { packages: [{ asset: file.id, name: 'The book' }] } },
})
const [group] = shirt.variant_groups
const [small] = group?.options ?? []
if (!group || !small) throw new Error('The shirt has no sizes.')
await shop.discount({ type: 'fixed', value: 2, code: 'TWO', product_ids: [shirt.id] })

const version = '2020-02-01'
const { secret, public: open } = shop.keys.sandbox
type Body = Record<string, unknown>

async function ask<T>(
  status: number,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: Body,
  key = open,
): Promise<T> {
  app.clock.advance(1)
  const answer = await app.call(method, `/v1/${path}`, { key, version, ...(body === undefined ? {} : { body }) })
  expect([answer.status, answer.text]).toEqual([status, answer.text])
  return answer.body as T
}

const USD = { code: 'USD', symbol: '$' }
const [ZERO, ONE, TEN, TOTAL] = [price(0, '0.00'), price(1, '1.00'), price(10, '10.00'), price(24, '24.00')]
const CHOSEN = { variant_id: group.id, variant_name: 'Size', option_id: small.id, option_name: 'S', price: ONE }
const SELECTED = { group_id: group.id, group_name: 'Size', option_id: small.id, option_name: 'S', price: ONE }
const SOURCE = { brand: 'Visa', country: 'US', billing_zip_postal_code: '94107' }
const TAX = {
  zone: { country: 'US', region: 'CA', postal_zip_code: '94107', ip_address: null },
  amount: ZERO,
  included_in_price: false,
  provider: 'chec',
  provider_type: 'native',
  breakdown: [],
}

const line = (product: typeof shirt, of: Body) => ({
  product_id: product.id,
  product_name: product.name,
  name: product.name,
  product_sku: product.sku,
  sku: product.sku,
  permalink: product.permalink,
  quantity: 1,
  quantity_refunded: 0,
  quantity_restocked: 0,
  price: TEN,
  line_total: TEN,
  line_total_with_tax: TEN,
  variant: null,
  variants: [],
  selected_options: [],
  tax_rate: 0,
  tax_rate_percentage: '0%',
  tax_amount: ZERO,
  tax_lines: [],
  ...of,
})

const taxed = (amount: typeof ZERO) => ({
  taxable_amount: amount,
  tax: { is_taxable: true, amount: ZERO, taxable_amount: amount, rate: 0, rate_percentage: '0%', breakdown: null },
})

const COLLECTS = {
  fullname: true,
  shipping_address: true,
  billing_address: false,
  extrafields: false,
  extra_fields: false,
  tax: false,
  eu_vat_moss_evidence: false,
}
const HAS = { physical_fulfillment: true, digital_fulfillment: true, pay_what_you_want: false, discounts: true }
const IS = { free: false, fulfilled: false }

const withPrefix = (prefix: string, flags: Record<string, boolean>) =>
  Object.fromEntries(Object.entries(flags).map(([flag, value]) => [`${prefix}_${flag}`, value]))

/** The order as that version shows it once it is paid. */
function paidOrder(checkout: { id: string; cart_id: string }, lines: { id: string }[]) {
  const now = unixNow(app)
  const [first, second] = lines
  const payment = {
    id: matching('pymnt_'),
    gateway_transaction_id: expect.any(String),
    created: now,
    type: 'card',
    gateway: 'test_gateway',
    reference: '4242',
    amount: 24,
    currency: USD,
    is_refunded: false,
    refund_date: null,
    refunded: ZERO,
    refundable: TOTAL,
    payment_source: SOURCE,
  }
  const item = {
    id: matching('ful_'),
    shipping_method_id: shop.method,
    line_item_id: first?.id,
    product_id: shirt.id,
    shipping_description: 'Post',
    provider: 'chec',
    provider_type: 'native_shipping',
    product_name: 'Shirt',
    variants: [CHOSEN],
    selected_options: [SELECTED],
    status: 'not_fulfilled',
    quantity: 1,
    quantity_fulfilled: 0,
    quantity_remaining: 1,
    last_updated: now,
    linked_shipments: [],
  }
  return {
    id: matching('ord_'),
    sandbox: true,
    checkout_token_id: checkout.id,
    cart_id: checkout.cart_id,
    customer_reference: expect.stringMatching(/^SHP-\d+$/),
    created: now,
    updated: now,
    status: 'open',
    cancel_reason: null,
    restocked: [],
    returned_credit: null,
    disputes: [],
    status_payment: 'paid',
    status_fulfillment: 'partially_fulfilled',
    currency: USD,
    order_value: TOTAL,
    conditionals: { ...withPrefix('collects', COLLECTS), ...withPrefix('has', HAS), ...withPrefix('is', IS) },
    collects: COLLECTS,
    has: HAS,
    is: IS,
    redirect: false,
    metadata: { source: 'advert' },
    customer: { id: matching('cstmr_'), email: 'ada@example.com', firstname: 'Ada', lastname: 'Lovelace' },
    extra_fields: [],
    extrafields: [],
    shipping: { ...noAddress, ...ADDRESS },
    billing: null,
    order: {
      line_items: [
        line(shirt, {
          id: first?.id,
          line_total: price(11, '11.00'),
          line_total_with_tax: price(11, '11.00'),
          variants: [CHOSEN],
          selected_options: [SELECTED],
          ...taxed(price(9, '9.00')),
          media: { type: 'image', source: picture.url, asset_id: picture.id },
        }),
        line(book, { id: second?.id, ...taxed(TEN), media: { type: null, source: null, asset_id: null } }),
      ],
      subtotal: price(21, '21.00'),
      discount: {
        type: 'fixed',
        code: 'TWO',
        value: 2,
        amount_saved: price(2, '2.00'),
        product_id: shirt.id,
      },
      shipping: { id: shop.method, description: 'Post', provider: 'chec', price: price(5, '5.00') },
      tax: TAX,
      adjustments: { taxable: ZERO, untaxable: ZERO, total: ZERO },
      total: TOTAL,
      total_with_tax: TOTAL,
      total_due: TOTAL,
      total_paid: TOTAL,
      total_refunded: ZERO,
      total_refundable: TOTAL,
      giftcard: [],
      pay_what_you_want: { enabled: false, minimum: null, customer_set_price: null },
      future_charges: [],
    },
    tax: TAX,
    adjustments: [],
    payments: [payment],
    refunds: [] as unknown[],
    pending_payments: [],
    fulfillment: {
      shipping: {
        id: matching('ful_'),
        shipping_method_id: shop.method,
        description: 'Post',
        provider: 'chec',
        provider_type: 'native_shipping',
        items: [item],
        shipments: [],
        price: 5,
      },
      digital: [
        {
          provider: 'chec',
          provider_type: 'native_digital',
          line_item_id: second?.id,
          product_id: book.id,
          product_name: 'Book',
          packages: [
            {
              id: matching('ful_'),
              name: 'The book',
              access_link: expect.stringContaining('/dwnld_'),
              access_expires: null,
              ext: 'PDF',
              size: '7 B',
              size_in_bytes: 7,
              remaining_downloads: null,
              is_unlimited: true,
              is_access_revoked: false,
            },
          ],
          lifespan: {
            expires: false,
            expiry_date: null,
            duration: null,
            period: null,
            download_limit: null,
            human: 'It can be downloaded at any time.',
          },
          is_expired: false,
          is_access_revoked: false,
        },
      ],
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
    future_payments: [],
    payment,
  }
}

type OldLine = { id: string; quantity: number; variants: { variant_id: string; option_id: string }[] }
type OldToken = { id: string; cart_id: string; live: { line_items: OldLine[] } }
type OldOrder = Omit<ReturnType<typeof paidOrder>, 'id'> & { id: string }

it('a cart is filled, checked out, paid by card and refunded in 2020-02-01', async () => {
  const cart = await ask<{ id: string }>(201, 'GET', 'carts')
  await ask(200, 'POST', `carts/${cart.id}`, { id: shirt.id, quantity: 1, variant: { [group.id]: small.id } })
  await ask(200, 'POST', `carts/${cart.id}`, { id: book.id, quantity: 1, variant: null })
  const token = await ask<OldToken>(201, 'GET', `checkouts/${cart.id}?type=cart`)
  const [method] = await ask<{ id: string }[]>(200, 'GET', `checkouts/${token.id}/helper/shipping_options?country=US`)

  const capture = {
    line_items: Object.fromEntries(
      token.live.line_items.map(({ id, quantity, variants }) => [
        id,
        { quantity, variants: Object.fromEntries(variants.map((each) => [each.variant_id, each.option_id])) },
      ]),
    ),
    discount_code: 'two',
    customer: { firstname: 'Ada', lastname: 'Lovelace', email: 'ada@example.com' },
    shipping: ADDRESS,
    fulfillment: { shipping_method: method?.id },
    payment: {
      gateway: 'test_gateway',
      card: {
        number: '4242 4242 4242 4242',
        expiry_month: '01',
        expiry_year: '2021',
        cvc: '123',
        postal_zip_code: '94107',
      },
    },
    metadata: { source: 'advert' },
  }
  const unfilled = { ...capture, shipping: { ...ADDRESS, street: '' }, fulfillment: { shipping_method: '' } }
  expect(await ask(422, 'POST', `checkouts/${token.id}`, unfilled)).toEqual({
    error: {
      type: 'validation',
      message: [
        { param: 'shipping[street]', error: expect.stringContaining('required') },
        { param: 'fulfillment[shipping_method]', error: expect.stringContaining('required') },
      ],
    },
    status_code: 422,
  })

  const order = await ask<OldOrder>(200, 'POST', `checkouts/${token.id}`, capture)
  const expected = paidOrder(token, token.live.line_items)
  expect(order).toEqual(expected)
  expect(order.payment).toEqual(order.payments[0])
  expect(order.fulfillment.shipping.id).toBe(order.fulfillment.shipping.items[0]?.id)
  expect(await ask(200, 'GET', `checkouts/${token.id}/receipt`)).toEqual(order)

  // The merchant's side, by the ids and names that were shown.
  const path = `orders/${order.id}`
  const [download] = order.fulfillment.digital
  const [shown] = download?.packages ?? []
  const files = `${path}/fulfillments/digital/packages`
  expect(await ask(200, 'GET', `${files}/${shown?.id}`, undefined, secret)).toEqual(shown)
  expect(await ask(200, 'PUT', `${files}/${shown?.id}`, { is_access_revoked: true }, secret)).toEqual({
    ...shown,
    is_access_revoked: true,
  })
  const renamed = await ask<OldOrder>(200, 'PUT', path, { metadata: { source: 'shop' } }, secret)
  expect(renamed.metadata).toEqual({ source: 'shop' })

  const refunded = await ask<OldOrder>(200, 'POST', `${path}/refund`, { reason: 'Too small' }, secret)
  const refundedPayment = {
    ...order.payment,
    is_refunded: true,
    refund_date: unixNow(app),
    refunded: TOTAL,
    refundable: ZERO,
  }
  expect(refunded).toEqual({
    ...renamed,
    updated: unixNow(app),
    status_payment: 'refunded',
    order: {
      ...order.order,
      line_items: order.order.line_items.map((each) => ({ ...each, quantity_refunded: 1 })),
      total_paid: ZERO,
      total_refunded: TOTAL,
      total_refundable: ZERO,
    },
    payment: refundedPayment,
    payments: [refundedPayment],
    refunds: [
      {
        payment_id: order.payment.id,
        gateway_transaction_id: expect.any(String),
        type: 'full',
        gateway: 'test_gateway',
        amount: TOTAL,
        currency: USD,
        created: unixNow(app),
        reason: 'Too small',
      },
    ],
  })
  expect(await ask(200, 'GET', path, undefined, secret)).toEqual(refunded)
})
