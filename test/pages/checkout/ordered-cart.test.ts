// The link of a cart that was ordered. Anybody may have it: it opens the receipt for the browser that paid, and for who knows the e-mail address of the
// order, and tells nobody else anything of the buyer.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { ADDRESS, CARD, type Fields, follow, type Loaded, load, openPageShop, post, send } from './support.ts'

const app = await testApp({ trustProxy: ['127.0.0.1'] })
const shop = await openPageShop(app)
const product = await shop.product({ name: 'Tea', price: 10 })

const BUYER = { ...ADDRESS, 'customer[email]': 'Ada@Example.com' }
const NOT_THE_ADDRESS = 'This is not the e-mail address of the order.'

let places = 0
/** Networks that nobody has guessed from yet. */
const newPlace = () => ({ headers: { 'x-forwarded-for': `203.0.113.${++places}` } })

const cookieOf = ({ headers }: Loaded): string => String(headers['set-cookie'] ?? '').split(';')[0] ?? ''

/** A cart that was ordered on the page, and the answer to the form that paid. */
async function orderedCart() {
  const cart = await shop.cart([{ id: product.id, quantity: 1 }])
  const link = `/checkout/${shop.id}/cart/${cart.id}`
  const entered = await load(app, link)
  const url = entered.location ?? ''
  const page = await follow(app, entered)
  const typed = { ...BUYER, ...CARD, 'fulfillment[shipping_method]': shop.method }
  const paid = await send(app, url, await send(app, url, page, typed, 'update'), typed, 'pay')
  expect([paid.status, paid.location]).toEqual([303, `${url}/receipt?lang=en`])
  return { cart, link, url, paid }
}

/** Nothing of the order is in it: neither who has bought, nor the token that would open it. */
function tellsNothing({ html, headers, location }: Loaded, url: string) {
  const all = `${html} ${JSON.stringify(headers)}`.toLowerCase()
  for (const secret of ['lovelace', 'main street', 'ada@example', url.split('/').at(-1)?.toLowerCase() ?? '', 'chkt_'])
    expect(all).not.toContain(secret)
  expect(location).toBeNull()
}

const ask = (link: string, email: string, fields: Fields = {}, options = newPlace()) =>
  post(app, link, { email, ...fields }, options)

describe('the link of a cart that was ordered', () => {
  it('says so, and shows a stranger nothing of the order', async () => {
    const { link, url } = await orderedCart()
    const page = await load(app, link)
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(page.text).toContain('This cart has been ordered')
    tellsNothing(page, url)
    const head = await app.server.inject({ method: 'HEAD', url: link })
    expect([head.statusCode, head.headers.location]).toEqual([200, undefined])
  })

  it('leads the browser that paid to the receipt', async () => {
    const { link, url, paid } = await orderedCart()
    expect(String(paid.headers['set-cookie'])).toMatch(
      new RegExp(
        `^cartwright-paid=chkt_\\w+~ord_\\w+; Path=/checkout/${shop.id}; Max-Age=604800; HttpOnly; SameSite=Lax$`,
      ),
    )
    const own = { headers: { cookie: cookieOf(paid) } }
    expect((await load(app, link, own)).location).toBe(`${url}/receipt`)
    // What was paid before is kept beside it, and a browser that has paid for another cart is a stranger.
    const other = await orderedCart()
    tellsNothing(await load(app, other.link, own), other.url)
    const next = await ask(other.link, 'ada@example.com', {}, { headers: { ...newPlace().headers, ...own.headers } })
    const both = { headers: { cookie: cookieOf(next) } }
    expect((await load(app, link, both)).location).toBe(`${url}/receipt`)
    expect((await load(app, other.link, both)).location).toBe(`${other.url}/receipt`)
  })

  it('takes no cookie that does not name the token', async () => {
    const { link, url, cart } = await orderedCart()
    for (const value of ['', '1', 'chkt_', `chkt_${'0'.repeat(26)}`, cart.id, '.'.repeat(3_000)])
      tellsNothing(await load(app, link, { headers: { cookie: `cartwright-paid=${value}` } }), url)
  })

  it('is set by HTTPS for HTTPS only', async () => {
    const { link } = await orderedCart()
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.200' }
    const page = await ask(link, 'ada@example.com', {}, { headers })
    expect(String(page.headers['set-cookie'])).toMatch(/; Secure$/)
  })

  it('opens the receipt for who enters the e-mail address of the order, in any case', async () => {
    const { link, url } = await orderedCart()
    for (const email of ['ada@example.com', ' ADA@example.COM '])
      expect([(await ask(link, email)).status, (await ask(link, email)).location]).toEqual([303, `${url}/receipt`])
    expect((await ask(link, 'ada@example.com', { lang: 'de' })).location).toBe(`${url}/receipt?lang=de`)
  })

  it.each(['', 'ada', 'ada@example.co', 'ada@example.com.au', 'adb@example.com', '%', "' or 1=1 --"])(
    'answers %j as any other wrong address',
    async (email) => {
      const { link, url } = await orderedCart()
      const page = await ask(link, email)
      expect([page.status, page.text.includes(NOT_THE_ADDRESS)]).toEqual([422, true])
      // What was typed stands in the field again.
      tellsNothing({ ...page, html: page.html.replace(`value="${email}"`, '') }, url)
    },
  )

  it('takes ten addresses an hour for an order, wherever they come from and at the same moment', async () => {
    const { link, url } = await orderedCart()
    const told = await Promise.all(Array.from({ length: 15 }, (_, time) => ask(link, `guess${time}@example.com`)))
    expect(told.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 10 }, () => 422),
      ...Array.from({ length: 5 }, () => 429),
    ])
    const right = await ask(link, 'ada@example.com')
    expect([right.status, right.location]).toEqual([429, null])
    tellsNothing(right, url)
    app.clock.advance(3_600)
    expect((await ask(link, 'ada@example.com')).location).toBe(`${url}/receipt`)
  })

  it('takes twenty addresses an hour from one place, for all orders together', async () => {
    const place = newPlace()
    const statuses: number[] = []
    for (let cart = 0; cart < 3; cart++) {
      const { link } = await orderedCart()
      for (let time = 0; time < 8; time++) statuses.push((await ask(link, `g${time}@example.com`, {}, place)).status)
    }
    expect(statuses.filter((status) => status === 422)).toHaveLength(20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
  })

  it('leads back to paying once the cart is changed, also where the form of the old one is sent', async () => {
    const { cart, link } = await orderedCart()
    await shop.succeed(200, 'POST', `carts/${cart.id}`, { id: product.id, quantity: 1 })
    expect((await load(app, link)).location).toMatch(/\/pay\/chkt_\w+$/)
    expect((await ask(link, 'ada@example.com')).location).toMatch(/\/pay\/chkt_\w+$/)
  })

  it('is 404 by a form too where the cart is another shop’s or nobody’s', async () => {
    const { cart } = await orderedCart()
    const other = await openPageShop(app)
    for (const link of [`/checkout/${other.id}/cart/${cart.id}`, `/checkout/${shop.id}/cart/cart_${'0'.repeat(26)}`])
      expect((await ask(link, 'ada@example.com')).status).toBe(404)
  })
})

describe('what the API tells by the id of a cart that was ordered', () => {
  it('is nothing of the order, to a public key', async () => {
    const { cart, url } = await orderedCart()
    const token = url.split('/').at(-1) ?? ''
    const told = [
      await shop.succeed(200, 'GET', `carts/${cart.id}`),
      await shop.succeed(200, 'GET', `carts/${cart.id}/items`),
      await shop.succeed(201, 'GET', `checkouts/${cart.id}?type=cart`),
    ].map((body) => JSON.stringify(body).toLowerCase())
    for (const secret of ['lovelace', 'main street', 'ada@example', token.toLowerCase()])
      expect(told.filter((text) => text.includes(secret))).toEqual([])
    // Only the token finds its receipt.
    for (const path of [`checkouts/${cart.id}/receipt`, `checkouts/${cart.id}/live`])
      expect((await shop.call('GET', path)).status).toBe(404)
  })
})
