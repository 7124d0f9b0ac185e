// @sampled: npm run proof buys in every version.
// A shop that sends nowhere sells without asking where to; and what becomes of a checkout when its zones come or go before it is captured.

import { afterEach, expect, it } from 'vitest'
import type { CheckoutToken, Live } from '../../../src/api/checkouts/schema.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { versions } from '../../../src/versions/index.ts'
import { sharedApp } from '../../support/app.ts'
import { isProof } from '../../support/proof.ts'
import { ADDRESS, digitalBody, noAddress, openCaptureShop } from './capture-support.ts'
import { besideStatement } from './support.ts'

const app = await sharedApp()

/** A shop with one zone, and the way to close it. */
async function openShop() {
  const shop = await openCaptureShop(app)
  const close = () => shop.succeed(204, 'DELETE', `shipping_zones/${shop.zoneId}`, undefined, shop.keys.sandbox.secret)
  return { ...shop, close, product: (draft = {}) => shop.product({ inventory: { available: 100 }, ...draft }) }
}

async function openShopWithoutZones() {
  const shop = await openShop()
  await shop.close()
  return shop
}

const shippingOf = ({ has, collects, conditionals, products, shipping_methods }: CheckoutToken) => ({
  flags: [
    has.physical_delivery,
    collects.shipping_address,
    conditionals.has_physical_delivery,
    conditionals.collects_shipping_address,
    ...products.flatMap((line) => [line.has.physical_delivery, line.collects.shipping_address]),
  ],
  methods: shipping_methods.length,
})

it('is sold without an address: token, forms, helpers, capture and the order agree', async () => {
  const shop = await openShopWithoutZones()
  const product = await shop.product()
  const token = await shop.token({ id: product.id })
  expect(shippingOf(token)).toEqual({ flags: [false, false, false, false, false, false], methods: 0 })
  const ask = (path: string) => shop.succeed(200, 'GET', `checkouts/${token.id}/${path}`)
  const { fields } = (await ask('fields')) as { fields: { name: string }[] }
  expect(fields.filter(({ name }) => /^(shipping|fulfillment)/.test(name))).toEqual([])
  const { rules } = (await ask('helper/validation')) as { rules: Record<string, unknown> }
  expect(Object.keys(rules)).toEqual(['customer[email]', 'payment[gateway]'])
  expect(await ask('helper/shipping_options?country=US')).toEqual([])
  expect(await ask('check/shipping?shipping_option_id=ship_1&country=US')).toMatchObject({ valid: false })

  const order = await shop.order(token, digitalBody())
  expect(order).toMatchObject({
    status_fulfillment: 'fulfilled',
    fulfillment: { physical: { items: [] } },
    has: { physical_fulfillment: false },
    order: { shipping: { id: null } },
  })
  expect(order.shipping).toEqual(noAddress)
})

it('is sold in every version', async () => {
  const shop = await openShopWithoutZones()
  const { id } = await shop.product()
  const key = shop.keys.sandbox.public
  for (const { date: version } of isProof ? versions : versions.slice(-1)) {
    const made = await app.call('GET', `/v1/checkouts/${id}?type=product_id`, { key, version })
    const token = made.body as CheckoutToken
    expect([version, token.has.physical_delivery, token.collects.shipping_address]).toEqual([version, false, false])
    const captured = await app.call('POST', `/v1/checkouts/${token.id}`, { key, version, body: digitalBody() })
    expect([version, captured.status, captured.text]).toEqual([version, 200, captured.text])
  }
})

it('is taxed as goods, unless the merchant says that it is not physical', async () => {
  const shop = await openShopWithoutZones()
  const rates = [{ type: 'VAT', rate: 0.19, digital_rate: 0.07 }]
  await shop.succeed(201, 'POST', 'tax_zones', { country: 'DE', rates }, shop.keys.sandbox.secret)
  const goods = await shop.product()
  const service = await shop.product({ delivery: { physical: false } })
  const token = await shop.token({ id: goods.id }, { id: service.id })
  const path = `checkouts/${token.id}/helper/set_tax_zone?country=DE`
  const { live } = await shop.succeed<{ live: Live }>(200, 'GET', path)
  const percentages = live.line_items.map((line) => line.tax.breakdown?.map(({ rate_percentage }) => rate_percentage))
  expect(percentages).toEqual([['19%'], ['7%']])
})

it.each([
  ['says', { delivery: { physical: true } }],
  ['says in its older form', { product: { name: 'Old', price: 10 }, collect: { shipping: true } }],
])(
  'is sold without an address also where the product %s that it is physical, and waits to be handed over',
  async (_, body) => {
    const shop = await openShopWithoutZones()
    const { secret } = shop.keys.sandbox
    const draft = { name: 'New', price: 10, ...body }
    const { id } = await shop.succeed<{ id: string }>(201, 'POST', 'products', draft, secret)
    const token = await shop.token({ id })
    expect([token.has.physical_delivery, token.collects.shipping_address]).toEqual([false, false])
    const order = await shop.order(token, digitalBody())
    expect([order.status_fulfillment, order.fulfillment.physical.items.length]).toEqual(['not_fulfilled', 1])

    // What an integration offers can be sent.
    const offered = await shop.token({ id })
    const methods = [{ description: 'Courier', price: 5 }]
    await shop.succeed(200, 'PUT', `checkouts/${offered.id}`, { shipping_methods: methods }, secret)
    const needed = ['fulfillment.shipping_method', 'shipping.country', 'shipping.name', 'shipping.street']
    expect(Object.keys(await shop.errors(offered, digitalBody())).sort()).toEqual(needed)
  },
)

afterEach(() => onCheckpoint(null))

type Work = () => Promise<unknown>
const beforeTheFacts = (work: Work) => besideStatement(app, 'before', 'checkouts.find_capture_facts', work)
const onceReserved = (work: Work) =>
  onCheckpoint(async (name) => {
    if (name === 'capture.reserved') await work()
  })

it.each([
  ['the two reads of a capture', beforeTheFacts],
  ['the hold and the charge', onceReserved],
])('is bought as it was priced when the last zone goes between %s', async (_when, closeThere) => {
  const shop = await openShop()
  const product = await shop.product()
  const token = await shop.token({ id: product.id })
  closeThere(shop.close)
  const order = await shop.order(token, shop.body())
  const shown = await shop.succeed(200, 'GET', `products/${product.id}`)
  expect((shown as { has: Record<string, boolean> }).has.physical_delivery).toBe(false)
  expect([order.order.shipping.id, order.order_value.raw]).toEqual([shop.method, 15])
  expect([order.status_fulfillment, order.fulfillment.physical.items.length]).toEqual(['not_fulfilled', 1])
})

it('is bought without being sent when the last zone has gone since the token was made; who expects another total hears it', async () => {
  const shop = await openShop()
  const { id } = await shop.product()
  const [token, expecting] = [await shop.token({ id }), await shop.token({ id })]
  for (const { id: tokenId } of [token, expecting])
    await shop.succeed(200, 'GET', `checkouts/${tokenId}/check/shipping?id=${shop.method}&country=US&region=CA`)
  expect((await shop.live(token)).total_due.raw).toBe(15)
  await shop.close()
  expect((await shop.live(token)).total_due.raw).toBe(10)
  const refused = await shop.capture(expecting, shop.body({ expected_total: 15 }))
  const { live } = refused.body as { live?: Live }
  expect([refused.status, live?.total_due.raw]).toEqual([409, 10])
  for (const one of [token, expecting]) {
    const shipping = { street: ADDRESS.street }
    const unsent = { order_value: { raw: 10 }, status_fulfillment: 'fulfilled', shipping }
    expect(await shop.order(one, shop.body())).toMatchObject(unsent)
  }
})

it('is refused, and nothing is held or charged, when the first zone has come since; with an address it is bought', async () => {
  const shop = await openShopWithoutZones()
  const product = await shop.product()
  const token = await shop.token({ id: product.id })
  const zone = await shop.zone()
  const errors = await shop.errors(token, digitalBody())
  expect(errors['fulfillment.shipping_method']).toBeDefined()
  const { secret } = shop.keys.sandbox
  const { inventory } = await shop.succeed<Product>(200, 'GET', `products/${product.id}`, undefined, secret)
  expect(inventory).toEqual({ managed: true, available: 100, held: 0, on_hand: 100 })
  const fulfillment = { shipping_method: zone.methods[0]?.id }
  const order = await shop.order(token, shop.body({ fulfillment }))
  expect([order.order_value.raw, order.fulfillment.physical.items.length]).toEqual([15, 1])
})
