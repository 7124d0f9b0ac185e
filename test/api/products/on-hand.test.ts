// What captures under way hold of stock, shown to the secret key alone; and `on_hand`, by which a merchant writes what was counted on the
// shelf, also while captures take and give back.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { clearStock } from '../../../src/api/products/stock-store.ts'
import type { Variant } from '../../../src/api/products/variants/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { lockRows } from '../../support/rows.ts'
import { notValidField, replyOf } from '../../support/shop.ts'
import { CARD, CUSTOMER, openCaptureShop } from '../checkouts/capture-support.ts'
import { countWaitingLocks } from '../waiting-locks.ts'
import { counted, eventsOf } from './support.ts'
import { ownStock } from './variants/support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const { sandbox, live } = shop.keys
const paidBy = (number: string) => ({ ...CARD, card: { ...CARD.card, number } })
const VERIFY = '4000 0000 0000 3220'
const DECLINED = '4000 0000 0000 0002'
const GOOD = '4242 4242 4242 4242'

const thing = (body: Record<string, unknown> = {}) =>
  shop.product({ price: 10, delivery: { physical: false }, inventory: { available: 10 }, ...body })
const get = (id: string, key = sandbox.secret) => shop.succeed<Product>(200, 'GET', `products/${id}`, undefined, key)
const put = (path: string, body: unknown, key = sandbox.secret) => shop.call('PUT', `products/${path}`, body, key)
const stockOf = async (id: string, key?: string) => (await get(id, key)).inventory
/** The stock that a write has been answered with. */
const written = async (id: string, inventory: unknown, key?: string) => {
  const answer = await put(id, { inventory }, key)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return (answer.body as Product).inventory
}
const answerTo = (path: string, body: unknown) => replyOf(put(path, body))
const heldBack = (count: number) =>
  `must be ${count} or more: captures in progress hold that many of the items in stock.`

/** A capture that waits for its shopper, and holds so many of what is put into its cart. */
async function hold(line: Record<string, unknown>) {
  const token = await shop.token(line)
  const body = { customer: CUSTOMER, payment: paidBy(VERIFY) }
  const answer = await shop.capture(token, body)
  expect([answer.status, (answer.body as { error: { type: string } }).error.type]).toEqual([
    402,
    'requires_verification',
  ])
  return {
    /** Another body calls the waiting capture off. 422: what it would sell is gone by then. */
    release: async (status: 402 | 422 = 402) =>
      expect((await shop.capture(token, { ...body, payment: paidBy(DECLINED) })).status).toBe(status),
    sell: async () => expect((await shop.capture(token, { ...body, payment: paidBy(GOOD) })).status).toBe(200),
  }
}

describe('what captures under way hold', () => {
  it('is shown beside what is available to the secret key of the mode, in every version, and to nobody else', async () => {
    const { id } = await thing()
    const held = await hold({ id, quantity: 4 })
    expect(await stockOf(id)).toEqual(counted(true, 6, 4))
    expect(await stockOf(id, live.secret)).toEqual(counted(true, 10))
    const open = { managed: true, available: 6 }
    expect(await stockOf(id, sandbox.public)).toEqual(open)
    const listed = async (key: string) =>
      (await shop.succeed<{ data: Product[] }>(200, 'GET', `products?query=${id}`, undefined, key)).data[0]?.inventory
    expect([await listed(sandbox.secret), await listed(sandbox.public)]).toEqual([counted(true, 6, 4), open])
    const older = await app.call('GET', `/v1/products/${id}`, { key: sandbox.secret, version: '2020-02-01' })
    expect((older.body as Product).inventory).toEqual(counted(true, 6, 4))
    await held.sell()
    expect(await stockOf(id)).toEqual(counted(true, 6))
  })

  it('is told in the events of a product, counts also where the stock is not managed any more, and is given back with the capture', async () => {
    const { id } = await thing()
    const held = await hold({ id, quantity: 4 })
    expect(await written(id, { managed: false })).toEqual(counted(false, 6, 4))
    const told = (await eventsOf(app, shop)).map(({ payload }) => payload as unknown as Product)
    expect(told.filter((product) => product.id === id).at(-1)).toMatchObject({ inventory: counted(false, 6, 4) })
    await held.release()
    expect(await stockOf(id)).toEqual(counted(false, 10))
  })
})

describe('a count of the shelf', () => {
  it('leaves to sell what is not held, is all there is without an order, and is less by what is sold afterwards', async () => {
    for (const [on_hand, isSold, left] of [
      // The four still lie there: written as available, they would be fourteen.
      [10, false, 10],
      [5, true, 1],
    ] as const) {
      const { id } = await thing()
      const held = await hold({ id, quantity: 4 })
      expect(await written(id, { on_hand })).toEqual(counted(true, on_hand - 4, 4))
      await (isSold ? held.sell() : held.release())
      expect(await stockOf(id)).toEqual(counted(true, left))
    }
  })

  it('sets the stock of its own mode alone, and that of both when a product is created', async () => {
    const { id } = await thing({ inventory: { on_hand: 7 } })
    expect([await stockOf(id), await stockOf(id, live.secret)]).toEqual([counted(true, 7), counted(true, 7)])
    await written(id, { on_hand: 3 }, live.secret)
    expect([await stockOf(id), await stockOf(id, live.secret)]).toEqual([counted(true, 7), counted(true, 3)])
  })

  it('below what is held is refused, and changes nothing', async () => {
    const { id, name } = await thing()
    await hold({ id, quantity: 4 })
    expect(await answerTo(id, { name: 'Other', inventory: { on_hand: 3 } })).toEqual(
      notValidField('inventory.on_hand', heldBack(4)),
    )
    expect(await get(id)).toMatchObject({ name, inventory: counted(true, 6, 4) })
    expect(await written(id, { on_hand: 4 })).toEqual(counted(true, 0, 4))
  })
})

describe('available and on_hand together', () => {
  const DISAGREE = 'must be inventory.available plus the 4 held by captures in progress. Send only one of the two.'

  it('are taken where they agree with what is held now, and refused where they do not, which changes nothing', async () => {
    const { id, name } = await thing()
    const read = await stockOf(id)
    const held = await hold({ id, quantity: 4 })
    const shown = await stockOf(id)
    expect(await written(id, shown)).toEqual(shown)
    // The stock as it was read before the capture took some; then with one of the two changed, and with neither right.
    for (const inventory of [
      read,
      { ...shown, available: 20 },
      { ...shown, on_hand: 12 },
      { available: 7, on_hand: 7 },
    ])
      expect(await answerTo(id, { name: 'Other', inventory })).toEqual(notValidField('inventory.on_hand', DISAGREE))
    expect(await get(id)).toMatchObject({ name, inventory: counted(true, 6, 4) })
    expect(await written(id, { available: 1, on_hand: 5 })).toEqual(counted(true, 1, 4))
    await held.release()
    expect(await stockOf(id)).toEqual(counted(true, 5))
  })

  it('are the same of a new product, of which nothing is held', async () => {
    const create = (inventory: unknown) =>
      shop.call('POST', 'products', { name: 'Thing', price: 1, inventory }, sandbox.secret)
    const answer = await create({ available: 1, on_hand: 2 })
    const rule = 'must be equal to inventory.available for a new item. Send only one of the two.'
    expect([answer.status, answer.body]).toEqual(notValidField('inventory.on_hand', rule))
    expect((await create({ available: 2, on_hand: 2 })).status).toBe(201)
  })
})

describe('a variant', () => {
  async function clothing() {
    const product = await thing({ variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }] })
    const [group] = product.variant_groups
    const optionsOf = (index: number) => ({ [group?.id ?? '']: group?.options[index]?.id ?? '' })
    const add = (body: Record<string, unknown>) =>
      shop.call('POST', `products/${product.id}/variants`, { options: optionsOf(0), ...body }, sandbox.secret)
    return { product, options: optionsOf(0), add, line: { id: product.id, options: optionsOf(0) } }
  }
  const variantStock = ({ inventory, held, on_hand }: Variant) => ({ inventory, held, on_hand })
  const seen = async (productId: string, id: string, key = sandbox.secret) =>
    variantStock(await shop.succeed<Variant>(200, 'GET', `products/${productId}/variants/${id}`, undefined, key))

  it('shows what is held of it beside its inventory, and takes a count of the shelf', async () => {
    const { product, add, line } = await clothing()
    const made = await add({ on_hand: 8 })
    const { id } = made.body as Variant
    expect([made.status, variantStock(made.body as Variant)]).toEqual([201, ownStock(8)])
    const held = await hold({ ...line, quantity: 3 })
    expect([await seen(product.id, id), await seen(product.id, id, live.secret)]).toEqual([ownStock(5, 3), ownStock(8)])
    expect(await seen(product.id, id, sandbox.public)).toEqual({ inventory: 5 })
    const list = `products/${product.id}/variants`
    const listed = await shop.succeed<{ data: Variant[] }>(200, 'GET', list, undefined, sandbox.secret)
    expect(listed.data.map(variantStock)).toEqual([ownStock(5, 3)])
    const path = `${product.id}/variants/${id}`
    expect(variantStock((await put(path, { on_hand: 8 })).body as Variant)).toEqual(ownStock(5, 3))
    expect(await answerTo(path, { on_hand: 2 })).toEqual(notValidField('on_hand', heldBack(3)))
    await held.release()
    expect(await seen(product.id, id)).toEqual(ownStock(8))
    // What the product itself has was never touched.
    expect(await stockOf(product.id)).toEqual(counted(true, 10))
  })

  it('without stock of its own shows null, gets some by a count, and loses it by null', async () => {
    const { product, add } = await clothing()
    const { id } = (await add({})).body as Variant
    const path = `${product.id}/variants/${id}`
    expect(await seen(product.id, id)).toEqual(ownStock(null))
    expect(variantStock((await put(path, { on_hand: 4 })).body as Variant)).toEqual(ownStock(4))
    expect(await seen(product.id, id, live.secret)).toEqual(ownStock(null))
    expect(variantStock((await put(path, { on_hand: null })).body as Variant)).toEqual(ownStock(null))
  })

  it('is taken back as it was shown while nothing has changed, and refused where the two do not agree', async () => {
    const { product, add, line } = await clothing()
    const { id, price: _, ...shown } = (await add({})).body as Variant
    const path = `${product.id}/variants/${id}`
    expect((await put(path, shown)).body).toMatchObject(ownStock(null))
    const disagree = (held: number) =>
      notValidField(
        'on_hand',
        `must be inventory plus the ${held} held by captures in progress. Send only one of the two.`,
      )
    for (const stock of [
      { ...shown, inventory: 4 },
      { inventory: null, on_hand: 6 },
    ])
      expect(await answerTo(path, stock)).toEqual(disagree(0))
    await put(path, { inventory: 4 })
    await hold({ ...line, quantity: 3 })
    expect(await answerTo(path, { inventory: 4, on_hand: 4 })).toEqual(disagree(3))
    expect(await seen(product.id, id)).toEqual(ownStock(1, 3))
    const created = await add({ inventory: 1, on_hand: null })
    const rule = 'must be equal to inventory for a new item. Send only one of the two.'
    expect([created.status, created.body]).toEqual(notValidField('on_hand', rule))
  })

  it('whose own stock is cleared while some of it is held gives that to its product, from which it sells now', async () => {
    const { product, add, line } = await clothing()
    const { id } = (await add({ inventory: 5 })).body as Variant
    const path = `${product.id}/variants/${id}`
    const held = await hold({ ...line, quantity: 3 })
    expect((await put(path, { inventory: null })).body).toMatchObject(ownStock(null))
    await held.release()
    expect([await seen(product.id, id), await stockOf(product.id)]).toEqual([ownStock(null), counted(true, 13)])
    // One that is deleted takes what is held of it along.
    await put(path, { inventory: 5 })
    const other = await hold({ ...line, quantity: 2 })
    await shop.succeed(204, 'DELETE', `products/${path}`, undefined, sandbox.secret)
    await other.release()
    expect(await stockOf(product.id)).toEqual(counted(true, 13))
  })

  it('whose own stock is cleared by whoever a release waits for loses nothing', async () => {
    const { product, add, line } = await clothing()
    const { id } = (await add({ inventory: 5 })).body as Variant
    const held = await hold({ ...line, quantity: 3 })
    const release = await app.db.transaction(async (tx) => {
      await clearStock(tx, { merchant_id: shop.id, is_sandbox: true, productId: product.id, itemId: id })
      const waits = held.release(422)
      await expect.poll(() => waiting()).toBe(1)
      return { waits }
    })
    await release.waits
    expect([await seen(product.id, id), await stockOf(product.id)]).toEqual([ownStock(null), counted(true, 13)])
  })
})

describe('a count at the moment at which captures take and give back', () => {
  it('waits for a capture that is about to take, and knows what that one holds', async () => {
    const { id } = await thing()
    const token = await shop.token({ id, quantity: 4 })
    const blocker = await app.db.transaction(async (tx) => {
      await lockRows(tx, 'stock', { merchant_id: shop.id, item_id: id, is_sandbox: true })
      // Both wait for the row, the capture first: what it will hold is not yet there when the count begins.
      const capture = shop.capture(token, { customer: CUSTOMER, payment: paidBy(VERIFY) })
      await expect.poll(() => waiting()).toBe(1)
      const count = put(id, { inventory: { on_hand: 10 } })
      await expect.poll(() => waiting()).toBe(2)
      return { capture, count }
    })
    const [captured, answer] = await Promise.all([blocker.capture, blocker.count])
    expect([captured.status, answer.status]).toEqual([402, 200])
    expect(await stockOf(id)).toEqual(counted(true, 6, 4))
  })

  it('is right whichever comes first, and however often', async () => {
    const { id } = await thing({ inventory: { on_hand: 40 } })
    const captures = Array.from({ length: 12 }, async () => {
      const held = await hold({ id, quantity: 2 })
      await held.release()
    })
    const counts = Array.from({ length: 12 }, () => put(id, { inventory: { on_hand: 40 } }))
    const answers = await Promise.all(counts)
    await Promise.all(captures)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    // Nothing was sold: all that was counted is there.
    expect(await stockOf(id)).toEqual(counted(true, 40))
  })
})

const waiting = () => countWaitingLocks(app.db)
