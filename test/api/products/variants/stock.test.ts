// The stock of variants: their own or the product's, counted by mode, and what the product makes of it.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../../support/app.ts'
import { sql } from '../../../support/rows.ts'
import { openShop } from '../support.ts'
import { addVariant, choose, clothing, groupOf, stockOf } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const { sandbox, live } = shop.keys

const setStock = (productId: string, variantId: string, inventory: number | null, key: string) =>
  shop.call('PUT', `/${productId}/variants/${variantId}`, { inventory }, key)

/** [sandbox, live] */
const seen = async (productId: string, variantId: string) => {
  const ask = async (key: string) => {
    const { body } = await shop.call('GET', `/${productId}/variants/${variantId}`, undefined, key)
    return (body as { inventory: number | null }).inventory
  }
  return [await ask(sandbox.public), await ask(live.public)]
}

const readTold = sql<{ is_told: boolean }>`
  select variants_told_at = version as is_told from products where merchant_id = :merchant_id and id = :id`
const forgetTold = sql`update products set variants_told_at = null where merchant_id = :merchant_id and id = :id`

/** [sandbox, live], as the product's row tells; and the same where the variants themselves are asked. */
const soldOut = async (productId: string) => {
  const product = { merchant_id: shop.id, id: productId }
  const read = async () => [
    (await shop.get(productId, sandbox.public)).is.sold_out,
    (await shop.get(productId, live.public)).is.sold_out,
  ]
  expect(await app.db.one(readTold, product)).toEqual({ is_told: true })
  const told = await read()
  await app.db.run(forgetTold, product)
  expect(await read()).toEqual(told)
  return told
}

describe('the stock of a variant', () => {
  it("is set for both modes at first; later it is set, taken away and given back in the key's own mode alone", async () => {
    const product = await clothing(shop)
    const { id } = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L'), inventory: 5 })
    expect(await seen(product.id, id)).toEqual([5, 5])
    await setStock(product.id, id, 7, live.secret)
    expect(await seen(product.id, id)).toEqual([5, 7])
    await setStock(product.id, id, 0, sandbox.secret)
    expect(await seen(product.id, id)).toEqual([0, 7])
    await setStock(product.id, id, null, sandbox.secret)
    expect([await seen(product.id, id), await stockOf(app, shop, id)]).toEqual([[null, 7], [7]])
    await setStock(product.id, id, 3, sandbox.secret)
    expect(await seen(product.id, id)).toEqual([3, 7])
    await setStock(product.id, id, null, live.secret)
    expect(await seen(product.id, id)).toEqual([3, null])
  })

  it("begins in the key's own mode later, is left alone by other changes, and goes with the product", async () => {
    const product = await clothing(shop)
    const { id } = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    await setStock(product.id, id, 5, sandbox.secret)
    await shop.call('PUT', `/${product.id}/variants/${id}`, { sku: 'X' })
    await shop.update(product.id, { quantity: 9 })
    expect([await seen(product.id, id), (await shop.get(product.id)).quantity]).toEqual([[5, null], 9])
    await shop.call('DELETE', `/${product.id}`)
    expect(await stockOf(app, shop, id)).toEqual([])
  })
})

describe('a product with variants is sold out', () => {
  it('when all its valid variants are, in each mode apart', async () => {
    const product = await clothing(shop, { quantity: 5 })
    const red = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L'), inventory: 0 })
    expect(await soldOut(product.id)).toEqual([true, true])
    await setStock(product.id, red.id, 1, live.secret)
    expect(await soldOut(product.id)).toEqual([true, false])
    // Without stock of its own it sells from the product's five.
    await setStock(product.id, red.id, null, sandbox.secret)
    expect(await soldOut(product.id)).toEqual([false, false])
    await setStock(product.id, red.id, 0, sandbox.secret)
    const blue = await addVariant(app, shop, product.id, { options: choose(product, 'Blue', 'L'), inventory: 1 })
    expect(await soldOut(product.id)).toEqual([false, false])
    // Of a variant that is not valid nothing can be bought.
    const colour = groupOf(product, 'Colour')
    await shop.call('DELETE', `/${product.id}/variant_groups/${colour.id}/options/${blue.options[colour.id]}`)
    expect(await soldOut(product.id)).toEqual([true, false])
    await setStock(product.id, red.id, 0, live.secret)
    expect(await soldOut(product.id)).toEqual([true, true])
  })

  it("never for what a mode's variants sell from the product's stock", async () => {
    const product = await clothing(shop, { quantity: 5 })
    const { id } = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L'), inventory: 0 })
    await setStock(product.id, id, null, live.secret)
    expect(await soldOut(product.id)).toEqual([true, false])
    await shop.update(product.id, { quantity: 0 }, live.secret)
    expect(await soldOut(product.id)).toEqual([true, true])
  })

  it('never while its stock is not managed', async () => {
    const product = await clothing(shop)
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L'), inventory: 0 })
    expect(await soldOut(product.id)).toEqual([false, false])
  })

  it('by what is told anew with every change, also one that leaves the variants as they are', async () => {
    const product = await clothing(shop, { quantity: 5 })
    const { id } = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L'), inventory: 0 })
    await shop.update(product.id, { name: 'Another' })
    expect(await soldOut(product.id)).toEqual([true, true])
    // A new group: no variant names an option of it.
    const { body: group } = await shop.call('POST', `/${product.id}/variant_groups`, {
      name: 'Cut',
      options: [{ name: 'Wide' }],
    })
    expect(await soldOut(product.id)).toEqual([false, false])
    await shop.call('DELETE', `/${product.id}/variant_groups/${(group as { id: string }).id}`)
    expect(await soldOut(product.id)).toEqual([true, true])
    // Those that are made have no stock of their own.
    await shop.call('POST', `/${product.id}/variants/generate`)
    expect(await soldOut(product.id)).toEqual([false, false])
    await shop.call('POST', `/${product.id}/variants/generate`)
    expect(await soldOut(product.id)).toEqual([false, false])
    await shop.call('DELETE', `/${product.id}/variants/${id}`)
    expect(await soldOut(product.id)).toEqual([false, false])
  })
})
