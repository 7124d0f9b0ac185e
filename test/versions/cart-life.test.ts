// A whole life of a cart in the oldest version, with the bodies that clients of that time send.

import { expect, it } from 'vitest'
import { toldOf } from '../api/words.ts'
import { type OldCart, openCarts } from './carts.ts'

const { image, shirt, mug, group, red, blue, call, ask } = await openCarts()

const OLDEST = '2020-02-01'
const price = (raw: number) => ({
  raw,
  formatted: `${raw}.00`,
  formatted_with_symbol: `$${raw}.00`,
  formatted_with_code: `${raw}.00 USD`,
})

it('a cart is made, filled, changed, emptied and deleted in 2020-02-01', async () => {
  const made = await ask<OldCart>('GET', '', OLDEST)
  const { id } = made
  const empty = {
    id,
    created: made.created,
    last_updated: made.created,
    expires: Number(made.created) + 30 * 86_400,
    total_items: 0,
    total_unique_items: 0,
    subtotal: price(0),
    hosted_checkout_url: made.hosted_checkout_url,
    currency: { code: 'USD', symbol: '$' },
    discount_code: [],
    meta: null,
    line_items: [],
  }
  expect(made).toEqual(empty)
  expect(made.hosted_checkout_url).toContain(id)

  type Changed = { line_item_id: string; cart: OldCart }
  const added = await ask<Changed>('POST', `/${id}`, OLDEST, {
    id: shirt.id,
    quantity: 2,
    variant: { [group.id]: red.id },
  })
  const shirts = {
    id: added.line_item_id,
    product_id: shirt.id,
    name: 'Shirt',
    quantity: 2,
    price: price(10),
    line_total: price(22),
    variants: [
      { variant_id: group.id, variant_name: 'Colour', option_id: red.id, option_name: 'Red', price: price(1) },
    ],
    media: { type: 'image', source: image.url, asset_id: image.id },
  }
  const totals = (items: number, lines: number, subtotal: number) => ({
    total_items: items,
    total_unique_items: lines,
    subtotal: price(subtotal),
  })
  const first = { ...empty, last_updated: Number(made.created) + 1, ...totals(2, 1, 22), line_items: [shirts] }
  expect(added).toEqual({
    success: true,
    event: 'Cart.Item.Added',
    line_item_id: shirts.id,
    product_id: shirt.id,
    product_name: 'Shirt',
    quantity: 2,
    line_total: price(22),
    cart: first,
  })

  const second = await ask<Changed>('POST', `/${id}`, OLDEST, { id: mug.id, quantity: 1, variant: null })
  const mugs = {
    id: second.line_item_id,
    product_id: mug.id,
    name: 'Mug',
    quantity: 1,
    price: price(4),
    line_total: price(4),
    variants: [],
    media: { type: null, source: null, asset_id: null },
  }
  // Only an add lets time pass here.
  const changed = { ...empty, last_updated: Number(made.created) + 2 }
  expect(second.cart).toEqual({ ...changed, ...totals(3, 2, 26), line_items: [shirts, mugs] })

  const updated = await ask<Changed>('PUT', `/${id}/items/${shirts.id}`, OLDEST, {
    quantity: 3,
    variant: { [group.id]: blue.id },
  })
  const blueShirts = {
    ...shirts,
    quantity: 3,
    line_total: price(30),
    variants: [
      { variant_id: group.id, variant_name: 'Colour', option_id: blue.id, option_name: 'Blue', price: price(0) },
    ],
  }
  expect(updated).toEqual({
    success: true,
    event: 'Cart.Item.Updated',
    line_item_id: shirts.id,
    product_id: shirt.id,
    product_name: 'Shirt',
    quantity: 3,
    line_total: price(30),
    cart: { ...changed, ...totals(4, 2, 34), line_items: [blueShirts, mugs] },
  })
  expect(await ask('GET', `/${id}/items`, OLDEST)).toEqual([blueShirts, mugs])
  expect(await ask('GET', `/${id}`, OLDEST)).toEqual(updated.cart)

  const left = { ...changed, ...totals(1, 1, 4), line_items: [mugs] }
  expect(await ask('DELETE', `/${id}/items/${shirts.id}`, OLDEST)).toEqual({
    success: true,
    event: 'Cart.Item.Removed',
    line_item_id: shirts.id,
    cart: left,
  })
  expect(await ask('PUT', `/${id}`, OLDEST, { meta: { note: 'gift' } })).toEqual({ ...left, meta: { note: 'gift' } })
  expect(await ask('DELETE', `/${id}/items`, OLDEST)).toEqual({
    success: true,
    event: 'Cart.Emptied',
    cart: { ...changed, meta: { note: 'gift' } },
  })
  const deleted = await call('DELETE', `/${id}`, OLDEST)
  expect([deleted.status, deleted.body]).toEqual([200, { success: true, event: 'Cart.Deleted', cart_id: id }])
  expect((await call('GET', `/${id}`, OLDEST)).body).toEqual({
    error: toldOf({ type: 'not_found', message: 'There is no cart with that id.' }),
    status_code: 404,
  })
})
