// The token that the link of a cart made, which everybody knows who has opened the link before it was paid. What the buyer has typed and bought is
// shown to the browser that paid, and to who knows the e-mail address of the order; not to who knows the token.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { DAY } from '../../support/shop.ts'
import { ADDRESS, CARD, cardOf, type Fields, follow, type Loaded, load, openPageShop, post, send } from './support.ts'

const SETTLE_SECONDS = 2
const app = await testApp({ trustProxy: ['127.0.0.1'], captureSettleSeconds: SETTLE_SECONDS })
const shop = await openPageShop(app)
const { secret } = shop.keys.sandbox
await shop.succeed(201, 'POST', 'gateways', { code: 'test_redirect' }, secret)
const product = await shop.product({ name: 'Tea', price: 10 })

let places = 0
/** Networks that nobody has guessed from yet. */
const newPlace = () => ({ 'x-forwarded-for': `203.0.113.${++places}` })

const BUYER: Fields = { ...ADDRESS, 'fulfillment[shipping_method]': shop.method }
const REDIRECT: Fields = { 'payment[gateway]': 'test_redirect' }
const ORDERED = 'This cart has been ordered'

/** Keeps cookies, and follows redirects only when told to. */
class Shopper {
  cookie = ''
  readonly #place = newPlace()

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
    return { headers: { ...this.#place, ...(this.cookie === '' ? {} : { cookie: this.cookie }) } }
  }

  #keep(page: Loaded): Loaded {
    const set = page.headers['set-cookie']
    if (typeof set === 'string') this.cookie = set.split(';')[0] ?? ''
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
  expect((await buyer.pay(shared.url, CARD)).location).toBe(`${shared.url}/receipt?lang=en`)
  return { ...shared, buyer }
}

function tellsNothing({ html, headers, location }: Loaded) {
  const all = `${html} ${JSON.stringify(headers)} ${location ?? ''}`.toLowerCase()
  for (const known of ['lovelace', 'main street', 'ada@example', 'atmpt_', 'ord_']) expect(all).not.toContain(known)
}

const pagesOf = (url: string) => ['', '/continue', '/wait', '/receipt'].map((below) => `${url}${below}`)

const refreshOf = ({ html }: Loaded) => /http-equiv="refresh" content="\d+;url=([^"]*)"/.exec(html)?.[1] ?? ''
const backIn = ({ html }: Loaded) => /href="([^"]*\/back[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''

describe('the token of a cart’s link, after somebody has paid', () => {
  it('shows a tab that was open before nothing of the order', async () => {
    const { url } = await paidToken()
    for (const page of pagesOf(url)) {
      const stranger = new Shopper()
      tellsNothing(await stranger.load(page))
      const shown = await stranger.open(page)
      expect([shown.status, shown.text.includes(ORDERED)]).toEqual([200, true])
      tellsNothing(shown)
    }
    const sent = await new Shopper().post(url, { ...BUYER, 'customer[email]': 'else@example.com', do: 'pay' })
    expect(sent.location).toMatch(/\/receipt$/)
    tellsNothing(sent)
  })

  it('opens the receipt in the browser that paid', async () => {
    const { url, link, buyer } = await paidToken()
    for (const page of [...pagesOf(url), link]) expect((await buyer.open(page)).text).toContain('Ada Lovelace')
  })

  it('takes no cookie that was made up of what strangers know', async () => {
    const { url, id, cart } = await paidToken()
    const nobody = '0'.repeat(26)
    for (const value of [
      id,
      `${id}~`,
      `${id}~${id}`,
      `${id}~${cart.id}`,
      `${id}~ord_${nobody}`,
      `${id}~atmpt_${nobody}`,
    ]) {
      const stranger = new Shopper()
      stranger.cookie = `cartwright-paid=${value}`
      tellsNothing(await stranger.open(`${url}/receipt`))
    }
  })

  it('takes no cookie of a payment that did not become the order', async () => {
    const { url } = await sharedToken()
    const early = new Shopper()
    expect((await early.pay(url, { ...REDIRECT, 'customer[email]': 'else@example.com' })).location).toContain(
      '/continue',
    )
    const buyer = new Shopper()
    expect((await buyer.pay(url, CARD)).location).toBe(`${url}/receipt?lang=en`)
    expect(early.cookie).toMatch(/^cartwright-paid=chkt_\w+~atmpt_\w+$/)
    expect((await early.open(url)).text).toContain(ORDERED)
    expect((await buyer.open(url)).text).toContain('Ada Lovelace')
  })

  it('opens the receipt after the e-mail address of the order was entered, also without cookies', async () => {
    const { url } = await paidToken()
    const other = new Shopper()
    const wrong = await other.post(`${url}/receipt`, { email: 'else@example.com' })
    expect([wrong.status, wrong.text.includes('This is not the e-mail address of the order.')]).toEqual([422, true])
    tellsNothing({ ...wrong, html: wrong.html.replace('else@example.com', '') })
    const right = await other.post(`${url}/receipt`, { email: ' ADA@example.com' })
    expect([right.status, right.text.includes('Ada Lovelace')]).toEqual([200, true])
    expect((await other.open(url)).text).toContain('Ada Lovelace')
  })

  it('takes ten addresses an hour, in all its forms and that of the cart’s link together', async () => {
    const { url, link } = await paidToken()
    const statuses: number[] = []
    for (let time = 0; time < 4; time++) {
      const email = `guess${time}@example.com`
      statuses.push((await new Shopper().post(`${url}/receipt`, { email })).status)
      statuses.push((await new Shopper().post(link, { email })).status)
      statuses.push((await new Shopper().post(url, { 'customer[email]': email, do: 'pay' })).status)
    }
    expect(statuses).toEqual([422, 422, 303, 422, 422, 303, 422, 422, 303, 422, 429, 429])
    tellsNothing(await new Shopper().post(`${url}/receipt`, { email: 'ada@example.com' }))
  })

  it('opens the receipt where the button was pressed twice and the first answer got lost', async () => {
    const { url } = await paidToken()
    const again = new Shopper()
    const sent = await again.post(url, { ...BUYER, ...CARD, do: 'pay' })
    expect(sent.location).toBe(`${url}/receipt`)
    expect((await again.open(url)).text).toContain('Ada Lovelace')
  })

  it('tells no more when the token itself is gone', async () => {
    const { url, id, buyer } = await paidToken()
    app.clock.advance(8 * DAY)
    expect(await app.db.run(forgetToken, { merchant_id: shop.id, id })).toBe(1)
    tellsNothing(await new Shopper().open(url))
    expect((await buyer.open(url)).text).toContain('Ada Lovelace')
  })

  it('finds no receipt by a public key, and finds it by a secret one', async () => {
    const { id } = await paidToken()
    expect((await shop.call('GET', `checkouts/${id}/receipt`)).status).toBe(404)
    const order = await shop.succeed<Order>(200, 'GET', `checkouts/${id}/receipt`, undefined, secret)
    expect(order.customer.email).toBe('ada@example.com')
  })
})

const forgetToken = statement(
  'test.forget_checkout',
  'delete from checkouts where merchant_id = :merchant_id and id = :id',
)

describe('the token of a cart’s link, while somebody pays', () => {
  it('leads who comes back from a provider to the receipt, in the same browser and in another', async () => {
    for (const comesBackAs of ['same', 'other'] as const) {
      const { url } = await sharedToken()
      const buyer = new Shopper()
      const on = await buyer.load((await buyer.pay(url, REDIRECT)).location ?? '')
      const provider = refreshOf(on)
      const back = backIn(await load(app, provider))
      await post(app, `${provider}/approve`, {})
      const returning = comesBackAs === 'same' ? buyer : new Shopper()
      expect((await returning.open(back)).text).toContain('Ada Lovelace')
      expect((await returning.open(url)).text).toContain('Ada Lovelace')
      tellsNothing(await new Shopper().open(url))
    }
  })

  it('leads the browser that has begun it to the receipt also where the tab was closed', async () => {
    const { url } = await sharedToken()
    const buyer = new Shopper()
    const on = await buyer.load((await buyer.pay(url, REDIRECT)).location ?? '')
    await post(app, `${refreshOf(on)}/approve`, {})
    const jobs = app.startJobs()
    await expect.poll(async () => (await load(app, url)).location).toBe(`${url}/receipt`)
    await jobs.stop()
    expect((await buyer.open(url)).text).toContain('Ada Lovelace')
  })

  it('leads nobody else to the provider’s page, nor to what was typed', async () => {
    const { url } = await sharedToken()
    const buyer = new Shopper()
    const on = await buyer.load((await buyer.pay(url, REDIRECT)).location ?? '')
    const provider = refreshOf(on)
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
      else expect(end.form).toMatchObject(ADDRESS)
    }
  })
})

describe('a token that a storefront has made of a cart', () => {
  it('opens its receipt by its address, and by a public key', async () => {
    const cart = await shop.cart([{ id: product.id, quantity: 1 }])
    const { id } = await shop.succeed<{ id: string }>(201, 'GET', `checkouts/${cart.id}?type=cart`)
    const url = shop.path({ id })
    const page = await load(app, url)
    const typed = { ...BUYER, ...CARD }
    const paid = await send(app, url, await send(app, url, page, typed, 'update'), typed, 'pay')
    expect((await follow(app, paid)).text).toContain('Ada Lovelace')
    expect((await new Shopper().open(url)).text).toContain('Ada Lovelace')
    expect((await shop.call('GET', `checkouts/${id}/receipt`)).status).toBe(200)
  })
})
