// What is chosen of a product, when it is added and when a line is changed: by options, or by the variant that stands for them.

import { describe, expect, it } from 'vitest'
import type { Variant } from '../../../src/api/products/variants/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { notValidField, price } from '../../support/shop.ts'
import { addAsset } from '../products/support.ts'
import {
  addVariant,
  choose,
  clothing,
  groupOf,
  publicly,
  shownVariant,
  UNKNOWN_GROUP,
  UNKNOWN_OPTION,
  UNKNOWN_VARIANT,
} from '../products/variants/support.ts'
import { onlyLine, openCartShop, shownLine } from './support.ts'

const app = await sharedApp()
const carts = await openCartShop(app)
const { shop, call, newCart, add, get, updateLine, refused } = carts

const option = (name: string, delta = 0) => ({ name, price: delta })
const shirt = await shop.create({
  name: 'Shirt',
  price: 20,
  sku: 'SHIRT',
  variant_groups: [
    { name: 'Colour', options: [option('Red'), option('Blue', 1.5)] },
    { name: 'Size', options: [option('S', -2), option('L', 3.25)] },
  ],
})
const picture = await addAsset(app, shop)
const redS = await addVariant(app, shop, shirt.id, { options: choose(shirt, 'Red', 'S') })
const redSBody = publicly(shownVariant(app, choose(shirt, 'Red', 'S'), { id: redS.id }))
const blueL = await addVariant(app, shop, shirt.id, {
  options: choose(shirt, 'Blue', 'L'),
  sku: 'SHIRT-BL',
  description: 'Large and blue',
  price: 19,
  meta: { a: 1 },
  assets: [{ id: picture.id }],
})
const hat = await clothing(shop, { name: 'Hat' })
const mug = await shop.create({ name: 'Mug' })

/** Options of the shirt as a line shows them. */
const chosen = (...names: string[]) =>
  shirt.variant_groups.flatMap(({ id, name, options }) =>
    options
      .filter((each) => names.includes(each.name))
      .map((each) => ({
        group_id: id,
        group_name: name,
        option_id: each.id,
        option_name: each.name,
        price: each.price,
      })),
  )

describe('options', () => {
  it('stand in the line with their prices, in the order of their groups, and count in its total', async () => {
    const plain = onlyLine(await add(await newCart(), shirt, { options: choose(shirt, 'L', 'Red'), quantity: 2 }))
    const more = { quantity: 2, line_total: price(46.5, '46.50'), selected_options: chosen('Red', 'L') }
    expect(plain).toEqual(shownLine(shirt, more))
  })

  it('may lack until the capture, of some groups or of all', async () => {
    const cart = await newCart()
    await add(cart, shirt)
    const { line_items } = await add(cart, shirt, { options: choose(shirt, 'S') })
    expect(line_items).toEqual([
      shownLine(shirt),
      shownLine(shirt, { line_total: price(18, '18.00'), selected_options: chosen('S') }),
    ])
  })

  it('tell lines apart: the same make a line grow, in whatever order they are sent, and others are another line', async () => {
    const cart = await newCart()
    await add(cart, shirt, { options: choose(shirt, 'Red', 'S') })
    await add(cart, shirt, { options: choose(shirt, 'S', 'Red'), quantity: 4 })
    await add(cart, shirt, { options: choose(shirt, 'Red') })
    await add(cart, hat, { options: choose(hat, 'Red', 'S') })
    const { line_items } = await add(cart, shirt, { variant_id: redS.id })
    const counts = line_items.map((line) => `${line.name} ${line.quantity} ${line.selected_options.length}`)
    expect(counts).toEqual(['Shirt 6 2', 'Shirt 1 1', 'Hat 1 2'])
  })

  it.each<[string, Record<string, string>]>([
    ['an unknown group', { [UNKNOWN_GROUP]: UNKNOWN_OPTION }],
    ['an unknown option', { ...choose(shirt, 'Red'), [groupOf(shirt, 'Size').id]: UNKNOWN_OPTION }],
    ["another product's group", choose(hat, 'Red')],
    ['an option of the other group', { [groupOf(shirt, 'Size').id]: groupOf(shirt, 'Colour').options[0]?.id ?? '' }],
  ])('that name %s are refused', async (_what, options) => {
    const cart = await add(await newCart(), shirt, { options: choose(shirt, 'Red', 'S') })
    const rule = 'must name variant groups of this product, each with an option of that group.'
    const refusal = notValidField('options', rule)
    expect(await refused(cart, 'POST', '', { id: shirt.id, options })).toEqual(refusal)
    const line = `/items/${onlyLine(cart).id}`
    expect(await refused(cart, 'PUT', line, { options, quantity: 2 })).toEqual(refusal)
  })

  it('of a product without groups are refused, unless there are none', async () => {
    const cart = await add(await newCart(), mug, { options: {} })
    expect(await refused(cart, 'POST', '', { id: mug.id, options: choose(shirt, 'Red') })).toMatchObject([
      422,
      { error: { errors: { options: [expect.any(String)] } } },
    ])
  })
})

describe('the variant of a line', () => {
  it('is the one that has its options, whole as products show it', async () => {
    const cart = await newCart()
    const line = onlyLine(await add(cart, shirt, { options: choose(shirt, 'Red', 'S') }))
    expect(line.variant).toEqual(redSBody)
    const toPublic = await shop.call('GET', `/${shirt.id}/variants/${redS.id}`, undefined, shop.keys.sandbox.public)
    expect(line.variant).toEqual(toPublic.body)
    expect([line.sku, line.price, line.line_total]).toEqual(['SHIRT', shirt.price, price(18, '18.00')])
  })

  it('replaces price and options with a price of its own, and the SKU with its own', async () => {
    const line = onlyLine(await add(await newCart(), shirt, { variant_id: blueL.id, quantity: 3 }))
    const own = { sku: 'SHIRT-BL', price: price(19, '19.00'), line_total: price(57, '57.00'), variant: publicly(blueL) }
    expect(line).toEqual(shownLine(shirt, { ...own, quantity: 3, selected_options: chosen('Blue', 'L') }))
    expect(blueL.assets).toEqual([picture])
  })

  it('stands for its options; options beside it must be among them', async () => {
    const cart = await newCart()
    await add(cart, shirt, { variant_id: redS.id, options: choose(shirt, 'Red') })
    expect(onlyLine(await add(cart, shirt, { variant_id: redS.id, options: {} })).quantity).toBe(2)
    const refusal = notValidField('options', 'must match the variant in variant_id, or be omitted.')
    const clash = { variant_id: redS.id, options: choose(shirt, 'Red', 'L') }
    expect(await refused(cart, 'POST', '', { id: shirt.id, ...clash })).toEqual(refusal)
    const line = onlyLine(await get(cart))
    expect(await refused(cart, 'PUT', `/items/${line.id}`, clash)).toEqual(refusal)
  })

  it('must be one of the product', async () => {
    const capS = await addVariant(app, shop, hat.id, { options: choose(hat, 'Red', 'S') })
    const cart = await add(await newCart(), shirt)
    const refusal = notValidField('variant_id', 'must be the id of a variant of this product.')
    for (const variant_id of [UNKNOWN_VARIANT, capS.id]) {
      expect(await refused(cart, 'POST', '', { id: shirt.id, variant_id })).toEqual(refusal)
      const line = `/items/${onlyLine(cart).id}`
      expect(await refused(cart, 'PUT', line, { variant_id })).toEqual(refusal)
    }
  })

  it('must be valid when it is named, and shows in a line that had it before that an option of it is gone', async () => {
    const coat = await clothing(shop, { name: 'Coat' })
    const lost = await addVariant(app, shop, coat.id, { options: choose(coat, 'Blue', 'S') })
    const lacking = await addVariant(app, shop, coat.id, { options: choose(coat, 'Red', 'S') })
    const cart = await newCart()
    await add(cart, coat, { variant_id: lost.id })
    await add(cart, coat, { variant_id: lacking.id })
    const colour = groupOf(coat, 'Colour')
    const blue = colour.options.find(({ name }) => name === 'Blue')?.id
    await shop.call('DELETE', `/${coat.id}/variant_groups/${colour.id}/options/${blue}`)
    const [gone] = (await get(cart)).line_items
    const shown = publicly((await shop.call('GET', `/${coat.id}/variants/${lost.id}`)).body as Variant)
    expect(gone).toMatchObject({ variant: { ...shown, invalid_reason_code: 'option_deleted' }, is_valid: false })
    const lengths = { name: 'Length', options: [{ name: 'Long' }] }
    await shop.call('POST', `/${coat.id}/variant_groups`, lengths)

    const { line_items } = await get(cart)
    expect(line_items.map(({ variant, is_valid }) => [variant, is_valid])).toEqual([
      [null, false],
      [null, true],
    ])
    const rule = 'must be a valid variant; the options of the product have changed since it was made.'
    for (const { id } of [lost, lacking])
      expect(await refused(cart, 'POST', '', { id: coat.id, variant_id: id })).toEqual(
        notValidField('variant_id', rule),
      )
    // The secret key sees the same; the shopper mends the line by choosing anew.
    expect((await call('GET', `/${cart.id}`, undefined, shop.keys.sandbox.secret)).body).toEqual(await get(cart))
    const long = choose(await shop.get(coat.id), 'Red', 'Long')
    const mended = await updateLine(cart, line_items[0] ?? { id: '' }, { options: long })
    expect(mended.line_items[0]).toMatchObject({ is_valid: true, variant: null })
    expect(mended.line_items[0]?.selected_options.map(({ option_name }) => option_name)).toEqual(['Red', 'S', 'Long'])
  })

  it('shows its private assets to the secret key alone', async () => {
    const cap = await clothing(shop, { name: 'Cap' }, { Colour: ['Red'] })
    const secret = await addAsset(app, shop, { isPrivate: true })
    const red = await addVariant(app, shop, cap.id, { options: choose(cap, 'Red'), assets: [{ id: secret.id }] })
    const cart = await add(await newCart(), cap, { variant_id: red.id })
    expect(onlyLine(cart).variant?.assets).toEqual([])
    expect(onlyLine(await get(cart, shop.keys.sandbox.secret)).variant?.assets.map(({ id }) => id)).toEqual([secret.id])
  })
})

describe('changing the options of a line', () => {
  it('merges them into what was chosen, or replaces them by those of a variant, and keeps the line', async () => {
    const cart = await newCart()
    const { id } = onlyLine(await add(cart, shirt, { options: choose(shirt, 'Red', 'S'), quantity: 2 }))
    const changed = onlyLine(await updateLine(cart, { id }, { options: choose(shirt, 'L') }))
    const more = { quantity: 2, line_total: price(46.5, '46.50'), selected_options: chosen('Red', 'L') }
    expect(changed).toEqual(shownLine(shirt, { id, ...more }))
    const both = onlyLine(await updateLine(cart, { id }, { options: choose(shirt, 'Blue'), quantity: 5 }))
    expect([both.id, both.quantity, both.variant?.id]).toEqual([id, 5, blueL.id])
    const replaced = onlyLine(await updateLine(cart, { id }, { variant_id: redS.id, quantity: 1 }))
    expect([replaced.id, replaced.variant, replaced.line_total]).toEqual([id, redSBody, price(18, '18.00')])
  })

  it('makes one of two lines that become equal: the one that was named, with the sum of both', async () => {
    const cart = await newCart()
    await add(cart, shirt, { options: choose(shirt, 'Red', 'S'), quantity: 2 })
    await add(cart, mug)
    const three = await add(cart, shirt, { options: choose(shirt, 'Red', 'L'), quantity: 5 })
    const named = three.line_items[2]?.id ?? ''
    app.clock.advance(1)
    const merged = await updateLine(cart, { id: named }, { options: choose(shirt, 'S') })
    expect(merged.line_items.map(({ id, quantity }) => [id, quantity])).toEqual([
      [expect.any(String), 1],
      [named, 7],
    ])
    expect(merged.updated).toBe(three.updated + 1)
    await add(cart, shirt, { options: choose(shirt, 'Red', 'L') })
    const body = { variant_id: null, options: choose(shirt, 'L'), quantity: 3 }
    expect((await updateLine(cart, { id: named }, body)).line_items.map((line) => [line.id, line.quantity])).toEqual([
      [expect.any(String), 1],
      [named, 4],
    ])
  })

  it('refuses a sum of more than a million, and leaves both lines', async () => {
    const cart = await newCart()
    await add(cart, shirt, { options: choose(shirt, 'Red', 'S'), quantity: 600_000 })
    const full = await add(cart, shirt, { options: choose(shirt, 'Red', 'L'), quantity: 600_000 })
    const line = `/items/${full.line_items[0]?.id}`
    expect(await refused(cart, 'PUT', line, { options: choose(shirt, 'L') })).toEqual(
      notValidField('quantity', 'must leave the line at 1000000 or less.'),
    )
  })
})
