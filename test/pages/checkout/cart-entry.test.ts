// The link of a cart leads to one token for each state of the cart, however often and by how many it is opened, until that state was ordered
// (ordered-cart.test.ts).

import { describe, expect, it } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { CARD } from '../../api/checkouts/capture-support.ts'
import { testApp } from '../../support/app.ts'
import { roundTripsOf } from '../../support/sent.ts'
import { DAY } from '../../support/shop.ts'
import { messageEntry, openEntryShop } from './entry-support.ts'

const app = await testApp({ trustProxy: ['127.0.0.1'] })
const shop = await openEntryShop(app)
const product = await shop.product({ name: 'Tea', price: 10, permalink: 'tea' })

const gone = messageEntry(404, 'gone', 'cart_gone')

const opened = async (cartId: string) => {
  const entry = await shop.enter(cartId)
  if (entry.kind !== 'pay') throw new Error(`It leads to ${JSON.stringify(entry)}.`)
  return entry.tokenId
}

describe('the link of a cart', () => {
  it('makes a token of what is in the cart, with its code, and leads there as long as the cart is the same', async () => {
    await shop.discount({ type: 'fixed', value: 3, code: 'LESS' })
    const cart = await shop.cart([{ id: product.id, quantity: 2 }])
    await shop.succeed(200, 'PUT', `carts/${cart.id}`, { discount_code: 'LESS' })
    const before = await shop.tokens()
    const id = await opened(cart.id)
    const token = await shop.get({ id })
    expect(token).toMatchObject({
      cart_id: cart.id,
      live: {
        line_items: [{ product_id: product.id, quantity: 2 }],
        subtotal: { raw: 20 },
        discount: [{ code: 'LESS' }],
      },
    })
    for (let times = 0; times < 5; times++) {
      app.clock.advance(3_600)
      expect(await opened(cart.id)).toBe(id)
    }
    expect((await shop.tokens()) - before).toBe(1)
  })

  it('leads five hundred who open it at once to one token', async () => {
    const cart = await shop.cart([{ id: product.id, quantity: 1 }])
    const before = await shop.tokens()
    const entries = await Promise.all(Array.from({ length: 500 }, () => shop.enter(cart.id)))
    expect(new Set(entries.map((entry) => JSON.stringify(entry))).size).toBe(1)
    expect(entries[0]?.kind).toBe('pay')
    expect((await shop.tokens()) - before).toBe(1)
  })

  it('asks the database once where there is a token, and no more than four times to make one', async () => {
    const cart = await shop.cart([{ id: product.id, quantity: 1 }])
    const sent = async () =>
      (await roundTripsOf(() => shop.enter(cart.id)))
        .flatMap(({ statements }) => statements)
        .flatMap(({ name = '' }) => (/^(?:carts|checkouts|lines|products)/.test(name) ? [name.split(' ')[0]] : []))
    const making = await sent()
    expect([making[0], making.at(-1)]).toEqual(['checkouts.find_of_cart', 'checkouts.insert_of_link'])
    expect(making.length).toBeLessThanOrEqual(4)
    expect(await sent()).toEqual(['checkouts.find_of_cart'])
  })

  it('makes another once the cart has changed, in its lines or in its code', async () => {
    const cart = await shop.cart([{ id: product.id, quantity: 1 }])
    const seen = [await opened(cart.id)]
    const line = `carts/${cart.id}/items/${cart.line_items[0]?.id}`
    await shop.succeed(200, 'PUT', line, { quantity: 2 })
    seen.push(await opened(cart.id))
    expect(await shop.get({ id: seen[1] ?? '' })).toMatchObject({ live: { line_items: [{ quantity: 2 }] } })
    await shop.succeed(200, 'PUT', `carts/${cart.id}`, { discount_code: '' })
    seen.push(await opened(cart.id))
    expect(new Set(seen).size).toBe(3)
    expect(await opened(cart.id)).toBe(seen[2])
  })

  it('makes another once the token has expired, before and after it was swept', async () => {
    const cart = await shop.cart([{ id: product.id, quantity: 1 }])
    const first = await opened(cart.id)
    app.clock.advance(7 * DAY - 1)
    expect(await opened(cart.id)).toBe(first)
    app.clock.advance(1)
    const entries = await Promise.all(Array.from({ length: 20 }, () => opened(cart.id)))
    expect(new Set(entries).size).toBe(1)
    expect(entries[0]).not.toBe(first)
  })

  it('makes another once ten payments of the token were declined, and no sooner; that one can be paid', async () => {
    const cart = await shop.cart([{ id: product.id, quantity: 1 }])
    const first = await opened(cart.id)
    const declined = shop.body({ payment: { ...CARD, card: { ...CARD.card, number: '4000000000000002' } } })
    for (let times = 0; times < 10; times++) {
      expect(await opened(cart.id)).toBe(first)
      expect((await shop.capture({ id: first }, declined)).status).toBe(402)
    }
    expect(await shop.enter(cart.id, true)).toEqual({ kind: 'nothing' })
    const [next = '', ...others] = await Promise.all(Array.from({ length: 20 }, () => opened(cart.id)))
    expect([next === first, new Set([next, ...others]).size]).toEqual([false, 1])
    expect((await shop.capture({ id: first }, shop.body())).status).toBe(429)
    await shop.order({ id: next }, shop.body())
    expect(await shop.enter(cart.id)).toEqual({ kind: 'ordered', tokenId: next })
  })

  it('leaves alone the tokens that a storefront has made of the same cart', async () => {
    const cart = await shop.cart([{ id: product.id, quantity: 1 }])
    const own = await shop.ofCart(cart.id)
    const id = await opened(cart.id)
    expect(id).not.toBe(own.id)
    const next = await shop.ofCart(cart.id)
    expect(new Set([own.id, id, next.id]).size).toBe(3)
    expect(await opened(cart.id)).toBe(id)
  })

  it('makes nothing for who only looks', async () => {
    const cart = await shop.cart([{ id: product.id, quantity: 1 }])
    const before = await shop.tokens()
    expect(await shop.enter(cart.id, true)).toEqual({ kind: 'nothing' })
    expect(await shop.tokens()).toBe(before)
    const id = await opened(cart.id)
    expect(await shop.enter(cart.id, true)).toEqual({ kind: 'pay', tokenId: id })
  })

  it('says that it was ordered, by its own token or by one of a storefront, until the cart is changed', async () => {
    for (const tokenOf of [async (cartId: string) => ({ id: await opened(cartId) }), shop.ofCart]) {
      const cart = await shop.cart([{ id: product.id, quantity: 1 }])
      await opened(cart.id)
      const token = await tokenOf(cart.id)
      await shop.order(token, shop.body())
      expect(await shop.enter(cart.id)).toEqual({ kind: 'ordered', tokenId: token.id })
      expect(await shop.enter(cart.id, true)).toEqual({ kind: 'ordered', tokenId: token.id })
      app.clock.advance(8 * DAY)
      expect(await shop.enter(cart.id)).toEqual({ kind: 'ordered', tokenId: token.id })
      await shop.succeed(200, 'POST', `carts/${cart.id}`, { id: product.id, quantity: 1 })
      expect(await shop.enter(cart.id)).toEqual({ kind: 'pay', tokenId: expect.stringMatching(/^chkt_/) })
    }
  })

  it('does not take a cart for ordered that was changed while it was paid for', async () => {
    const cart = await shop.cart([{ id: product.id, quantity: 1 }])
    const id = await opened(cart.id)
    await shop.succeed(200, 'POST', `carts/${cart.id}`, { id: product.id, quantity: 1 })
    await shop.order({ id }, shop.body())
    const entry = await shop.enter(cart.id)
    expect(entry).toEqual({ kind: 'pay', tokenId: expect.stringMatching(/^chkt_/) })
    expect(entry).not.toEqual({ kind: 'pay', tokenId: id })
  })

  it('says that the cart is empty, with a row or without, and makes nothing', async () => {
    const empty = messageEntry(200, 'cart_empty', 'cart_empty')
    const untouched = await shop.cart([])
    const emptied = await shop.cart([{ id: product.id, quantity: 1 }])
    await shop.succeed(200, 'DELETE', `carts/${emptied.id}/items`)
    const before = await shop.tokens()
    expect([await shop.enter(untouched.id), await shop.enter(emptied.id)]).toEqual([empty, empty])
    expect(await shop.tokens()).toBe(before)
  })

  it('is 404 for a cart that is gone, made up, of the other mode or of another shop', async () => {
    const { call, id: cartId } = { ...shop, ...(await shop.cart([{ id: product.id, quantity: 1 }])) }
    const other = await openEntryShop(app)
    const before = await shop.tokens()
    expect(await shop.enter(cartId, false, false)).toEqual(gone)
    expect(await other.enter(cartId)).toEqual(gone)
    expect(await shop.enter(newId('cart', app.clock.now()))).toEqual(gone)
    for (const text of ['', 'cart_1', "' or 1=1", 'ü', 'x'.repeat(5_000)]) expect(await shop.enter(text)).toEqual(gone)
    expect((await call('DELETE', `carts/${cartId}`)).status).toBe(204)
    expect(await shop.enter(cartId)).toEqual(gone)
    const late = await shop.cart([{ id: product.id, quantity: 1 }])
    await opened(late.id)
    app.clock.advance(30 * DAY)
    expect(await shop.enter(late.id)).toEqual(gone)
    expect((await shop.tokens()) - before).toBe(1)
  })

  it('names the line that cannot be bought any more, and makes nothing', async () => {
    const few = await shop.product({ name: 'Few', inventory: { managed: true, available: 2 } })
    const cart = await shop.cart([
      { id: product.id, quantity: 1 },
      { id: few.id, quantity: 2 },
    ])
    await shop.succeed(200, 'PUT', `products/${few.id}`, { inventory: { available: 0 } }, shop.keys.sandbox.secret)
    const before = await shop.tokens()
    const notEnough = messageEntry(422, 'not_paid', 'not_enough', { left: 0, product: 'Few' })
    expect(await shop.enter(cart.id)).toEqual(notEnough)
    expect(await shop.tokens()).toBe(before)
  })

  it('makes none in a sandbox that is full, nor on a disk that is, and leads to the one there is all the same', async () => {
    const [cart, other] = [await shop.cart([{ id: product.id }]), await shop.cart([{ id: product.id }])]
    const id = await opened(cart.id)
    const { enterCart } = await import('../../../src/pages/checkout/links/cart-entry.ts')
    const full = shop.contextIn(true, { fullSandbox: ['checkouts'] })
    const short = { ...shop.contextIn(true), disk: { isShort: () => true } }
    await expect(enterCart(full, other.id, false)).rejects.toMatchObject({ status: 429 })
    await expect(enterCart(short, other.id, false)).rejects.toMatchObject({ status: 503 })
    expect(await enterCart(full, cart.id, false)).toEqual({ kind: 'pay', tokenId: id })
    expect(await enterCart(short, cart.id, false)).toEqual({ kind: 'pay', tokenId: id })
  })

  it('tells the mode of a cart by its id, also where the cart has no row', async () => {
    const live = shop.keys.live.public
    const carts = [await shop.cart([]), await shop.cart([{ id: product.id }]), await shop.cart([], live)]
    expect(await Promise.all(carts.map(({ id }) => shop.modeOf(id)))).toEqual([true, true, false])
    for (const id of [newId('cart', app.clock.now()), '', 'cart_1', '\u0000', 'x'.repeat(5_000)])
      expect(await shop.modeOf(id)).toBeNull()
    const other = await openEntryShop(app)
    expect(await other.modeOf(carts[1]?.id ?? '')).toBeNull()
  })
})
