// What an order shows, field by field, and how orders are read and listed. Orders are made as the last step of a capture makes them.

import { describe, expect, it } from 'vitest'
import type { AssetRow } from '../../../src/api/assets/store.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { statement, violates } from '../../../src/db/db.ts'
import { sharedApp } from '../../support/app.ts'
import { ORIGIN, START } from '../../support/shop.ts'
import { digital, draftOf, openShop, physical, usd } from './support.ts'

const app = await sharedApp()

const now = () => Math.floor(app.clock.now().getTime() / 1_000)

const IMAGE_ROW: AssetRow = {
  merchant_id: 1,
  id: 'ast_1',
  filename: 'mug.png',
  file_extension: 'png',
  file_size: 10,
  is_image: true,
  width: 3,
  height: 2,
  description: null,
  meta: null,
  is_private: false,
  is_pending: false,
  created: START,
  updated: START,
}

const ADDRESS = {
  name: 'Jane Doe',
  street: '1 High Street',
  street_2: null,
  town_city: 'Victoria',
  county_state: 'BC',
  postal_zip_code: 'V8V 1A1',
  country: 'CA',
  delivery_instructions: 'Ring twice',
  meta: { floor: 2 },
}

/** 2 × (10.00 + 1.00) and a book at 10.00, less 5.00, with 3.00 for shipping, 1.00 for wrapping and 10 % tax; 6.00 by gift card. */
const FULL = draftOf({
  checkout_id: 'chkt_full',
  lines: [
    physical({
      line_total: 2_200,
      discount_share: 500,
      variant: { id: 'vrnt_1', sku: 'MUG-1', description: 'Blue', price: null },
      selected_options: [
        { group_id: 'vgrp_1', group_name: 'Colour', option_id: 'optn_1', option_name: 'Blue', price_delta: 100 },
      ],
      tax: {
        is_taxable: true,
        taxable_amount: 1_700,
        amount: 170,
        parts: [
          { type: 'state', rate: 60_000, amount: 102 },
          { type: 'city', rate: 40_000, amount: 68 },
        ],
      },
      image: IMAGE_ROW,
    }),
    digital({
      tax: { is_taxable: false, taxable_amount: 0, amount: 0, parts: [] },
      lifespan: { duration: 1, period: 'weeks', download_limit: 3 },
    }),
  ],
  discount: {
    id: 'code_1',
    type: 'percentage',
    code: 'SPRING',
    value: 125_000,
    product_ids: ['prod_mug'],
    amount_saved: 500,
  },
  shipping: { id: 'ship_1', description: 'Post', price: 300, provider: 'chec' },
  tax: {
    amount: 170,
    is_included: false,
    provider: 'chec',
    parts: [
      { type: 'state', rate: 60_000, amount: 102 },
      { type: 'city', rate: 40_000, amount: 68 },
    ],
    zone: { country: 'CA', region: 'BC', postal_code: 'V8V', ip_address: '192.0.2.1' },
  },
  adjustments: {
    taxable: 0,
    untaxable: 100,
    total: 100,
    entries: [{ description: 'Wrapping', amount: 100, is_taxable: false }],
  },
  total: 3_100,
  total_with_tax: 3_270,
  total_due: 2_670,
  gift_card: { id: 'gift_1', code: 'PRESENT', balance_after: 400, credit: 600 },
  pay_what_you_want: { is_enabled: true, minimum: 1_000, customer_set_price: 1_000 },
  customer: {
    id: null,
    email: 'Jane@Example.com',
    firstname: 'Jane',
    lastname: 'Doe',
    phone: '555',
    meta: { vip: true },
  },
  shipping_address: ADDRESS,
  billing_address: { ...ADDRESS, street: '2 Low Street' },
  extra_fields: [{ id: 'extr_1', name: 'Engraving', type: 'text', is_required: true, value: 'J' }],
  collected: { fullname: true, shipping_address: true, billing_address: true, extrafields: true, tax: true },
  redirect: 'https://example.com/thanks',
  client_details: {
    ip_address: '192.0.2.1',
    country_code: 'CA',
    country_name: 'Canada',
    region_code: 'BC',
    region_name: 'British Columbia',
    city: 'Victoria',
    postal_zip_code: 'V8V',
  },
  meta: { z: 1, a: { b: 2 } },
})

const TAX_PARTS = [
  { amount: usd(102), rate: 0.06, rate_percentage: '6%', type: 'state' },
  { amount: usd(68), rate: 0.04, rate_percentage: '4%', type: 'city' },
]
const EXTRA_FIELDS = [{ id: 'extr_1', name: 'Engraving', type: 'text', required: true, value: 'J' }]

/** The golden body of `orders.get` has the other fields. */
function shownFull(created: number) {
  const tax = {
    zone: { country: 'CA', region: 'BC', postal_zip_code: 'V8V', ip_address: '192.0.2.1' },
    amount: usd(170),
    breakdown: TAX_PARTS,
  }
  return {
    created,
    status_payment: 'paid',
    status_fulfillment: 'partially_fulfilled',
    order_value: usd(3_270),
    redirect: 'https://example.com/thanks',
    meta: { z: 1, a: { b: 2 } },
    customer: { email: 'Jane@Example.com', firstname: 'Jane', lastname: 'Doe', phone: '555' },
    extra_fields: EXTRA_FIELDS,
    extrafields: EXTRA_FIELDS,
    shipping: ADDRESS,
    billing: { ...ADDRESS, street: '2 Low Street' },
    order: {
      line_items: [
        {
          price: usd(1_000),
          line_total: usd(2_200),
          line_total_with_tax: usd(2_370),
          selected_options: [{ option_name: 'Blue', price: usd(100) }],
          taxable_amount: usd(1_700),
          tax_rate: 0.1,
          tax_rate_percentage: '10%',
          tax_amount: usd(170),
          tax_lines: TAX_PARTS,
          tax: { is_taxable: true, rate: 0.1, rate_percentage: '10%', breakdown: TAX_PARTS },
          image: { url: expect.stringMatching(new RegExp(`^${ORIGIN}/files/\\d+/ast_1/mug\\.png$`)) },
        },
        { line_total_with_tax: usd(1_000), tax_rate: 0, tax_lines: [], tax: { is_taxable: false, breakdown: null } },
      ],
      subtotal: usd(3_200),
      discount: { code: 'SPRING', value: 12.5, amount_saved: usd(500), product_ids: ['prod_mug'] },
      shipping: { id: 'ship_1', price: usd(300) },
      tax,
      adjustments: { taxable: usd(0), untaxable: usd(100), total: usd(100) },
      total: usd(3_100),
      total_with_tax: usd(3_270),
      total_due: usd(2_670),
      total_paid: usd(3_270),
      total_refunded: usd(0),
      total_refundable: usd(3_270),
      giftcard: { id: 'gift_1', code: 'PRESENT', balance: 4, credit: usd(600) },
      pay_what_you_want: { enabled: true, minimum: usd(1_000), customer_set_price: usd(1_000) },
    },
    tax,
    adjustments: [{ description: 'Wrapping', amount: usd(100), taxable: false }],
    payments: [{ amount: usd(2_670), refunded: usd(0), refundable: usd(2_670) }],
    transactions: [{ type: 'charge', status: 'complete', charge_date: created, amount: usd(2_670) }],
    fulfillment: {
      physical: { items: [{ line_item_id: 'item_mug', shipping_method_id: 'ship_1', quantity_remaining: 2 }] },
      digital: {
        downloads: [
          {
            line_item_id: 'item_book',
            packages: [{ access_expires: created + WEEK, ext: 'PDF', size: '38.71 KB', remaining_downloads: 3 }],
            lifespan: { expiry_date: created + WEEK, download_limit: 3 },
          },
        ],
      },
    },
    client_details: FULL.client_details,
  }
}
const WEEK = 604_800

describe('an order', () => {
  it('shows everything that was bought, paid and is to be delivered, and is read as it was made', async () => {
    const shop = await openShop(app, { name: 'Example Checkout' })
    const order = await shop.order(FULL)
    expect(order).toMatchObject(shownFull(now()))
    expect(await shop.get(order.id)).toEqual(order)
    expect((await shop.call('GET', '')).body).toEqual({
      data: [order],
      meta: { pagination: { total: 1, count: 1, per_page: 20, current_page: 1, total_pages: 1, links: {} } },
    })
  })

  it('tells orders.create, and orders.paid where it is, with the body that is read', async () => {
    const shop = await openShop(app)
    const order = await shop.order(FULL)
    expect((await shop.events()).filter(({ name }) => name.startsWith('orders.'))).toEqual([
      { name: 'orders.create', kind: 'order', sandbox: true, payload: order, response_code: 200 },
      { name: 'orders.paid', kind: 'order', sandbox: true, payload: order, response_code: 200 },
    ])
  })

  it('has empty lists and nulls where nothing was chosen, and a shipping address without content', async () => {
    const shop = await openShop(app)
    const order = await shop.order({ cart_id: null, customer: { ...draftOf().customer, firstname: null } })
    const none = null
    expect(await shop.get(order.id)).toMatchObject({
      cart_id: null,
      redirect: false,
      customer: { id: order.customer.id, email: 'jane@example.com' },
      shipping: { ...ADDRESS, ...Object.fromEntries(Object.keys(ADDRESS).map((field) => [field, none])) },
      billing: null,
      order: {
        discount: [],
        giftcard: [],
        shipping: { id: null, description: null, provider: 'chec', price: usd(0) },
        pay_what_you_want: { enabled: false, minimum: null, customer_set_price: null },
      },
      meta: null,
    })
    expect(Object.keys(order.customer)).toEqual(['id', 'email'])
  })

  it.each([
    ['a card that is charged', 'card', 'paid', 'complete', 'complete', 2_000],
    ['a card that is held', 'authorized', 'authorized', 'pending', 'awaiting_capture', 0],
    ['manual payment', 'manual', 'not_paid', 'pending', 'awaiting_capture', 0],
  ] as const)('by %s is %s', async (_, paidBy, status_payment, status, status_reason, paid) => {
    const shop = await openShop(app)
    const order = await shop.order({}, paidBy)
    expect(order).toMatchObject({
      status_payment,
      status_fulfillment: 'not_fulfilled',
      transactions: [{ type: 'charge', status, status_reason, amount: usd(2_000) }],
      order: { total_paid: usd(paid) },
    })
    expect(order.payments.length).toBe(paid > 0 ? 1 : 0)
  })

  it('that is free and has nothing to deliver is paid and fulfilled at once', async () => {
    const shop = await openShop(app)
    const lines = [physical({ is_physical: false, line_total: 0, unit_price: 0 })]
    expect(await shop.order({ lines })).toMatchObject({
      status_payment: 'paid',
      status_fulfillment: 'fulfilled',
      is: { free: true, fulfilled: true },
      transactions: [],
      payments: [],
    })
  })

  it('with the tax in its prices adds none to its lines', async () => {
    const shop = await openShop(app)
    const tax = {
      is_taxable: true,
      taxable_amount: 2_000,
      amount: 182,
      parts: [{ type: 'vat', rate: 100_000, amount: 182 }],
    }
    const order = await shop.order({
      lines: [physical({ tax })],
      tax: { ...draftOf().tax, amount: 182, is_included: true, provider: 'taxes.example' },
    })
    expect(order).toMatchObject({
      order: { line_items: [{ line_total: usd(2_000), line_total_with_tax: usd(2_000) }] },
      tax: { included_in_price: true, provider: 'taxes.example', provider_type: 'external' },
    })
  })

  it('is made once for each checkout token', async () => {
    const shop = await openShop(app)
    await shop.order({ checkout_id: 'chkt_once' })
    await expect(shop.order({ checkout_id: 'chkt_once' })).rejects.toSatisfy((error) =>
      violates(error, 'orders_checkout_unique'),
    )
    expect((await shop.events()).map(({ name }) => name)).toEqual(['customers.create', 'orders.create', 'orders.paid'])
  })

  it('keeps showing what has been deleted since', async () => {
    const shop = await openShop(app)
    const key = shop.keys.sandbox.secret
    const make = async (path: string, body: object) => {
      const answer = await app.call('POST', path, { key, body })
      expect(answer, answer.text).toMatchObject({ status: 201 })
      return (answer.body as { id: string }).id
    }
    const contents = Buffer.from('%PDF-1.4\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n').toString('base64')
    const asset = await make('/v1/assets', { filename: 'book.pdf', contents })
    const product = await make('/v1/products', {
      name: 'Book',
      price: 10,
      delivery: { digital: { packages: [{ asset }] } },
    })
    const discount = await make('/v1/discounts', { type: 'fixed', value: 1 })
    const giftCard = await make('/v1/giftcards', { value: 5 })
    const gateway = await make('/v1/gateways', { code: 'manual', config: { name: 'Cash' } })
    const order = await shop.order({
      ...FULL,
      lines: [
        digital({
          product_id: product,
          packages: [{ asset_id: asset, name: 'Book', ext: 'pdf', size_in_bytes: 1, is_sample: false }],
        }),
      ],
      discount: { id: discount, type: 'fixed', code: 'ONE', value: 100, product_ids: [], amount_saved: 100 },
      gift_card: { id: giftCard, code: 'FIVE', balance_after: 0, credit: 500 },
    })
    for (const path of [
      `products/${product}`,
      `assets/${asset}`,
      `discounts/${discount}`,
      `giftcards/${giftCard}`,
      `gateways/${gateway}`,
    ])
      expect([path, (await app.call('DELETE', `/v1/${path}`, { key })).status]).toEqual([path, 204])
    expect(await app.db.run(deleteCustomers, { merchant_id: shop.id })).toBe(1)
    expect(await shop.get(order.id)).toEqual(order)
  })
})

const deleteCustomers = statement('test.delete_customers', 'delete from customers where merchant_id = :merchant_id')

describe('the list of orders', async () => {
  const shop = await openShop(app, { name: 'List' })
  const by = (email: string, name: { firstname?: string; lastname?: string } = {}) => ({
    customer: { ...draftOf().customer, email, ...name },
  })
  // Each a second after the one before.
  const first = await shop.order(by('ann@example.com', { firstname: 'Änne', lastname: 'ÖZIL-Smith' }))
  const second = await shop.order(by('Bob_1@example.com', { firstname: 'Bob', lastname: 'Smith' }), 'manual')
  const third = await shop.order({ ...by('ann@example.com'), lines: [digital()] })
  const ids = async (query: string): Promise<string[]> => {
    const answer = await shop.call('GET', query)
    expect(answer, answer.text).toMatchObject({ status: 200 })
    return (answer.body as { data: Order[] }).data.map(({ id }) => id)
  }

  it.each([
    ['', [third, second, first]],
    ['?sortBy=created_at&sortDirection=asc', [first, second, third]],
    ['?sortBy=created_at&sortDirection=desc', [third, second, first]],
    [`?query=${first.id}`, [first]],
    [`?query=${first.customer_reference}`, [first]],
    [`?query=${second.customer_reference.toLowerCase()}`, [second]],
    ['?query=lst-', [third, second, first]],
    ['?query=ANN@', [third, first]],
    ['?query=bob_1@example.com', [second]],
    ['?query=bobx1', []],
    ['?query=example.com', []],
    ['?query=%25', []],
    ['?query=smi', [second]],
    ['?query=SMITH', [second]],
    ['?query=ith', []],
    ['?query=özil-s', [first]],
    ['?query=änne Öz', [first]],
    ['?query=bob SMI', [second]],
    ['?query=Jane', [third]],
    ['?query=smi_', []],
    ['?query=bob&status_payment=not_paid', [second]],
    ['?query=bob&status_payment=paid', []],
    ['?status=open', [third, second, first]],
    ['?status=cancelled', []],
    ['?status=unpaid', [second]],
    ['?status=unshipped', [first]],
    ['?status=unshipped&query=bob', []],
    [`?status=unshipped&customer_id=${first.customer.id}`, [first]],
    [`?status=unpaid&created_after=${second.created}`, []],
    ['?status_payment=not_paid', [second]],
    ['?status_payment=refunded', []],
    ['?status_fulfillment=fulfilled', [third]],
    [`?customer_id=${first.customer.id}`, [third, first]],
    [`?customer_id=${first.customer.id}&status_fulfillment=not_fulfilled`, [first]],
    [`?created_after=${first.created}`, [third, second]],
    [`?created_before=${third.created}&sortDirection=asc`, [first, second]],
    [`?created_after=${first.created}&created_before=${third.created}`, [second]],
    ['?limit=1&page=2', [second]],
    ['?page=2', []],
  ])('of %s holds those that match', async (query, expected) => {
    expect(await ids(query)).toEqual(expected.map(({ id }) => id))
  })

  it('links to its neighbours', async () => {
    const { body } = await shop.call('GET', '?limit=1&page=2&sortDirection=asc')
    expect(body).toEqual({
      data: [second],
      meta: {
        pagination: {
          total: 3,
          count: 1,
          per_page: 1,
          current_page: 2,
          total_pages: 3,
          links: {
            previous: `${ORIGIN}/v1/orders?limit=1&sortDirection=asc&page=1`,
            next: `${ORIGIN}/v1/orders?limit=1&sortDirection=asc&page=3`,
          },
        },
      },
    })
  })

  it('of each mode holds its own orders', async () => {
    const live = await shop.order(by('ann@example.com'), 'manual', { isSandbox: false })
    expect(live.sandbox).toBe(false)
    const inLive = (await shop.call('GET', '', undefined, shop.keys.live.secret)).body as { data: Order[] }
    expect(inLive.data).toEqual([live])
    // The same address is another customer in the other mode.
    expect(live.customer.id).not.toBe(first.customer.id)
    expect(await ids('')).toEqual([third.id, second.id, first.id])
  })
})
