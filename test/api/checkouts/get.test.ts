// GET /v1/checkouts/tokens/{token}: the token as it is now, its end, and what its flags say of what is bought.

import { describe, expect, it } from 'vitest'
import { sweepExpiredCheckouts } from '../../../src/api/checkouts/checkout.ts'
import { testApp } from '../../support/app.ts'
import { countRows } from '../../support/rows.ts'
import { DAY, replyOf, unixNow } from '../../support/shop.ts'
import { addAsset, type Shop } from '../products/support.ts'
import { NOT_FOUND, openCheckoutShop, tokenFlags } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openCheckoutShop(app)
const secret = shop.keys.sandbox.secret

describe('a token', () => {
  it('is given as it was made, byte for byte, as long as nothing changes', async () => {
    const group = { name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }
    const fields = [{ name: 'One' }, { name: 'Two', type: 'radio', options: ['a', 'b'], required: true }]
    const [one, two] = [
      await shop.product({ variant_groups: [group, { ...group, name: 'Cut' }], extra_fields: fields }),
      await shop.product({ extra_fields: fields }),
    ]
    const cart = await shop.cart([{ id: two.id }, { id: one.id }, { id: two.id }])
    for (const key of [shop.keys.sandbox.public, secret]) {
      const made = await shop.call('GET', `checkouts/${cart.id}?type=cart`, undefined, key)
      const { id, extra_fields } = made.body as { id: string; extra_fields: { id: string }[] }
      const read = await shop.call('GET', `checkouts/tokens/${id}`, undefined, key)
      expect([read.status, read.text]).toEqual([200, made.text])
      // In the order of the lines.
      expect(extra_fields).toEqual([...two.extra_fields, ...one.extra_fields])
    }
  })

  it('ends after 7 days, and is swept from then on with its lines, never earlier', async () => {
    const run = () => sweepExpiredCheckouts.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })
    app.clock.advance(8 * DAY)
    await run()
    const product = await shop.product()
    const token = await shop.token({ id: product.id }, { id: product.id })
    const [path, live] = [`checkouts/tokens/${token.id}`, `checkouts/${token.id}/live`]
    // Filling the cart of the younger one takes a second.
    app.clock.advance(7 * DAY - 2)
    const younger = await shop.token({ id: product.id })
    expect([(await shop.call('GET', path)).status, await run()]).toEqual([200, 0])
    app.clock.advance(1)
    for (const address of [path, live]) expect(await replyOf(shop.call('GET', address))).toEqual([404, NOT_FOUND])
    const count = (table: string) => countRows(app.db, table, { merchant_id: shop.id })
    expect([await run(), await count('checkouts'), await count('checkout_lines')]).toEqual([1, 1, 1])
    expect((await shop.get(younger)).id).toBe(younger.id)
  })
})

describe('the flags of a token', async () => {
  await shop.zone()
  const file = await addAsset(app, shop as unknown as Shop, { isImage: false })
  const digital = { delivery: { digital: { packages: [{ asset: file.id }] } } }
  const none = { has: { physical_delivery: false }, collects: { shipping_address: false } }
  const download = { has: { physical_delivery: false, digital_delivery: true } }
  const billed = { collects: { billing_address: true } }
  const asked = { collects: { extra_fields: true, extrafields: true } }

  it.each([
    ['something that is shipped', [{}], {}],
    ['a download', [digital], { ...none, ...download }],
    ['both', [{}, digital], { has: { digital_delivery: true } }],
    ['something that is neither', [{ delivery: { physical: false } }], none],
    ['a download that asks for an address', [{ ...digital, collects: { shipping_address: true } }], download],
    ['something that is shipped and asks for no address', [{ collects: { shipping_address: false } }], {}],
    ['one product that asks for a name', [{}, { collects: { fullname: true } }], { collects: { fullname: true } }],
    ['one that asks for a billing address', [billed, {}], billed],
    ['one with an extra field', [{ extra_fields: [{ name: 'A' }] }], asked],
    ['one with a price of the shopper’s choice', [{ pay_what_you_want: true }], { has: { pay_what_you_want: true } }],
    ['something that costs nothing', [{ price: 0 }], { is: { cart_free: true, free: true } }],
  ])('tell the truth about %s', async (_, products, expected) => {
    const made = []
    for (const body of products) made.push(await shop.product(body))
    const token = await shop.token(...made.map(({ id }) => ({ id })))
    const { is, has, collects, conditionals } = await shop.get(token)
    expect({ is, has, collects, conditionals }).toEqual(tokenFlags(expected))
  })

  it('tell whether the merchant has any code that can be used', async () => {
    const own = await openCheckoutShop(app)
    const token = await own.token({ id: (await own.product()).id })
    const has = async () => (await own.get(token)).has.available_discounts
    expect(await has()).toBe(false)
    const expires = unixNow(app) + 5
    await own.discount({ type: 'fixed', value: 1, expires })
    expect(await has()).toBe(true)
    app.clock.advance(5)
    expect(await has()).toBe(false)
    // One for other products alone is of no use here.
    const [other, bought] = [await own.product(), token.products[0]?.product_id]
    await own.discount({ type: 'fixed', value: 1, product_ids: [other.id] })
    expect(await has()).toBe(false)
    await own.discount({ type: 'fixed', value: 1, product_ids: [other.id, bought] })
    expect(await has()).toBe(true)
  })

  it('tell of a line that is free by what was chosen of it', async () => {
    const sizes = { name: 'Size', options: [{ name: 'S' }, { name: 'L', price: 2 }] }
    const product = await shop.product({ price: 0, variant_groups: [sizes] })
    const [size] = product.variant_groups
    const choose = (index: number) => ({ id: product.id, options: { [size?.id ?? '']: size?.options[index]?.id } })
    const { products } = await shop.token(choose(0), choose(1))
    expect(products.map(({ is, conditionals }) => [is.free, conditionals.is_free])).toEqual([
      [true, true],
      [false, false],
    ])
  })

  it('do not call free what cannot be bought', async () => {
    const [kept, gone] = [await shop.product({ price: 0 }), await shop.product()]
    const token = await shop.token({ id: kept.id }, { id: gone.id })
    await shop.succeed(204, 'DELETE', `products/${gone.id}`, undefined, secret)
    const { live, is, conditionals } = await shop.get(token)
    expect([live.total_due.raw, is, conditionals.is_cart_free]).toEqual([0, { cart_free: false, free: false }, false])
    const { is_free } = await shop.succeed<{ is_free: boolean }>(200, 'GET', `checkouts/${token.id}/check/is_free`)
    expect(is_free).toBe(false)
  })

  it('tell that nothing is left to pay, after the discount and the gift card', async () => {
    const token = await shop.token({ id: (await shop.product()).id })
    const is = async () => (await shop.get(token)).is
    const code = await shop.discount({ type: 'percentage', value: 100 })
    await shop.choose.discount(token, code)
    expect(await is()).toEqual({ cart_free: true, free: true })
    await shop.choose.discount(token, null)
    expect(await is()).toEqual({ cart_free: false, free: false })
    await shop.choose.giftCard(token, await shop.giftCard({ value: 10 }))
    expect(await is()).toEqual({ cart_free: true, free: true })
  })
})
