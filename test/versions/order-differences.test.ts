// One order in every version: what came and went from each to the next, wherever the order is answered, and what storefronts of a
// version read without asking whether it is there.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/api/orders/schema.ts'
import type { Json } from '../../src/versions/change.ts'
import { versions } from '../../src/versions/index.ts'
import { ADDRESS, openCaptureShop } from '../api/checkouts/capture-support.ts'
import { addAsset, type Shop } from '../api/products/support.ts'
import { type CallOptions, testApp } from '../support/app.ts'
import { below, history, missingAt, unique } from './differences.ts'

const app = await testApp()
const shop = await openCaptureShop(app)
const [secret, open] = [shop.keys.sandbox.secret, shop.keys.sandbox.public]

/**
 * An order with all that a version could show otherwise: a picture, options, a discount, a gift card, tax, extra fields, a shipment,
 * a download, and a payment of which one part has come and another has not.
 */
async function fullOrder() {
  const picture = await addAsset(app, shop as unknown as Shop)
  const file = await addAsset(app, shop as unknown as Shop, { isImage: false })
  const shirt = await shop.product({
    name: 'Shirt',
    assets: [picture.id],
    variant_groups: [{ name: 'Size', options: [{ name: 'S', price: 1 }] }],
    extra_fields: [{ name: 'Initials', required: true }],
  })
  const [size] = shirt.variant_groups
  const [small] = size?.options ?? []
  if (!size || !small) throw new Error('The shirt has no sizes.')
  const book = await shop.product({
    name: 'Book',
    delivery: { physical: false, digital: { packages: [{ asset: file.id, name: 'The book' }] } },
  })
  await shop.taxZone({ country: 'US', rates: [{ type: 'state', rate: 0.06 }] })
  const { code } = await shop.discount({ type: 'percentage', value: 10, product_ids: [shirt.id] })
  const card = await shop.giftCard({ value: 3 })
  await shop.succeed(201, 'POST', 'gateways', { code: 'manual', config: { name: 'Transfer' } }, secret)
  const token = await shop.token({ id: shirt.id, options: { [size.id]: small.id } }, { id: book.id })
  const body = shop.body({
    billing: ADDRESS,
    discount_code: code,
    giftcard_code: card.code,
    extrafields: { [token.extra_fields[0]?.id ?? '']: 'AL' },
    payment: { gateway: 'manual' },
    meta: { note: 'x' },
  })
  const { id, transactions, fulfillment } = await shop.order(token, body)
  const path = `orders/${id}`
  const [item] = fulfillment.physical.items
  const shipment = { items: [{ id: item?.id, quantity: 1 }], tracking_number: '1' }
  await shop.succeed(201, 'POST', `${path}/fulfillments/physical/shipments`, shipment, secret)
  const part = { status: 'complete', amount: 5 }
  // Transactions of one moment have no order.
  app.clock.advance(1)
  await shop.succeed(200, 'PUT', `${path}/transactions/${transactions[0]?.id}`, part, secret)
  return { token, body, order: await shop.succeed<Order>(200, 'GET', path, undefined, secret) }
}

const { token, body, order } = await fullOrder()

const ask = async (method: 'GET' | 'POST' | 'PUT', path: string, options: CallOptions): Promise<Json> => {
  const answer = await app.call(method, `/v1/${path}`, options)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.body as Json
}

const read = (version: string, path = '') => ask('GET', `orders/${order.id}${path}`, { key: secret, version })

const PACKAGE = '~ fulfillment.digital.downloads[].packages[].id'
const DELIVERY = ['+ physical', '- shipping', '~ digital']
const COLLECTED = 'fullname shipping_address billing_address extrafields extra_fields tax eu_vat_moss_evidence'
const TENSES = COLLECTED.split(' ').flatMap((flag) => [`+ collected_${flag}`, `- collects_${flag}`])

describe('an order from one version to the next', () => {
  it('changes in these fields and no others', async () => {
    expect(await history(read)).toEqual({
      '2021-09-29': unique(below(['order.line_items[].'], ['+ image', '- media'])),
      '2020-11-18': [PACKAGE],
      '2020-09-23': unique(['+ collected', '- collects', ...below(['conditionals.'], TENSES)]),
      '2020-08-12': unique([
        '+ transactions',
        '- pending_payments',
        '- future_payments',
        '- order.future_charges',
        '~ payments[].amount',
      ]),
      '2020-07-29': unique(below(['order.discount.'], ['+ product_ids', '- product_id'])),
      '2020-07-01': ['+ meta', '- metadata'],
      '2020-06-17': unique(['- payment', ...below(['fulfillment.'], DELIVERY)]),
    })
  })

  it('changes its delivery alone in these fields and no others', async () => {
    expect(await history((version) => read(version, '/fulfillments'))).toEqual({
      '2020-11-18': ['~ digital.downloads[].packages[].id'],
      '2020-06-17': DELIVERY,
    })
  })

  it('is the same wherever a version answers it: read, listed, changed, captured again, and as a receipt', async () => {
    for (const { date: version } of versions) {
      const options = { key: open, version }
      const shown = await read(version)
      expect(await ask('GET', 'orders', { key: secret, version })).toHaveProperty('data', [shown])
      expect(await ask('GET', `checkouts/${token.id}/receipt`, options)).toEqual(shown)
      expect(await ask('POST', `checkouts/${token.id}`, { ...options, body })).toEqual(shown)
    }
    expect(await ask('PUT', `orders/${order.id}`, { key: secret, version: '2020-02-01', body: {} })).toEqual(
      await read('2020-02-01'),
    )
  })

  it('has the choices of a line under both names, and its base price, in every version', async () => {
    const [shirt] = order.order.line_items
    expect(shirt).toMatchObject({ variants: [{ option_name: 'S' }], selected_options: [{ option_name: 'S' }] })
    for (const { date } of versions) {
      const { order: bought } = (await read(date)) as unknown as Order
      const { variants, selected_options, price, line_total } = bought.line_items[0] ?? {}
      expect({ date, variants, selected_options, price, line_total }).toEqual({
        date,
        variants: shirt?.variants,
        selected_options: shirt?.selected_options,
        price: shirt?.price,
        line_total: shirt?.line_total,
      })
    }
  })
})

describe('a payment that is still to come', () => {
  type Paid = { pending_payments: { id: string; transaction_id: string; amount: number }[]; payments: unknown[] }

  it('is completed by the id of its transaction, which versions without transactions show too', async () => {
    const version = '2020-02-01'
    const before = (await read(version)) as unknown as Paid
    const [pending] = before.pending_payments
    expect(pending?.amount).toBeCloseTo(order.order.total_due.raw - 5)
    await ask('PUT', `orders/${order.id}/transactions/${pending?.transaction_id}`, {
      key: secret,
      version,
      body: { status: 'complete' },
    })
    const after = (await read(version)) as unknown as Paid
    const { transaction_id: _, ...paid } = pending ?? {}
    const left = {
      refunded: expect.objectContaining({ raw: 0 }),
      refundable: expect.objectContaining({ raw: pending?.amount }),
    }
    expect([after.payments, after.pending_payments]).toEqual([[...before.payments, { ...paid, ...left }], []])
  })
})

const LINE = ['id', 'product_name', 'quantity', 'line_total.formatted_with_symbol']
const TOTALS = ['subtotal', 'tax.amount', 'shipping.price', 'total'].map(
  (field) => `order.${field}.formatted_with_symbol`,
)
const PLACE = ['street', 'street_2', 'town_city', 'postal_zip_code', 'country'].map((field) => `shipping.${field}`)
const OLD_LINE = ['name', 'quantity', 'line_total.formatted_with_code'].map((field) => `order.line_items[].${field}`)
const OLD = ['customer.email', 'shipping.name', 'order.total.formatted_with_code', ...OLD_LINE]

/** Of three published storefronts, by the version they ask for; the last one names none, and may meet the newest or the oldest. */
const READ: [storefront: string, version: string, paths: string[]][] = [
  [
    'one with an account page',
    '2021-03-10',
    [
      'id',
      'customer_reference',
      'created',
      'status_payment',
      'status_fulfillment',
      'order_value.formatted_with_symbol',
      'billing.street',
      ...PLACE,
      ...TOTALS,
      ...LINE.map((field) => `order.line_items[].${field}`),
      'order.line_items[].price.formatted_with_symbol',
      'order.line_items[].media.source',
      'order.line_items[].selected_options',
    ],
  ],
  [
    'one that sells downloads',
    '2021-03-10',
    [
      'has.digital_fulfillment',
      'fulfillment.digital.downloads[].packages[].access_link',
      'fulfillment.digital.downloads[].packages[].name',
      ...TOTALS,
    ],
  ],
  ['one that names no version', '2022-07-21', OLD],
  ['one that names no version', '2020-02-01', OLD],
]

describe('what a storefront reads of an order unasked', () => {
  it.each(READ)('is there: %s, at %s', async (_, version, paths) => {
    expect(missingAt(await read(version), paths)).toEqual([])
  })
})
