// @proof @alone: it replaces the document of the process.
// Three versions of the SDK, in Node, on the shop of a first start: from the list to the receipt, and the login. With an API version and without.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HEAD } from '../../src/versions/index.ts'
import { openFirstStart } from '../stores/open.ts'
import { triedTable } from '../stores/tried.ts'
import { PATIENT } from './shop.ts'
import { type Sdk, sdkInNode } from './surroundings.ts'

const { app, url, publicKey, secretKey } = await openFirstStart()
// Mails are sent by jobs.
app.startJobs()

const TRIED = [
  { sdk: 'commerce.js-2.0', version: null },
  { sdk: 'commerce.js-2.0', version: '2020-02-01' },
  { sdk: 'commerce.js-2.2', version: null },
  { sdk: 'commerce.js-2.2', version: '2021-03-10' },
  { sdk: '@chec/commerce.js', version: null },
  { sdk: '@chec/commerce.js', version: '2021-03-10' },
  { sdk: '@chec/commerce.js', version: '2021-09-29' },
  { sdk: '@chec/commerce.js', version: HEAD },
].map((each, index) => ({
  ...each,
  release: JSON.parse(readFileSync(new URL(`../../node_modules/${each.sdk}/package.json`, import.meta.url), 'utf8'))
    .version as string,
  // Each buys for itself: a link is mailed to one address once in a minute.
  email: `ada${index}@example.com`,
}))

// The SDK's answers, as far as they are looked at. Where a name is older or newer than the version it is absent.
type Price = { raw: number }
type Group = { id: string; name: string; options: { id: string; name: string }[] }
type Product = {
  id: string
  name: string
  price: Price
  image?: { url: string } | null
  media?: { source: string } | null
  variant_groups?: Group[]
  variants?: Group[]
}
type Line = {
  id: string
  quantity: number
  selected_options?: { option_name: string }[]
  variants?: { option_name: string }[]
}
type Cart = { id: string; line_items: Line[]; subtotal: Price }
type Live = { discount: unknown; shipping: { price: Price }; total: Price }
type Order = { id: string; customer_reference: string; order_value: Price; customer: { id: string; email: string } }
type Way = { id: string; description: string }
type Session = { customer_id: string; jwt: string }
const table = triedTable('sdk', ['SDK, in Node', 'Version it names', 'From the list to the receipt, and the login'])

// Before 2.4 the SDK keeps the id of the cart in a cookie of the page, and asks for one in Node too.
const surrounding = globalThis as { document?: unknown }
beforeAll(() => {
  surrounding.document = { cookie: '' }
})
afterAll(() => {
  delete surrounding.document
})

describe('the SDK on the shop of a first start', () => {
  it.each(TRIED)('sells: $release, version $version', async ({ sdk, release, version, email }) => {
    surrounding.document = { cookie: '' }
    await table.try([release, version ?? 'none'], 'sells', async (steps) => {
      const commerce = await sdkInNode({ key: publicKey, url, version: version ?? undefined, release: sdk })
      steps('the list')
      const { data } = await commerce.call<{ data: Product[] }>('products.list', { limit: 50 })
      const mug = data.find(({ name }) => name === 'Stoneware Mug')
      expect(mug?.price.raw).toBe(18)
      steps('the product')
      const product = await commerce.call<Product>('products.retrieve', mug?.id)
      const [picture] = [product.media?.source, product.image?.url].filter((address) => address !== undefined)
      expect((await fetch(picture ?? '')).headers.get('content-type')).toMatch(/^image\//)
      const [colour] = product.variant_groups ?? product.variants ?? []
      const sage = colour?.options.find(({ name }) => name === 'Sage')
      steps('the cart')
      const options = { [colour?.id ?? '']: sage?.id }
      const { cart } = await commerce.call<{ cart: Cart }>('cart.add', product.id, 1, options)
      const [line] = cart.line_items
      expect((line?.selected_options ?? line?.variants)?.map((option) => option.option_name)).toEqual(['Sage'])
      const changed = await commerce.call<{ cart: Cart }>('cart.update', line?.id, { quantity: 2 })
      expect([changed.cart.line_items[0]?.quantity, changed.cart.subtotal.raw]).toEqual([2, 36])
      steps('the token')
      const token = await commerce.call<{ id: string; live: Live }>('checkout.generateTokenFrom', 'cart', cart.id)
      expect(token.live.discount).toEqual([])
      steps('shipping')
      const place = { country: 'CA', region: 'BC' }
      const ways = await commerce.call<Way[]>('checkout.getShippingOptions', token.id, place)
      const parcel = ways.find(({ description }) => description === 'Parcel, 3 to 6 days')?.id
      const choice = await commerce.call('checkout.checkShippingOption', token.id, {
        shipping_option_id: parcel,
        ...place,
      })
      expect(choice).toMatchObject({ valid: true, live: { shipping: { price: { raw: 10.5 } } } })
      steps('the discount')
      const discount = await commerce.call('checkout.checkDiscount', token.id, { code: 'WELCOME10' })
      expect(discount).toMatchObject({
        valid: true,
        live: { discount: { code: 'WELCOME10', amount_saved: { raw: 3.6 } }, total: { raw: 42.9 } },
      })
      steps('paying')
      const order = await commerce.call<Order>('checkout.capture', token.id, {
        customer: { email, firstname: 'Ada', lastname: 'Byron' },
        shipping: {
          name: 'Ada Byron',
          street: '1 Main Street',
          town_city: 'Vancouver',
          county_state: 'BC',
          postal_zip_code: 'V6B 1A1',
          country: 'CA',
        },
        fulfillment: { shipping_method: parcel },
        payment: {
          gateway: 'test_gateway',
          card: { number: '4242 4242 4242 4242', expiry_month: '01', expiry_year: '2023', cvc: '123' },
        },
      })
      expect(order).toMatchObject({ order_value: { raw: 46.79 }, customer: { email } })
      steps('the receipt')
      expect(await commerce.call('checkout.receipt', token.id)).toMatchObject({
        id: order.id,
        customer_reference: order.customer_reference,
        order_value: { raw: 46.79 },
      })
      steps('the login')
      const session = await logIn(commerce, email)
      expect(session).toEqual({
        customer_id: order.customer.id,
        jwt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      })
      if (!(await knowsCustomers(commerce))) return
      const { customer_id: id, jwt } = session
      const orders = await commerce.call<{ data: Order[] }>('customer.getOrders', id, jwt)
      expect(orders.data.map((each) => each.id)).toEqual([order.id])
    })
  })

  it('is what docs/moving-in.md says was tried', () => table.compare())
})

/** Before 2.4 the SDK knew none: its storefronts called the addresses themselves. */
const knowsCustomers = async (commerce: Sdk) => (await commerce.methods()).includes('customer.login')

/** Logs in by the mailed link. */
async function logIn(commerce: Sdk, email: string): Promise<Session> {
  const isKnown = await knowsCustomers(commerce)
  const baseUrl = 'https://shop.example/login?token={token}'
  await (isKnown
    ? commerce.call('customer.login', email, baseUrl)
    : commerce.call('request', 'customers/email-token', 'post', { email, base_url: baseUrl }))
  const findLink = async () => {
    // A page has twenty: those to others, and to the merchant of each order, could be all of them.
    const outbox = `/v1/developer/outbox?to=${encodeURIComponent(email)}`
    const { body } = await app.call('GET', outbox, { key: secretKey })
    const mails = (body as { data: { text: string }[] }).data
    return mails.map(({ text }) => /https:\/\/shop\.example\/login\?token=([\w-]+)/.exec(text)?.[1]).find(Boolean)
  }
  await expect.poll(findLink, PATIENT).toBeDefined()
  const token = (await findLink()) ?? ''
  return isKnown
    ? commerce.call('customer.getToken', token, false)
    : commerce.call('request', 'customers/exchange-token', 'post', { token })
}
