// is_valid follows the catalogue: what was bought can be deleted, switched off or made dearer after it went into a cart.

import { expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { notValid, price } from '../../support/shop.ts'
import { addAsset } from '../products/support.ts'
import { addVariant, choose, clothing, groupOf } from '../products/variants/support.ts'
import { onlyLine, openCartShop, shownLine } from './support.ts'

const app = await testApp()
const carts = await openCartShop(app)
const { shop, newCart, add, get, update, updateLine, refused } = carts

it('a line outlives its product: it keeps the name, costs nothing and is not valid', async () => {
  const picture = await addAsset(app, shop)
  const doomed = await clothing(shop, {
    name: 'Doomed',
    price: 30,
    sku: 'D',
    meta: { a: 1 },
    assets: [{ id: picture.id }],
  })
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
        sku: null,
        permalink: null,
        price: price(0, '0.00'),
        line_total: price(0, '0.00'),
        is_valid: false,
        product_meta: null,
        selected_options: [],
        variant: null,
        image: null,
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

  // What can be added can be bought, once the rest is chosen.
  const body = { id: shirt.id, options: choose(shirt, 'Red'), quantity: 3 }
  expect(onlyLine(await add(cart, shirt, body))).toMatchObject({ ...line, quantity: 4 })
  const { id } = onlyLine(await updateLine(cart, onlyLine(cart), { quantity: 5 }))
  const tooMany = notValid({
    quantity: ['quantity is more than there is: 5 are available, for all lines of the cart together.'],
  })
  for (const [method, path, more] of [
    ['POST', '', { ...body, quantity: 1 }],
    ['PUT', `/items/${id}`, { quantity: 6 }],
    ['POST', '', { id: shirt.id }],
    ['POST', '', { id: shirt.id, options: choose(shirt, 'Blue') }],
  ] as const)
    expect(await refused(cart, method, `/${cart.id}${path}`, more)).toEqual(tooMany)
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
  // Whatever else is done to the cart works.
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
