// The link of a cart, and the token that everybody knows who opened the link before it was paid. The browser that paid sees the order, and
// so does who knows its e-mail address. Knowing the link or the token is not enough. pay.test.ts has tokens that storefronts have made of carts.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { testApp } from '../../support/app.ts'
import { changeRows } from '../../support/rows.ts'
import { DAY } from '../../support/shop.ts'
import {
  ADDRESS,
  backIn,
  CARD,
  cardOf,
  type Fields,
  type Loaded,
  load,
  openPageShop,
  post,
  refreshOf,
} from './support.ts'

const SETTLE_SECONDS = 2
const app = await testApp({ trustProxy: ['127.0.0.1'], captureSettleSeconds: SETTLE_SECONDS })
const shop = await openPageShop(app)
const { secret } = shop.keys.sandbox
await shop.succeed(201, 'POST', 'gateways', { code: 'test_redirect' }, secret)
const product = await shop.product({ name: 'Tea', price: 10 })

const BUYER: Fields = { ...ADDRESS, 'fulfillment[shipping_method]': shop.method }
const REDIRECT: Fields = { 'payment[gateway]': 'test_redirect' }
const ORDERED = 'This cart has been ordered'
const NOT_THE_ADDRESS = 'This is not the e-mail address of the order.'
const NOBODY = '0'.repeat(26)

let places = 0

/** Keeps cookies, comes from a network of its own, and follows redirects only by `open`. */
class Shopper {
  cookie = ''
  /** The last cookie with its attributes. */
  set = ''
  readonly #headers: Record<string, string>

  constructor(headers: Record<string, string> = {}) {
    this.#headers = { 'x-forwarded-for': `203.0.113.${++places}`, ...headers }
  }

  async load(url: string) {
    return this.#keep(await load(app, url, this.#options()))
  }

  async post(url: string, fields: Fields) {
    return this.#keep(await post(app, url, fields, this.#options()))
  }

  /** Loads a page, and whatever it leads to. */
  async open(url: string): Promise<Loaded> {
    let page = await this.load(url)
    for (let hops = 0; page.status === 303 && hops < 6; hops++) page = await this.load(page.location ?? '')
    return page
  }

  /** Fills in the form of the token, and presses the button. */
  async pay(url: string, typed: Fields) {
    const { form } = await this.post(url, { ...(await this.load(url)).form, ...BUYER, do: 'update' })
    return this.post(url, { ...form, ...BUYER, ...typed, do: 'pay' })
  }

  #options() {
    return { headers: { ...this.#headers, ...(this.cookie === '' ? {} : { cookie: this.cookie }) } }
  }

  #keep(page: Loaded): Loaded {
    const set = page.headers['set-cookie']
    if (typeof set !== 'string') return page
    this.set = set
    this.cookie = set.split(';')[0] ?? ''
    return page
  }
}

/** The address that the link of a new cart leads everybody to. */
async function sharedToken() {
  const cart = await shop.cart([{ id: product.id, quantity: 1 }])
  const link = `/checkout/${shop.id}/cart/${cart.id}`
  const url = (await load(app, link)).location ?? ''
  return { cart, link, url, id: url.split('/').at(-1) ?? '' }
}

async function paidToken() {
  const shared = await sharedToken()
  const buyer = new Shopper()
  const paid = await buyer.pay(shared.url, { ...CARD, 'customer[email]': 'Ada@Example.com' })
  expect(paid.location).toBe(`${shared.url}/receipt?lang=en`)
  return { ...shared, buyer }
}

/** It holds nothing of the order, the payment or the buyer. */
function tellsNothing({ html, headers, location }: Loaded) {
  const all = `${html} ${JSON.stringify(headers)} ${location ?? ''}`.toLowerCase()
  for (const known of ['lovelace', 'main street', 'ada@example', 'atmpt_', 'ord_']) expect(all).not.toContain(known)
}

async function opensReceipt(shopper: Shopper, ...urls: readonly string[]) {
  for (const url of urls) expect((await shopper.open(url)).text).toContain('Ada Lovelace')
}

const guess = (url: string, email: string, shopper = new Shopper()) => shopper.post(url, { email })

const pagesOf = (url: string) => ['', '/continue', '/wait', '/receipt'].map((below) => `${url}${below}`)

describe('the link of a cart that was ordered, and its token', () => {
  it('says so, and shows a stranger nothing of the order, also in a tab that was open before', async () => {
    const { link, url, id } = await paidToken()
    const page = await load(app, link)
    expect([page.status, page.headers['cache-control'], page.location]).toEqual([200, 'no-store', null])
    expect(`${page.html} ${JSON.stringify(page.headers)}`).not.toContain(id)
    const head = await app.server.inject({ method: 'HEAD', url: link })
    expect([head.statusCode, head.headers.location]).toEqual([200, undefined])
    for (const each of [link, ...pagesOf(url)]) {
      const stranger = new Shopper()
      tellsNothing(await stranger.load(each))
      const shown = await stranger.open(each)
      expect([shown.status, shown.text.includes(ORDERED)]).toEqual([200, true])
      tellsNothing(shown)
    }
    const sent = await new Shopper().post(url, { ...BUYER, 'customer[email]': 'else@example.com', do: 'pay' })
    expect(sent.location).toMatch(/\/receipt$/)
    tellsNothing(sent)
  })

  it('leads the browser that paid to the receipt, of every cart that it has paid for', async () => {
    const { link, url, buyer } = await paidToken()
    const attributes = `Path=/checkout/${shop.id}; Max-Age=604800; HttpOnly; SameSite=Lax`
    expect(buyer.set).toMatch(new RegExp(`^cartwright-paid=chkt_\\w+~ord_\\w+; ${attributes}$`))
    await opensReceipt(buyer, link, ...pagesOf(url))
    // A browser that has paid for another cart is a stranger.
    const other = await paidToken()
    tellsNothing(await buyer.load(other.link))
    expect((await guess(other.link, 'ada@example.com', buyer)).location).toBe(`${other.url}/receipt`)
    await opensReceipt(buyer, link, other.link)
    const secure = new Shopper({ 'x-forwarded-proto': 'https' })
    await guess(link, 'ada@example.com', secure)
    expect(secure.set).toMatch(/; Secure$/)
  })

  it('takes no cookie that was made up of what strangers know', async () => {
    const { link, url, id, cart } = await paidToken()
    const pairs = ['', id, cart.id, `ord_${NOBODY}`, `atmpt_${NOBODY}`].map((order) => `${id}~${order}`)
    for (const value of ['', '1', 'chkt_', `chkt_${NOBODY}`, cart.id, '.'.repeat(3_000), id, ...pairs]) {
      const stranger = new Shopper()
      stranger.cookie = `cartwright-paid=${value}`
      for (const page of [link, `${url}/receipt`]) tellsNothing(await stranger.open(page))
    }
  })

  it('takes no cookie of a payment that did not become the order', async () => {
    const { url } = await sharedToken()
    const early = new Shopper()
    const begun = await early.pay(url, { ...REDIRECT, 'customer[email]': 'else@example.com' })
    expect(begun.location).toContain('/continue')
    const buyer = new Shopper()
    expect((await buyer.pay(url, CARD)).location).toBe(`${url}/receipt?lang=en`)
    expect(early.cookie).toMatch(/^cartwright-paid=chkt_\w+~atmpt_\w+$/)
    expect((await early.open(url)).text).toContain(ORDERED)
    await opensReceipt(buyer, url)
  })

  it('opens the receipt for who enters the e-mail address of the order, in any case, also without cookies', async () => {
    const { link, url } = await paidToken()
    for (const email of ['ada@example.com', ' ADA@example.COM '])
      expect((await guess(link, email)).location).toBe(`${url}/receipt`)
    const german = await new Shopper().post(link, { email: 'ada@example.com', lang: 'de' })
    expect(german.location).toBe(`${url}/receipt?lang=de`)
    const other = new Shopper()
    const right = await guess(`${url}/receipt`, ' ADA@example.com', other)
    expect([right.status, right.text.includes('Ada Lovelace')]).toEqual([200, true])
    await opensReceipt(other, url)
  })

  it('answers every wrong address in the same way', async () => {
    const { link, url } = await paidToken()
    // Ten may be tried.
    for (const email of ['', 'ada@example.co', 'ada@example.com.au', '%', "' or 1=1 --"])
      for (const form of [link, `${url}/receipt`]) {
        const page = await guess(form, email)
        expect([email, page.status, page.text.includes(NOT_THE_ADDRESS)]).toEqual([email, 422, true])
        // The field shows again what was typed.
        tellsNothing({ ...page, html: page.html.replace(`value="${email}"`, '') })
      }
  })

  it('takes ten addresses an hour for an order, wherever they come from and at the same moment', async () => {
    const { link, url } = await paidToken()
    const told = await Promise.all(Array.from({ length: 15 }, (_, time) => guess(link, `guess${time}@example.com`)))
    const statuses = told.map(({ status }) => status)
    expect([422, 429].map((each) => statuses.filter((status) => status === each).length)).toEqual([10, 5])
    const right = await guess(link, 'ada@example.com')
    expect([right.status, right.location]).toEqual([429, null])
    tellsNothing(right)
    app.clock.advance(3_600)
    expect((await guess(link, 'ada@example.com')).location).toBe(`${url}/receipt`)
  })

  it('counts the addresses of all its forms together', async () => {
    const { url, link } = await paidToken()
    const statuses: number[] = []
    for (let time = 0; time < 4; time++) {
      const email = `guess${time}@example.com`
      for (const form of [`${url}/receipt`, link]) statuses.push((await guess(form, email)).status)
      statuses.push((await new Shopper().post(url, { 'customer[email]': email, do: 'pay' })).status)
    }
    expect(statuses).toEqual([422, 422, 303, 422, 422, 303, 422, 422, 303, 422, 429, 429])
    tellsNothing(await guess(`${url}/receipt`, 'ada@example.com'))
  })

  it('takes twenty addresses an hour from one place, for all orders together', async () => {
    const stranger = new Shopper()
    const statuses: number[] = []
    for (let cart = 0; cart < 3; cart++) {
      const { link } = await paidToken()
      for (let time = 0; time < 8; time++) statuses.push((await guess(link, `g${time}@example.com`, stranger)).status)
    }
    expect([422, 429].map((each) => statuses.filter((status) => status === each).length)).toEqual([20, 4])
  })

  it('leads back to paying once the cart is changed, also where the form of the old one is sent', async () => {
    const { cart, link } = await paidToken()
    await shop.succeed(200, 'POST', `carts/${cart.id}`, { id: product.id, quantity: 1 })
    expect((await load(app, link)).location).toMatch(/\/pay\/chkt_\w+$/)
    expect((await guess(link, 'ada@example.com')).location).toMatch(/\/pay\/chkt_\w+$/)
  })

  it('is 404 by a form too where the cart is another shop’s or nobody’s', async () => {
    const { cart } = await paidToken()
    const other = await openPageShop(app)
    for (const link of [`/checkout/${other.id}/cart/${cart.id}`, `/checkout/${shop.id}/cart/cart_${NOBODY}`])
      expect((await guess(link, 'ada@example.com')).status).toBe(404)
  })

  it('opens the receipt where the button was pressed twice and the first answer got lost', async () => {
    const { url } = await paidToken()
    const again = new Shopper()
    expect((await again.post(url, { ...BUYER, ...CARD, do: 'pay' })).location).toBe(`${url}/receipt`)
    await opensReceipt(again, url)
  })

  it('tells no more when the token itself is gone', async () => {
    const { url, id, buyer } = await paidToken()
    app.clock.advance(8 * DAY)
    expect(await changeRows(app.db, 'delete from checkouts', { merchant_id: shop.id, id })).toBe(1)
    tellsNothing(await new Shopper().open(url))
    await opensReceipt(buyer, url)
  })

  it('tells a public key nothing of the order, and finds the receipt by a secret one', async () => {
    const { cart, id } = await paidToken()
    const told = [
      await shop.succeed(200, 'GET', `carts/${cart.id}`),
      await shop.succeed(200, 'GET', `carts/${cart.id}/items`),
      await shop.succeed(201, 'GET', `checkouts/${cart.id}?type=cart`),
    ].map((body) => JSON.stringify(body).toLowerCase())
    for (const known of ['lovelace', 'main street', 'ada@example', id.toLowerCase()])
      expect(told.filter((text) => text.includes(known))).toEqual([])
    for (const path of [`checkouts/${cart.id}/receipt`, `checkouts/${cart.id}/live`, `checkouts/${id}/receipt`])
      expect((await shop.call('GET', path)).status).toBe(404)
    const order = await shop.succeed<Order>(200, 'GET', `checkouts/${id}/receipt`, undefined, secret)
    expect(order.customer.email.toLowerCase()).toBe('ada@example.com')
  })
})

describe('the token of a cart’s link, while somebody pays', () => {
  it('leads who comes back from a provider to the receipt, in the same browser and in another', async () => {
    for (const comesBackAs of ['same', 'other'] as const) {
      const { url } = await sharedToken()
      const buyer = new Shopper()
      const on = await buyer.load((await buyer.pay(url, REDIRECT)).location ?? '')
      const { url: provider } = refreshOf(on)
      const back = backIn(await load(app, provider))
      await post(app, `${provider}/approve`, {})
      const returning = comesBackAs === 'same' ? buyer : new Shopper()
      await opensReceipt(returning, back, url)
      tellsNothing(await new Shopper().open(url))
    }
  })

  it('leads the browser that has begun it to the receipt also where the tab was closed', async () => {
    const { url } = await sharedToken()
    const buyer = new Shopper()
    const on = await buyer.load((await buyer.pay(url, REDIRECT)).location ?? '')
    await post(app, `${refreshOf(on).url}/approve`, {})
    const jobs = app.startJobs()
    await expect.poll(async () => (await load(app, url)).location).toBe(`${url}/receipt`)
    await jobs.stop()
    await opensReceipt(buyer, url)
  })

  it('leads nobody else to the provider’s page, nor to what was typed', async () => {
    const { url } = await sharedToken()
    const buyer = new Shopper()
    const on = await buyer.load((await buyer.pay(url, REDIRECT)).location ?? '')
    const { url: provider } = refreshOf(on)
    for (const page of pagesOf(url)) {
      const shown = await new Shopper().open(page)
      expect([shown.form['customer[email]'] ?? '', shown.html.includes('/test-gateway/')]).toEqual(['', false])
      tellsNothing(shown)
    }
    const back = backIn(await load(app, provider))
    await post(app, `${provider}/decline`, {})
    for (const page of pagesOf(url)) tellsNothing(await new Shopper().open(page))
    expect((await buyer.open(back)).form).toMatchObject(ADDRESS)
  })

  it('tells nobody else which payment is being checked, or what was typed for it', async () => {
    for (const [ending, outcome] of [
      ['0440', 'order'],
      ['0408', 'nothing'],
    ] as const) {
      const { url } = await sharedToken()
      const buyer = new Shopper()
      const sent = await buyer.pay(url, cardOf(ending))
      expect(sent.location).toMatch(/\/wait\?payment=atmpt_\w+&lang=en$/)
      const stranger = new Shopper()
      const led = await stranger.load(url)
      expect(led.location).toBe(`${url}/wait`)
      tellsNothing(await stranger.open(url))
      // Another form is not the one that is being paid for.
      const other = await stranger.post(url, { ...BUYER, ...CARD, 'customer[email]': 'else@example.com', do: 'pay' })
      expect(other.location).toBe(`${url}/wait`)
      tellsNothing(other)
      app.clock.advance(SETTLE_SECONDS + 1)
      tellsNothing(await stranger.open(`${url}/wait`))
      for (const page of pagesOf(url)) tellsNothing(await stranger.open(page))
      const end = await buyer.open(sent.location ?? '')
      if (outcome === 'order') expect(end.text).toContain('Ada Lovelace')
      else {
        expect(end.form).toMatchObject(ADDRESS)
        expect(end.text).toMatch(/not been charged/)
        expect(end.html).not.toContain(`0000 ${ending}`)
      }
    }
  })
})
