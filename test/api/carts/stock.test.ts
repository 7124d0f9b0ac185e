// How much of a product a cart takes: as much as there is, counted over all lines that sell from the same stock, in the key's mode. And
// is_valid, which follows the catalogue: what is in a cart can be deleted, switched off or made dearer.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { notValidField, price, replyOf } from '../../support/shop.ts'
import { addAsset } from '../products/support.ts'
import { addVariant, choose, clothing, groupOf } from '../products/variants/support.ts'
import { onlyLine, openCartShop, shownLine } from './support.ts'

const app = await sharedApp()
const carts = await openCartShop(app)
const { shop, call, newCart, add, get, update, updateLine, refused } = carts

const managed = (available: number) => ({ inventory: { managed: true, available } })
const tooMany = (available: number) =>
  notValidField('quantity', `is more than there is: ${available} are available, for all lines of the cart together.`)
const validity = async (cart: { id: string }) => (await get(cart)).line_items.map(({ is_valid }) => is_valid)

describe('a product whose stock is counted', () => {
  it('is added up to what there is, the line included, and not beyond', async () => {
    const mug = await shop.create(managed(5))
    const cart = await newCart()
    expect(await refused(cart, 'POST', '', { id: mug.id, quantity: 6 })).toEqual(tooMany(5))
    await add(cart, mug, { quantity: 3 })
    expect(await refused(cart, 'POST', '', { id: mug.id, quantity: 3 })).toEqual(tooMany(5))
    const line = onlyLine(await add(cart, mug, { quantity: 2 }))
    expect([line.quantity, line.is_valid]).toEqual([5, true])
    expect(await refused(cart, 'PUT', `/items/${line.id}`, { quantity: 6 })).toEqual(tooMany(5))
    expect(onlyLine(await updateLine(cart, line, { quantity: 5 })).quantity).toBe(5)
  })

  it('is there for every cart, as stock is taken at the capture, and not limited while it is not managed', async () => {
    const mug = await shop.create(managed(1))
    for (const cart of [await newCart(), await newCart()]) expect(onlyLine(await add(cart, mug)).is_valid).toBe(true)
    await shop.update(mug.id, { inventory: { managed: false } })
    expect(onlyLine(await add(await newCart(), mug, { quantity: 50 }))).toMatchObject({ quantity: 50, is_valid: true })
  })

  it('makes the line invalid when there is less of it later, and valid again when there is more', async () => {
    const mug = await shop.create(managed(5))
    const cart = await add(await newCart(), mug, { quantity: 4 })
    await shop.update(mug.id, managed(3))
    const line = onlyLine(await get(cart))
    expect([line.quantity, line.is_valid]).toEqual([4, false])
    expect(await refused(cart, 'PUT', `/items/${line.id}`, { quantity: 4 })).toEqual(tooMany(3))
    expect(onlyLine(await updateLine(cart, line, { quantity: 3 })).is_valid).toBe(true)
    await shop.update(mug.id, managed(2))
    await shop.update(mug.id, { inventory: { managed: false } })
    expect(await validity(cart)).toEqual([true])
  })
})

describe('lines that sell from one stock', () => {
  it('are counted together', async () => {
    const shirt = await clothing(shop, managed(5))
    const cart = await newCart()
    await add(cart, shirt, { options: choose(shirt, 'Red', 'S'), quantity: 3 })
    expect(await refused(cart, 'POST', '', { id: shirt.id, options: choose(shirt, 'Blue', 'S'), quantity: 3 })).toEqual(
      tooMany(5),
    )
    await add(cart, shirt, { options: choose(shirt, 'Blue', 'S'), quantity: 2 })
    const { line_items } = await get(cart)
    const blue = `/items/${line_items[1]?.id}`
    expect(await refused(cart, 'PUT', blue, { quantity: 3 })).toEqual(tooMany(5))
    expect(await refused(cart, 'PUT', blue, { quantity: 3, options: choose(shirt, 'L') })).toEqual(tooMany(5))
    // Two lines that become one want no more than before.
    const merged = await call('PUT', `/${cart.id}${blue}`, { options: choose(shirt, 'Red') })
    expect(onlyLine(merged.body as typeof cart)).toMatchObject({ quantity: 5, is_valid: true })

    await shop.update(shirt.id, managed(4))
    await updateLine(cart, { id: line_items[1]?.id ?? '' }, { quantity: 3 })
    await add(cart, shirt, { quantity: 1 })
    expect(await validity(cart)).toEqual([true, true])
    await shop.update(shirt.id, managed(3))
    expect(await validity(cart)).toEqual([false, false])
  })

  it("are those of variants without stock of their own; a variant's own is nobody else's", async () => {
    const shirt = await clothing(shop, managed(2))
    const own = await addVariant(app, shop, shirt.id, { options: choose(shirt, 'Red', 'S'), inventory: 3 })
    const shared = await addVariant(app, shop, shirt.id, { options: choose(shirt, 'Red', 'L') })
    const cart = await newCart()
    expect(await refused(cart, 'POST', '', { id: shirt.id, variant_id: own.id, quantity: 4 })).toEqual(tooMany(3))
    await add(cart, shirt, { variant_id: own.id, quantity: 3 })
    await add(cart, shirt, { variant_id: shared.id })
    await add(cart, shirt, { options: choose(shirt, 'Blue') })
    const blue = { id: shirt.id, options: choose(shirt, 'Blue'), quantity: 1 }
    expect(await refused(cart, 'POST', '', blue)).toEqual(tooMany(2))
    expect(await validity(cart)).toEqual([true, true, true])
    await shop.call('PUT', `/${shirt.id}/variants/${own.id}`, { inventory: 2 })
    expect(await validity(cart)).toEqual([false, true, true])
    // Without stock of its own it takes from the product's, and then there is not enough for any of them.
    await shop.call('PUT', `/${shirt.id}/variants/${own.id}`, { inventory: null })
    expect(await validity(cart)).toEqual([false, false, false])
  })
})

describe('a product whose stock lies with its variants', () => {
  it('goes into a cart before all is chosen, as many as there are of one that it may become', async () => {
    const shirt = await clothing(shop, managed(0))
    const variants = []
    for (const names of [
      ['Red', 'S'],
      ['Red', 'L'],
      ['Blue', 'S'],
    ])
      variants.push(await addVariant(app, shop, shirt.id, { options: choose(shirt, ...names), inventory: 3 }))
    const [, , blueS] = variants
    const cart = await newCart()
    const line = onlyLine(await add(cart, shirt, { quantity: 3 }))
    expect(line.is_valid).toBe(true)
    expect(await refused(cart, 'POST', '', { id: shirt.id })).toEqual(tooMany(3))
    expect(await refused(cart, 'PUT', `/items/${line.id}`, { quantity: 4 })).toEqual(tooMany(3))
    const blue = { id: shirt.id, options: choose(shirt, 'Blue') }
    await add(cart, shirt, { options: blue.options, quantity: 3 })
    // Of blue ones only the small one has any, and a large one would sell from the product, which has none.
    await shop.call('PUT', `/${shirt.id}/variants/${blueS?.id}`, { inventory: 2 })
    expect(await validity(cart)).toEqual([true, false])
    expect(await refused(cart, 'POST', '', blue)).toEqual(tooMany(2))
    expect(await refused(cart, 'POST', '', { id: shirt.id, options: choose(shirt, 'Blue', 'L') })).toEqual(tooMany(0))
  })

  it('leaves what the product has to other lines, as long as a variant has enough', async () => {
    const shirt = await clothing(shop, managed(2))
    const red = await addVariant(app, shop, shirt.id, { options: choose(shirt, 'Red', 'S'), inventory: 3 })
    const cart = await newCart()
    await add(cart, shirt, { quantity: 3 })
    await add(cart, shirt, { options: choose(shirt, 'Blue', 'L'), quantity: 2 })
    expect(await validity(cart)).toEqual([true, true])
    await shop.call('PUT', `/${shirt.id}/variants/${red.id}`, { inventory: 2 })
    expect(await validity(cart)).toEqual([false, false])
  })

  it('does not go by a variant that is not valid any more', async () => {
    const shirt = await clothing(shop, managed(0), { Colour: ['Red'] })
    await addVariant(app, shop, shirt.id, { options: choose(shirt, 'Red'), inventory: 3 })
    const cart = await add(await newCart(), shirt)
    await shop.call('POST', `/${shirt.id}/variant_groups`, { name: 'Size', options: [{ name: 'S' }] })
    expect(await validity(cart)).toEqual([false])
    expect(await refused(cart, 'POST', '', { id: shirt.id })).toEqual(tooMany(0))
  })
})

describe('the modes', () => {
  it('have a stock each: what a test key counts does not limit a live cart', async () => {
    const shirt = await clothing(shop, managed(5))
    const red = await addVariant(app, shop, shirt.id, { options: choose(shirt, 'Red', 'S'), inventory: 5 })
    const { live } = shop.keys
    await shop.update(shirt.id, managed(1), live.secret)
    await shop.call('PUT', `/${shirt.id}/variants/${red.id}`, { inventory: null }, live.secret)

    const sandboxCart = await newCart()
    await add(sandboxCart, shirt, { quantity: 5 })
    await add(sandboxCart, shirt, { variant_id: red.id, quantity: 5 })
    expect(await validity(sandboxCart)).toEqual([true, true])

    const liveCart = await newCart(live.public)
    await add(liveCart, shirt, { variant_id: red.id }, live.public)
    expect(await replyOf(call('POST', `/${liveCart.id}`, { id: shirt.id }, live.public))).toEqual(tooMany(1))
  })
})

it('a line outlives its product: it keeps the name, costs nothing and is not valid', async () => {
  const picture = await addAsset(app, shop)
  const known = { name: 'Doomed', price: 30, sku: 'D', meta: { a: 1 } }
  const doomed = await clothing(shop, { ...known, assets: [{ id: picture.id }] })
  const mug = await shop.create({ name: 'Mug' })
  const cart = await newCart()
  await add(cart, doomed, { options: choose(doomed, 'Red', 'S'), quantity: 2 })
  const [before] = (await add(cart, mug)).line_items
  await shop.call('DELETE', `/${doomed.id}`)
  expect(await get(cart)).toMatchObject({
    total_items: 3,
    total_unique_items: 2,
    subtotal: mug.price,
    line_items: [
      {
        ...before,
        ...{ sku: null, permalink: null, product_meta: null, variant: null, image: null },
        price: price(0, '0.00'),
        line_total: price(0, '0.00'),
        is_valid: false,
        selected_options: [],
      },
      shownLine(mug),
    ],
  })
})

it('a line of an inactive product is not valid, and still says what it costs', async () => {
  const mug = await shop.create({ name: 'Mug', price: 7 })
  const cart = await add(await newCart(), mug)
  await shop.update(mug.id, { active: false })
  expect(await get(cart)).toMatchObject({ subtotal: mug.price, line_items: [shownLine(mug, { is_valid: false })] })
  await shop.update(mug.id, { active: true })
  expect(onlyLine(await get(cart)).is_valid).toBe(true)
})

it('a line whose option or group was deleted is not valid; a group that was added does no harm yet', async () => {
  const shirt = await clothing(shop, { price: 20 })
  const size = groupOf(shirt, 'Size')
  const colour = groupOf(shirt, 'Colour')
  const cart = await newCart()
  for (const options of [choose(shirt, 'S'), choose(shirt, 'L'), choose(shirt, 'Red'), {}])
    await add(cart, shirt, { options })
  const look = async () =>
    (await get(cart)).line_items.map(({ is_valid, selected_options }) => [is_valid, selected_options.length])
  const small = size.options.find(({ name }) => name === 'S')?.id
  await shop.call('DELETE', `/${shirt.id}/variant_groups/${size.id}/options/${small}`)
  expect(await look()).toEqual([
    [false, 0],
    [true, 1],
    [true, 1],
    [true, 0],
  ])
  await shop.call('DELETE', `/${shirt.id}/variant_groups/${colour.id}`)
  await shop.call('POST', `/${shirt.id}/variant_groups`, { name: 'Fit', options: [{ name: 'Slim' }] })
  expect(await look()).toEqual([
    [false, 0],
    [true, 1],
    [false, 0],
    [true, 0],
  ])
})

it('a line whose variant lacks an option of a newer group counts as one without a variant', async () => {
  const stock = { inventory: { managed: true, available: 5 } }
  const shirt = await clothing(shop, { price: 20, sku: 'SHIRT', ...stock }, { Colour: ['Red', 'Blue'] })
  const own = { sku: 'RED', price: 9_999_999_999, inventory: 1 }
  const red = await addVariant(app, shop, shirt.id, { options: choose(shirt, 'Red'), ...own })
  const cart = await add(await newCart(), shirt, { variant_id: red.id })
  expect(onlyLine(cart)).toMatchObject({ is_valid: true, sku: 'RED', variant: { id: red.id } })
  await shop.call('POST', `/${shirt.id}/variant_groups`, { name: 'Size', options: [{ name: 'S' }] })
  const line = { is_valid: true, variant: null, sku: 'SHIRT', price: price(20, '20.00') }
  expect(onlyLine(await get(cart))).toMatchObject({ ...line, line_total: price(20, '20.00') })

  // A product that can be added can be bought, once the rest is chosen.
  const body = { id: shirt.id, options: choose(shirt, 'Red'), quantity: 3 }
  expect(onlyLine(await add(cart, shirt, body))).toMatchObject({ ...line, quantity: 4 })
  const { id } = onlyLine(await updateLine(cart, onlyLine(cart), { quantity: 5 }))
  for (const [method, path, more] of [
    ['POST', '', { ...body, quantity: 1 }],
    ['PUT', `/items/${id}`, { quantity: 6 }],
    ['POST', '', { id: shirt.id }],
    ['POST', '', { id: shirt.id, options: choose(shirt, 'Blue') }],
  ] as const)
    expect(await refused(cart, method, path, more)).toEqual(tooMany(5))
  await updateLine(cart, { id }, { quantity: 4 })
  const { line_items } = await add(cart, shirt, { options: choose(shirt, 'Blue') })
  expect(line_items.map(({ is_valid }) => is_valid)).toEqual([true, true])
  await shop.call('DELETE', `/${shirt.id}/variants/${red.id}`)
  expect((await get(cart)).line_items).toEqual(line_items)
})

it('a line that a dearer catalogue makes too large counts nothing and is not valid, and the cart can still be read', async () => {
  const gold = await shop.create({ name: 'Gold', price: 5_000_000_000 })
  const mug = await shop.create({ name: 'Mug', price: 7 })
  const cart = await newCart()
  await add(cart, gold, { quantity: 2 })
  await add(cart, mug)
  const dearer = await shop.update(gold.id, { price: 5_000_000_000.01 })
  expect(await get(cart)).toMatchObject({
    subtotal: mug.price,
    line_items: [shownLine(dearer, { quantity: 2, line_total: price(0, '0.00'), is_valid: false }), shownLine(mug)],
  })
  // All other changes of the cart work.
  expect((await update(cart, { meta: {} })).subtotal).toEqual(mug.price)
  await shop.update(gold.id, { price: 1 })
  expect((await get(cart)).line_items[0]).toMatchObject({ is_valid: true, line_total: price(2, '2.00') })
})

it('pay what you want shows the least that is taken', async () => {
  const gift = await shop.create({ name: 'Gift', price: 5, pay_what_you_want: true })
  expect(gift.is.pay_what_you_want).toBe(true)
  const cart = await add(await newCart(), gift, { quantity: 3 })
  expect(onlyLine(cart)).toEqual(shownLine(gift, { quantity: 3, line_total: price(15, '15.00') }))
})
