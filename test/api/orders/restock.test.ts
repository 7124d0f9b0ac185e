// What a cancel puts back into stock: all that the order took, where it took it from, once; and the answer and the event say so. And what a
// refund puts back that says so.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { testApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { atOnce } from '../../support/shop.ts'
import { CARD, CUSTOMER, openCaptureShop } from '../checkouts/capture-support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openCaptureShop(app)
const { secret } = shop.keys.sandbox
await shop.succeed(201, 'POST', 'gateways', { code: 'manual', config: { name: 'Bank transfer' } }, secret)

const MANUAL = { gateway: 'manual' }
const digital = { delivery: { physical: false } }
const thing = (available: number | null, body: object = {}) =>
  shop.product({ ...digital, ...(available === null ? {} : { inventory: { managed: true, available } }), ...body })

/** A counted product in three sizes, and the choice of each. */
async function shirtOf(available: number) {
  const group = { name: 'Size', options: [{ name: 'S' }, { name: 'M' }, { name: 'L' }] }
  const shirt = await thing(available, { variant_groups: [group] })
  const [{ id = '', options = [] } = {}] = shirt.variant_groups
  const [small = {}, medium = {}, large = {}] = options.map((option) => ({ [id]: option.id }))
  return { shirt, small, medium, large }
}

type Line = { id: string; quantity?: number; options?: Record<string, string> }

async function buy(payment: object, lines: Line[], key?: string): Promise<Order> {
  const cart = await shop.cart(lines, key)
  return shop.order(await shop.ofCart(cart.id, key), { customer: CUSTOMER, payment }, key)
}

const cancel = (order: Order, body: object = {}, key = secret) =>
  shop.call('POST', `orders/${order.id}/cancel`, body, key)
const available = async ({ id }: { id: string }, key = secret) =>
  (await shop.succeed<Product>(200, 'GET', `products/${id}`, undefined, key)).inventory.available
const lineOf = (order: Order, index = 0) => order.order.line_items[index]?.id

const selectEvents = sql<{ payload: Order }>`
  select payload from events where merchant_id = :merchant_id and name = 'orders.cancel' and payload ->> 'id' = :id`

describe('cancelling an order', () => {
  it('that was not paid puts its goods back, and says so in the answer, the order and the event', async () => {
    const product = await thing(10)
    const order = await buy(MANUAL, [{ id: product.id, quantity: 3 }])
    expect([await available(product), order.restocked]).toEqual([7, []])
    const answer = await cancel(order)
    const restocked = [{ line_item_id: lineOf(order), product_id: product.id, variant_id: null, quantity: 3 }]
    expect([answer.status, (answer.body as Order).restocked]).toEqual([200, restocked])
    expect(await available(product)).toBe(10)
    expect(await shop.succeed(200, 'GET', `orders/${order.id}`, undefined, secret)).toEqual(answer.body)
    expect(await app.db.many(selectEvents, { merchant_id: shop.id, id: order.id })).toEqual([{ payload: answer.body }])
    expect((await cancel(order)).status).toBe(422)
    expect(await available(product)).toBe(10)
  })

  it('that was refunded before puts them back; the refund alone does not', async () => {
    const product = await thing(5)
    const order = await buy(CARD, [{ id: product.id, quantity: 2 }])
    await shop.succeed(200, 'POST', `orders/${order.id}/refund`, undefined, secret)
    expect(await available(product)).toBe(3)
    expect((await cancel(order)).status).toBe(200)
    expect(await available(product)).toBe(5)
  })

  it('puts each line back where it was taken from: the variant with stock of its own, else the product', async () => {
    const { shirt, small, medium, large } = await shirtOf(20)
    const free = await thing(null)
    const own = await shop.variant(shirt.id, { options: large, inventory: 9 })
    await shop.variant(shirt.id, { options: medium })
    const order = await buy(MANUAL, [
      { id: shirt.id, quantity: 2, options: small },
      { id: shirt.id, quantity: 3, options: medium },
      { id: shirt.id, quantity: 4, options: large },
      { id: free.id, quantity: 5 },
    ])
    const path = `products/${shirt.id}/variants/${own.id}`
    const variant = async () =>
      (await shop.succeed<{ inventory: number }>(200, 'GET', path, undefined, secret)).inventory
    expect([await available(shirt), await variant()]).toEqual([15, 5])
    expect(((await cancel(order)).body as Order).restocked).toEqual([
      { line_item_id: lineOf(order, 0), product_id: shirt.id, variant_id: null, quantity: 2 },
      { line_item_id: lineOf(order, 1), product_id: shirt.id, variant_id: null, quantity: 3 },
      { line_item_id: lineOf(order, 2), product_id: shirt.id, variant_id: own.id, quantity: 4 },
    ])
    expect([await available(shirt), await variant()]).toEqual([20, 9])
  })

  it('takes nothing back for a product or a variant that is gone, or whose stock is not counted when it is sold', async () => {
    const [gone, kept, uncounted] = [await thing(5), await thing(5), await thing(null)]
    const order = await buy(MANUAL, [{ id: gone.id }, { id: kept.id }, { id: uncounted.id }])
    // Counted only after it was sold.
    await shop.succeed(200, 'PUT', `products/${uncounted.id}`, { inventory: { managed: true, available: 3 } }, secret)
    await shop.succeed(204, 'DELETE', `products/${gone.id}`, undefined, secret)
    expect(((await cancel(order)).body as Order).restocked).toEqual([
      { line_item_id: lineOf(order, 1), product_id: kept.id, variant_id: null, quantity: 1 },
    ])
    expect([await available(kept), await available(uncounted)]).toEqual([5, 3])
  })

  it("gives what was a variant's own to its product where the variant has none any more, and says so", async () => {
    const { shirt, small, medium, large } = await shirtOf(20)
    const cleared = await shop.variant(shirt.id, { options: small, inventory: 9 })
    const deleted = await shop.variant(shirt.id, { options: medium, inventory: 9 })
    const gained = await shop.variant(shirt.id, { options: large })
    const order = await buy(MANUAL, [
      { id: shirt.id, quantity: 2, options: small },
      { id: shirt.id, quantity: 3, options: medium },
      { id: shirt.id, quantity: 4, options: large },
    ])
    const path = (variant: { id: string }) => `products/${shirt.id}/variants/${variant.id}`
    await shop.succeed(200, 'PUT', path(cleared), { inventory: null }, secret)
    await shop.succeed(204, 'DELETE', path(deleted), undefined, secret)
    await shop.succeed(200, 'PUT', path(gained), { inventory: 1 }, secret)
    expect(((await cancel(order)).body as Order).restocked).toEqual([
      { line_item_id: lineOf(order, 0), product_id: shirt.id, variant_id: null, quantity: 2 },
      { line_item_id: lineOf(order, 2), product_id: shirt.id, variant_id: null, quantity: 4 },
    ])
    expect(await available(shirt)).toBe(20 + 2)
    const inventory = async (variant: { id: string }) =>
      (await shop.succeed<{ inventory: number | null }>(200, 'GET', path(variant), undefined, secret)).inventory
    expect([await inventory(cleared), await inventory(gained)]).toEqual([null, 1])
  })

  it('leaves no more than a merchant may write', async () => {
    const product = await thing(10)
    const order = await buy(MANUAL, [{ id: product.id, quantity: 4 }])
    const most = 1_000_000_000
    await shop.succeed(200, 'PUT', `products/${product.id}`, { inventory: { available: most - 1 } }, secret)
    expect((await cancel(order)).status).toBe(200)
    const { inventory } = await shop.succeed<Product>(200, 'GET', `products/${product.id}`, undefined, secret)
    expect(inventory.available).toBe(most)
    await shop.succeed(200, 'PUT', `products/${product.id}`, { inventory }, secret)
  })

  it('puts nothing back that was in a shipment, also where its items are to be sent again', async () => {
    const [lost, kept] = [await thing(10, { delivery: { physical: true } }), await thing(10)]
    const token = await shop.token({ id: lost.id, quantity: 3 }, { id: kept.id, quantity: 2 })
    const order = await shop.order(token, shop.body({ payment: MANUAL }))
    const item = order.fulfillment.physical.items[0]?.id
    const fulfillments = `orders/${order.id}/fulfillments/physical`
    const items = [{ id: item, quantity: 2 }]
    await shop.succeed(201, 'POST', `${fulfillments}/shipments`, { items }, secret)
    expect((await cancel(order)).status).toBe(422)
    await shop.succeed(200, 'PUT', `${fulfillments}/items/${item}`, { status: 'not_fulfilled' }, secret)
    expect(((await cancel(order)).body as Order).restocked).toEqual([
      { line_item_id: lineOf(order, 0), product_id: lost.id, variant_id: null, quantity: 1 },
      { line_item_id: lineOf(order, 1), product_id: kept.id, variant_id: null, quantity: 2 },
    ])
    expect([await available(lost), await available(kept)]).toEqual([8, 10])
  })
})

it('stock is put back once, however many cancel at the same moment, while others buy', async () => {
  const [first, second] = [await thing(40), await thing(40)]
  const [a, b] = [
    { id: first.id, quantity: 2 },
    { id: second.id, quantity: 1 },
  ]
  const orders = await atOnce(10, (index) => buy(index % 2 === 0 ? MANUAL : CARD, index % 3 === 0 ? [b, a] : [a, b]))
  const asked = orders.flatMap((order) => Array.from({ length: 5 }, () => () => cancel(order, { refund: true })))
  const bought: Order[] = []
  const buying = Array.from({ length: 6 }, async () => void bought.push(await buy(CARD, [b, a])))
  const answers = await Promise.all([...asked.map((ask) => ask()), ...buying])
  expect(answers.filter((answer) => answer && answer.status === 200).length).toBe(orders.length)
  expect(answers.filter((answer) => answer && ![200, 409, 422].includes(answer.status))).toEqual([])
  expect([await available(first), await available(second)]).toEqual([40 - 6 * 2, 40 - 6])
  const stock = { [first.id]: 40, [second.id]: 40 }
  expect(await brokenOracles(app.db, { now: app.clock.now(), stock })).toEqual([])
})

describe('a refund with restock', () => {
  const refund = (order: Order, body: object) => shop.call('POST', `orders/${order.id}/refund`, body, secret)
  const items = (order: Order, quantity: number) => [{ line_item_id: lineOf(order), quantity }]
  const shown = ({ restocked, order }: Order) => [
    restocked.map(({ quantity }) => quantity),
    order.line_items.map(({ quantity_refunded, quantity_restocked }) => [quantity_refunded, quantity_restocked]),
  ]

  it('puts its items back, and only those; the rest goes back by the cancel', async () => {
    const product = await thing(10)
    const order = await buy(CARD, [{ id: product.id, quantity: 5 }])
    const first = await refund(order, { items: items(order, 2), restock: true })
    expect([first.status, ...shown(first.body as Order)]).toEqual([200, [2], [[2, 2]]])
    expect((first.body as Order).restocked).toEqual([
      { line_item_id: lineOf(order), product_id: product.id, variant_id: null, quantity: 2 },
    ])
    expect(await available(product)).toBe(7)
    // These are not on the shelf.
    const second = await refund(order, { items: items(order, 1) })
    expect(shown(second.body as Order)).toEqual([[2], [[3, 2]]])
    const third = await refund(order, { amount: 1, items: items(order, 1), restock: true })
    expect(shown(third.body as Order)).toEqual([[3], [[4, 3]]])
    expect(await available(product)).toBe(8)
    const cancelled = await cancel(order, { refund: true })
    expect([cancelled.status, ...shown(cancelled.body as Order)]).toEqual([200, [5], [[5, 5]]])
    expect(await available(product)).toBe(10)
    expect(await brokenOracles(app.db, { now: app.clock.now(), stock: { [product.id]: 10 } })).toEqual([])
  })

  it('of all that is left puts back all items that are left', async () => {
    const product = await thing(10)
    const order = await buy(CARD, [{ id: product.id, quantity: 5 }])
    await refund(order, { items: items(order, 2) })
    const rest = await refund(order, { restock: true })
    expect([rest.status, ...shown(rest.body as Order)]).toEqual([200, [3], [[5, 3]]])
    expect(await available(product)).toBe(8)
    expect(await brokenOracles(app.db, { now: app.clock.now(), stock: { [product.id]: 10 } })).toEqual([])
  })

  it('puts them back once, however many ask for it at the same moment', async () => {
    const product = await thing(10)
    const order = await buy(CARD, [{ id: product.id, quantity: 5 }])
    const answers = await atOnce(10, () => refund(order, { items: items(order, 2), restock: true }))
    const ok = answers.filter(({ status }) => status === 200).length
    expect(ok).toBeGreaterThan(0)
    expect(ok).toBeLessThanOrEqual(2)
    expect(await available(product)).toBe(5 + 2 * ok)
    expect(await brokenOracles(app.db, { now: app.clock.now(), stock: { [product.id]: 10 } })).toEqual([])
  })
})

// Last: from its first live gateway on, the shop's catalogue is closed to the sandbox key.
it('cancelling a live order changes the stock of its own mode alone', async () => {
  const product = await thing(10)
  const keys = shop.keys.live
  await shop.succeed(201, 'POST', 'gateways', { code: 'manual', config: { name: 'Bank' } }, keys.secret)
  const order = await buy(MANUAL, [{ id: product.id, quantity: 6 }], keys.public)
  expect([await available(product), await available(product, keys.secret)]).toEqual([10, 4])
  expect((await cancel(order)).status).toBe(404)
  expect((await cancel(order, {}, keys.secret)).status).toBe(200)
  expect([await available(product), await available(product, keys.secret)]).toEqual([10, 10])
})
