// GET /v1/checkouts/{id}: a token of a cart or of one product.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import {
  bodyOf,
  DAY,
  malformedField,
  matching,
  missing,
  notValidField,
  notValidFields,
  price,
  replyOf,
  unixNow,
} from '../../support/shop.ts'
import { openCheckoutShop, tokenFlags } from './support.ts'

const app = await sharedApp()
const shop = await openCheckoutShop(app)
const secret = shop.keys.sandbox.secret

describe('a token', () => {
  it('is made of one product by its id or permalink, and of a permalink unless the type says otherwise', async () => {
    const own = await openCheckoutShop(app)
    const cup = { name: 'Cup', permalink: 'cup', description: 'A <b>cup</b>', sku: 'C1' }
    const product = await own.product({ ...cup, delivery: { physical: true } })
    // It has no method for so little, and makes the shop one that sends.
    await own.zone({ methods: [{ description: 'Freight', price: 50, min_order_value: 1_000 }] })
    for (const path of [`${product.id}?type=product_id`, 'cup?type=permalink', 'cup', 'cup?type=permalink+']) {
      const answer = await own.call('GET', `checkouts/${path}`)
      expect(bodyOf(201, answer)).toMatchObject({
        cart_id: null,
        expires: unixNow(app) + 7 * DAY,
        line_items: [{ id: matching('item_'), product_id: product.id, quantity: 1, line_total: price(10, '10.00') }],
        shipping_methods: [],
        ...tokenFlags(),
      })
      expect(answer.headers['cache-control']).toBe('no-store')
    }
  })

  it('is made of a cart, with the ids of its lines, its discount and its meta', async () => {
    const own = await openCheckoutShop(app)
    const shirt = await own.product({
      name: 'Shirt',
      price: 20,
      collects: { fullname: true, billing_address: true },
      variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L', price: 2.5 }] }],
      extra_fields: [{ name: 'Initials', required: true }],
    })
    const cup = await own.product({ name: 'Cup' })
    const [size] = shirt.variant_groups
    const large = size?.options[1]
    if (!size || !large) throw new Error('The shirt has no sizes.')
    const variant = await own.variant(shirt.id, { options: { [size.id]: large.id }, sku: 'SHIRT-L', inventory: 9 })
    await own.discount({ type: 'percentage', value: 10, code: 'TENTH' })
    const zone = await own.zone({ regions: { US: ['NY'] } })
    const cart = await own.cart([{ id: cup.id }, { id: shirt.id, quantity: 2, options: { [size.id]: large.id } }])
    await own.succeed(200, 'PUT', `carts/${cart.id}`, { discount_code: 'tenth', meta: { gift: 'yes' } })

    const { status, body } = await own.call('GET', `checkouts/${cart.id}?type=cart`)
    const collects = { fullname: true, billing_address: true, extra_fields: true, extrafields: true }
    // The cup's share of the 5.50 saved is 1.00.
    const lines = [
      { id: cart.line_items[0]?.id, product_id: cup.id, tax: { taxable_amount: price(9, '9.00') } },
      {
        id: cart.line_items[1]?.id,
        product_id: shirt.id,
        sku: 'SHIRT-L',
        quantity: 2,
        line_total: price(45, '45.00'),
        selected_options: [{ group_id: size.id, option_id: large.id, price: price(2.5, '2.50') }],
        variant: { id: variant.id },
        tax: { taxable_amount: price(40.5, '40.50') },
      },
    ]
    expect([status, body]).toMatchObject([
      201,
      {
        cart_id: cart.id,
        ...tokenFlags({ has: { available_discounts: true }, collects }),
        products: lines,
        line_items: lines,
        extra_fields: shirt.extra_fields,
        extrafields: shirt.extra_fields,
        meta: { gift: 'yes' },
        shipping_methods: [{ id: zone.methods[0]?.id, regions: { US: ['US-NY'] } }],
        subtotal: price(55, '55.00'),
        discount: [{ code: 'TENTH', amount_saved: price(5.5, '5.50') }],
        total_due: price(49.5, '49.50'),
      },
    ])
  })

  it('keeps what was in the cart when the cart changes or is deleted', async () => {
    const [cup, bowl] = [await shop.product({ name: 'Cup' }), await shop.product({ name: 'Bowl' })]
    const cart = await shop.cart([{ id: cup.id, quantity: 2 }])
    const token = await shop.ofCart(cart.id)
    const before = await shop.get(token)
    await shop.succeed(200, 'POST', `carts/${cart.id}`, { id: bowl.id })
    await shop.succeed(200, 'PUT', `carts/${cart.id}`, { meta: { late: 1 } })
    expect(await shop.get(token)).toEqual(before)
    await shop.succeed(204, 'DELETE', `carts/${cart.id}`)
    expect(await shop.get(token)).toEqual(before)
    expect(before.cart_id).toBe(cart.id)
  })
})

describe('no token is made', () => {
  it('of a cart or product that is unknown, deleted, of the other mode or of another merchant', async () => {
    const other = await openCheckoutShop(app)
    const [own, foreign] = [await shop.product(), await other.product({ permalink: 'foreign' })]
    const deleted = await shop.cart([{ id: own.id }])
    await shop.succeed(204, 'DELETE', `carts/${deleted.id}`)
    const live = await shop.cart([{ id: own.id }], shop.keys.live.public)
    const theirs = await other.cart([{ id: foreign.id }])
    for (const [path, thing] of [
      [`${deleted.id}?type=cart`, 'cart'],
      [`${live.id}?type=cart`, 'cart'],
      [`${theirs.id}?type=cart`, 'cart'],
      [`cart_${'0'.repeat(26)}?type=cart`, 'cart'],
      [`${own.id}?type=cart`, 'cart'],
      [`${foreign.id}?type=product_id`, 'product'],
      [`prod_${'0'.repeat(26)}?type=product_id`, 'product'],
      [`${own.permalink}?type=product_id`, 'product'],
      ['foreign?type=permalink', 'product'],
      [own.id, 'product'],
    ] as const) {
      const answer = await shop.call('GET', `checkouts/${path}`)
      expect([path, answer.status, answer.body]).toEqual([path, 404, missing(thing)])
      expect(answer.headers['cache-control']).toBe('no-store')
    }
  })

  it('of a cart that has expired', async () => {
    const product = await shop.product()
    const cart = await shop.cart([{ id: product.id }])
    app.clock.advance(30 * DAY - 2)
    expect((await shop.ofCart(cart.id)).cart_id).toBe(cart.id)
    app.clock.advance(1)
    expect(await replyOf(shop.call('GET', `checkouts/${cart.id}?type=cart`))).toEqual([404, missing('cart')])
  })

  it('of an inactive product: to a public key there is none, and nobody can buy it', async () => {
    const { id } = await shop.product({ active: false, permalink: 'hidden' })
    for (const path of [`${id}?type=product_id`, 'hidden']) {
      expect(await replyOf(shop.call('GET', `checkouts/${path}`))).toEqual([404, missing('product')])
      expect(await replyOf(shop.call('GET', `checkouts/${path}`, undefined, secret))).toEqual(
        notValidField('id', 'cannot be bought: the product is not for sale any more.'),
      )
    }
  })

  it('of a product all of whose variants are sold out, and one is as long as one of them is not', async () => {
    const { product, small, large } = await shop.sized({ inventory: { managed: true, available: 0 } })
    const variants = []
    for (const options of [small, large]) variants.push(await shop.variant(product.id, { options, inventory: 3 }))
    const make = () => shop.call('GET', `checkouts/${product.permalink}`)
    expect((await make()).status).toBe(201)
    const sellOut = ({ id = '' } = {}) =>
      shop.succeed(200, 'PUT', `products/${product.id}/variants/${id}`, { inventory: 0 }, secret)
    await sellOut(variants[0])
    expect((await make()).status).toBe(201)
    await sellOut(variants[1])
    const rule = 'cannot be bought: there is not enough of it; 0 are available, for all lines together.'
    expect(await replyOf(make())).toEqual(notValidField('id', rule))
  })

  it('of a cart with lines that can no longer be bought, each of which is named', async () => {
    const [good, hidden, gone, scarce, dear] = [
      await shop.product(),
      await shop.product(),
      await shop.product(),
      await shop.product({ inventory: { managed: true, available: 5 } }),
      await shop.product({ price: 1 }),
    ]
    const [cut, grown] = [await shop.sized(), await shop.sized()]
    await shop.variant(grown.product.id, { options: grown.small })
    const cart = await shop.cart([
      { id: good.id },
      { id: hidden.id },
      { id: gone.id },
      { id: scarce.id, quantity: 5 },
      { id: dear.id, quantity: 1_000_000 },
      { id: cut.product.id, options: cut.small },
      { id: grown.product.id, options: grown.small },
    ])
    await shop.succeed(200, 'PUT', `products/${hidden.id}`, { active: false }, secret)
    await shop.succeed(204, 'DELETE', `products/${gone.id}`, undefined, secret)
    await shop.succeed(200, 'PUT', `products/${scarce.id}`, { inventory: { available: 4 } }, secret)
    await shop.succeed(200, 'PUT', `products/${dear.id}`, { price: 10_000.01 }, secret)
    await shop.succeed(200, 'PUT', `products/${cut.product.id}`, { variant_groups: [] }, secret)
    const added = { name: 'Cut', options: [{ name: 'slim' }] }
    await shop.succeed(201, 'POST', `products/${grown.product.id}/variant_groups`, added, secret)
    const reasons = [
      'the product is not for sale any more',
      'the product is not for sale any more',
      'there is not enough of it; 4 are available, for all lines together',
      'its total would be too high; buy at most 999999 at this price',
      'a chosen option no longer exists; choose another one',
    ]
    // The last lacks an option of a newer group: capture will ask for it.
    const lines = cart.line_items.slice(1, -1)
    const rules = lines.map(({ id }, index) => [`line_items.${id}`, `cannot be bought: ${reasons[index]}.`])
    const refusal = notValidFields(Object.fromEntries(rules))
    expect(await replyOf(shop.call('GET', `checkouts/${cart.id}?type=cart`))).toEqual(refusal)
  })

  it.each(['product', 'CART', 'id'])('of the type %s', async (type) => {
    const refusal = malformedField('type', 'must be one of cart, product_id, permalink.')
    expect(await replyOf(shop.call('GET', `checkouts/thing?type=${type}`))).toEqual(refusal)
  })
})
