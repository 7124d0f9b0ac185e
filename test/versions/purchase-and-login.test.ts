// @sampled: `npm test` plays the oldest version and the newest, `npm run proof` all five.
// A whole purchase, its refund and the customer's login, in five versions, each with its own requests, names and ids. The golden bodies
// check every field; here each response leads to the next request.

import { expect, it, vi } from 'vitest'
import { HEAD } from '../../src/versions/index.ts'
import { ADDRESS, NUMBER, openCaptureShop } from '../api/checkouts/capture-support.ts'
import { addAsset, type Shop } from '../api/products/support.ts'
import { type CallOptions, testApp } from '../support/app.ts'
import { isProof } from '../support/proof.ts'
import { price } from '../support/shop.ts'

type Body = Record<string, unknown>
type Thing = Body & { id: string }
type Method = 'GET' | 'POST' | 'PUT'

/** Names and paths that differ between versions. `cart`: path in the response of an add. `amount`: path of the first payment's amount. */
const NEWEST = {
  groups: 'variant_groups',
  chosen: 'options',
  choices: 'selected_options.0.group_id',
  cart: null as string | null,
  refusal: 'unprocessable_entity',
  meta: 'meta',
  picture: 'image.url',
  collected: 'collected',
  downloads: 'fulfillment.digital.downloads.0',
  download: 'dwnld_',
  shipped: 'fulfillment.physical.items',
  amount: 'payments.0.amount.raw',
}
type Words = typeof NEWEST

const AT_2021_09_29: Words = { ...NEWEST, cart: 'cart' }
const AT_2021_03_10: Words = { ...AT_2021_09_29, chosen: 'variant', picture: 'media.source' }
const AT_2020_08_26: Words = {
  ...AT_2021_03_10,
  groups: 'variants',
  choices: 'variants.0.variant_id',
  collected: 'collects',
  download: 'ful_',
}
const AT_2020_02_01: Words = {
  ...AT_2020_08_26,
  refusal: 'validation',
  meta: 'metadata',
  downloads: 'fulfillment.digital.0',
  shipped: 'fulfillment.shipping.items',
  amount: 'payment.amount',
}

const app = await testApp({ trustProxy: () => true })
const shop = await openCaptureShop(app)
const picture = await addAsset(app, shop as unknown as Shop)
const file = await addAsset(app, shop as unknown as Shop, { isImage: false })
const { id: shirt } = await shop.product({
  name: 'Shirt',
  assets: [picture.id],
  variant_groups: [{ name: 'Size', options: [{ name: 'S', price: 1 }] }],
})
const { id: book } = await shop.product({
  name: 'Book',
  delivery: { physical: false, digital: { packages: [{ asset: file.id, name: 'The book' }] } },
})
const { public: open, secret } = shop.keys.sandbox

/** Returns the value at a path, such as `live.line_items.0.id`. */
const at = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((found, name) => (found as Body | null | undefined)?.[name], body)

const client =
  (version: string) =>
  async <T = Thing>(status: number, method: Method, path: string, by: CallOptions = {}): Promise<T> => {
    app.clock.advance(1)
    const key = by.headers ? {} : { key: open }
    const answer = await app.call(method, `/v1/${path}`, { ...key, version, ...by })
    expect([path, answer.status, answer.text]).toEqual([path, status, answer.text])
    return answer.body as T
  }

type Client = ReturnType<typeof client>

/** Fills a cart with a product's options, and returns its token. */
async function fillCart(ask: Client, words: Words): Promise<Thing> {
  const product = await ask(200, 'GET', `products/${shirt}`)
  const [group, option] = [at(product, `${words.groups}.0.id`), at(product, `${words.groups}.0.options.0.id`)]
  expect(at(product, words.picture)).toBe(picture.url)
  const cart = await ask(201, 'GET', 'carts')
  const line = { id: shirt, quantity: 1, [words.chosen]: { [String(group)]: option } }
  const added = await ask(200, 'POST', `carts/${cart.id}`, { body: line })
  const shown = words.cart === null ? added : at(added, words.cart)
  expect([at(shown, 'id'), at(shown, `line_items.0.${words.choices}`)]).toEqual([cart.id, group])
  await ask(200, 'POST', `carts/${cart.id}`, { body: { id: book, quantity: 1, [words.chosen]: null } })
  return ask(201, 'GET', `checkouts/${cart.id}?type=cart`)
}

async function pay(ask: Client, words: Words, token: Thing, email: string): Promise<Thing> {
  const [method] = await ask<Thing[]>(200, 'GET', `checkouts/${token.id}/helper/shipping_options?country=US`)
  const lines = at(token, 'live.line_items') as Thing[]
  const form = {
    line_items: Object.fromEntries(lines.map(({ id }) => [id, { quantity: 1 }])),
    customer: { firstname: 'Ada', lastname: 'Lovelace', email },
    shipping: ADDRESS,
    fulfillment: { shipping_method: method?.id },
    payment: {
      gateway: 'test_gateway',
      card: { number: NUMBER, expiry_month: '01', expiry_year: '2031', cvc: '123', postal_zip_code: '94107' },
    },
    [words.meta]: { source: 'advert' },
  }
  const path = `checkouts/${token.id}`
  const refused = await ask(422, 'POST', path, { body: { ...form, shipping: { ...ADDRESS, street: '' } } })
  const sentence = 'shipping.street is required.'
  expect(refused.error).toEqual(
    words.refusal === 'validation'
      ? { type: 'validation', message: [{ param: 'shipping[street]', error: sentence }] }
      : {
          type: 'unprocessable_entity',
          message: 'Enter the street.',
          code: 'missing_field',
          params: { field: 'street' },
          errors: { 'shipping.street': [sentence] },
        },
  )
  const order = await ask(200, 'POST', path, { body: form })
  expect(await ask(200, 'GET', `${path}/receipt`)).toEqual(order)
  return order
}

/** The merchant revokes the download, changes its metadata, and refunds the money. Returns the order afterwards. */
async function refund(ask: Client, words: Words, order: Thing): Promise<Thing> {
  const path = `orders/${order.id}`
  const shown = at(order, `${words.downloads}.packages.0`) as Thing
  expect(shown.id).toMatch(new RegExp(`^${words.download}`))
  const download = `${path}/fulfillments/digital/packages/${shown.id}`
  expect(await ask(200, 'GET', download, { key: secret })).toEqual(shown)
  const taken = await ask(200, 'PUT', download, { key: secret, body: { is_access_revoked: true } })
  expect(taken).toEqual({ ...shown, is_access_revoked: true })
  const changed = await ask(200, 'PUT', path, { key: secret, body: { [words.meta]: { source: 'shop' } } })
  expect(changed[words.meta]).toEqual({ source: 'shop' })
  const refunded = await ask(200, 'POST', `${path}/refund`, { key: secret, body: { reason: 'Too small' } })
  expect([refunded.status_payment, at(refunded, 'order.total_paid.raw')]).toEqual(['refunded', 0])
  expect(at(refunded, 'refunds.0')).toMatchObject({ type: 'full', amount: price(26, '26.00'), reason: 'Too small' })
  expect(await ask(200, 'GET', path, { key: secret })).toEqual(refunded)
  return refunded
}

/** Logs in by mail; the test reads it like a storefront's developer in the sandbox. */
async function logIn(ask: Client, email: string): Promise<{ customer_id: string; jwt: string }> {
  const body = { email, base_url: 'https://shop.example/login/{token}' }
  expect(await ask(200, 'POST', 'customers/email-token', { body })).toEqual({ success: true })
  const worker = app.startJobs()
  const outbox = `developer/outbox?to=${encodeURIComponent(email)}`
  const mailed = async () => {
    worker.poke()
    const { data = [] } = await ask<{ data?: { text: string }[] }>(200, 'GET', outbox, { key: secret })
    const found = data.flatMap(({ text }) => /shop\.example\/login\/([0-9A-Za-z]+)/.exec(text)?.[1] ?? [])
    expect(found).toHaveLength(1)
    return found[0]
  }
  const token = await vi.waitFor(mailed, { timeout: 60_000, interval: 20 }).finally(() => worker.stop())
  return ask(200, 'POST', 'customers/exchange-token', { body: { token } })
}

const PLAYED = [
  ['2020-02-01', AT_2020_02_01],
  [HEAD, NEWEST],
] as const
const PLAYED_IN_PROOF = [
  ['2020-08-26', AT_2020_08_26],
  ['2021-03-10', AT_2021_03_10],
  ['2021-09-29', AT_2021_09_29],
] as const

it.each([...PLAYED, ...(isProof ? PLAYED_IN_PROOF : [])])(
  'a purchase, its refund and the login of the customer work as clients of %s do them',
  async (version, words) => {
    const ask = client(version)
    const email = `ada.${version}@example.com`
    const token = await fillCart(ask, words)
    const order = await pay(ask, words, token, email)
    expect(order[words.meta]).toEqual({ source: 'advert' })
    expect(at(order, words.amount)).toBe(26)
    expect(at(order, words.shipped)).toHaveLength(1)
    expect(at(order, `order.line_items.0.${words.picture}`)).toBe(picture.url)
    expect(at(order, `${words.collected}.shipping_address`)).toBe(true)
    expect(order).not.toHaveProperty(words.collected === 'collected' ? 'collects' : 'collected')

    const refunded = await refund(ask, words, order)
    const { customer_id: id, jwt } = await logIn(ask, email)
    const session = { headers: { authorization: `Bearer ${jwt}` } }
    expect(id).toBe(at(order, 'customer.id'))
    expect(await ask(200, 'GET', `customers/${id}`, session)).toMatchObject({ id, email, firstname: 'Ada' })
    expect(await ask(200, 'GET', `customers/${id}/orders`, session)).toHaveProperty('data', [refunded])
    expect(await ask(200, 'GET', `customers/${id}/orders/${order.id}`, session)).toEqual(refunded)
  },
)
