// POST /v1/carts/{cart_id} with a negative quantity: the "−" button of published storefronts, `cart.add(id, -1)`.

import { describe, expect, it } from 'vitest'
import type { Cart } from '../../../src/api/carts/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { notValid, openShop, price } from '../../support/shop.ts'

const app = await sharedApp()
const shop = await openShop(app)
const mug = await shop.product({ name: 'Mug', price: 5 })
const shirt = await shop.product({
  name: 'Shirt',
  price: 20,
  variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }],
})
const [size] = shirt.variant_groups
const [small, large] = (size?.options ?? []).map((option) => ({ [size?.id ?? '']: option.id }))
const largeShirt = await shop.variant(shirt.id, { options: large })

const add = (cart: Cart, body: object, key?: string) =>
  shop.succeed<Cart>(200, 'POST', `carts/${cart.id}`, { ...body }, key)
const read = (cart: Cart) => shop.succeed<Cart>(200, 'GET', `carts/${cart.id}`)
const counts = ({ line_items }: Cart) => line_items.map(({ name, quantity }) => [name, quantity])

describe('a negative quantity', () => {
  it.each([-1, '-1', ' -1 '])('takes from the line of the product: %j', async (quantity) => {
    const cart = await shop.cart([{ id: mug.id, quantity: 3 }, { id: shirt.id }])
    app.clock.advance(5)
    const less = await add(cart, { id: mug.id, quantity })
    const [mugs, shirts] = cart.line_items
    expect(less).toEqual({
      ...cart,
      updated: cart.updated + 5,
      total_items: 3,
      subtotal: price(30, '30.00'),
      line_items: [{ ...mugs, quantity: 2, line_total: price(10, '10.00') }, shirts],
    })
    expect(await read(cart)).toEqual(less)
  })

  it.each([-3, -4, -1_000_000])('removes the line of 3 with %j', async (quantity) => {
    const cart = await shop.cart([{ id: mug.id, quantity: 3 }, { id: shirt.id }])
    expect(counts(await add(cart, { id: mug.id, quantity }))).toEqual([['Shirt', 1]])
    expect(counts(await read(cart))).toEqual([['Shirt', 1]])
  })

  it('takes from the line of the same options, however they are named', async () => {
    const cart = await shop.cart([
      { id: shirt.id, quantity: 2, options: small },
      { id: shirt.id, quantity: 2, options: large },
    ])
    const left = async (more: object) =>
      (await add(cart, { id: shirt.id, quantity: -1, ...more })).line_items.map(({ quantity }) => quantity)
    expect(await left({ options: large })).toEqual([2, 1])
    expect(await left({ variant_id: largeShirt.id })).toEqual([2])
    expect(await left({ options: small })).toEqual([1])
  })

  it('takes from the only line of the product where no options are named', async () => {
    for (const none of [{}, { options: {} }, { options: [] }, { options: null, variant_id: '' }]) {
      const cart = await shop.cart([{ id: shirt.id, quantity: 2, options: large }])
      expect(counts(await add(cart, { id: shirt.id, quantity: -1, ...none }))).toEqual([['Shirt', 1]])
    }
  })

  it('leaves the cart as it is where several lines could be meant, or none is there', async () => {
    const cart = await shop.cart([
      { id: shirt.id, quantity: 2, options: small },
      { id: shirt.id, quantity: 2, options: large },
    ])
    app.clock.advance(5)
    expect(await add(cart, { id: shirt.id, quantity: -1 })).toEqual(cart)
    expect(await add(cart, { id: mug.id, quantity: -1 })).toEqual(cart)
    expect(await read(cart)).toEqual(cart)
    const empty = await shop.cart([])
    expect(await add(empty, { id: mug.id, quantity: -1 })).toEqual(empty)
    expect(await read(empty)).toEqual(empty)
  })

  it('is taken though the product is not for sale any more, or is sold out', async () => {
    const scarce = await shop.product({ name: 'Scarce', inventory: { managed: true, available: 5 } })
    const cart = await shop.cart([{ id: scarce.id, quantity: 5 }])
    const { secret } = shop.keys.sandbox
    const change = (body: object) => shop.succeed(200, 'PUT', `products/${scarce.id}`, body, secret)
    await change({ inventory: { managed: true, available: 1 } })
    expect(counts(await add(cart, { id: scarce.id, quantity: -1 }))).toEqual([['Scarce', 4]])
    await change({ active: false })
    expect(counts(await add(cart, { id: scarce.id, quantity: -1 }))).toEqual([['Scarce', 3]])
    expect(counts(await add(cart, { id: scarce.id, quantity: -3 }))).toEqual([])
  })

  it.each([
    [{ id: 'prod_none' }, { id: ['id must be the id of a product that is for sale.'] }],
    [
      { id: shirt.id, variant_id: 'vrnt_none' },
      { variant_id: ['variant_id must be the id of a variant of this product.'] },
    ],
    [
      { id: shirt.id, options: { vgrp_none: 'optn_none' } },
      { options: ['options must name variant groups of this product, each with an option of that group.'] },
    ],
  ])('of what no cart can hold is refused: %j', async (body, errors) => {
    const cart = await shop.cart([{ id: mug.id }])
    const answer = await shop.call('POST', `carts/${cart.id}`, { ...body, quantity: -1 })
    expect([answer.status, answer.body]).toEqual([422, notValid(errors as unknown as Record<string, string[]>)])
    expect(await read(cart)).toEqual(cart)
  })
})

it('at the same moment more than there are remove the line, and nothing is ever below 0', async () => {
  const cart = await shop.cart([{ id: mug.id, quantity: 5 }, { id: shirt.id }])
  const takes = Array.from({ length: 20 }, () => add(cart, { id: mug.id, quantity: -1 }))
  const seen = (await Promise.all(takes)).flatMap(({ line_items }) =>
    line_items.filter(({ product_id }) => product_id === mug.id).map(({ quantity }) => quantity),
  )
  expect(seen.sort()).toEqual([1, 2, 3, 4])
  expect(counts(await read(cart))).toEqual([['Shirt', 1]])
})
