// @proof: it buys on three addresses, and looks through all that is kept.
// No stored row names a host that only a request named: a shop is built, sold from and refunded, then every row is read.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/api/orders/schema.ts'
import type { AppOptions } from '../../src/app.ts'
import { statement } from '../../src/db/db.ts'
import { base64, pdf, png } from '../api/assets/support.ts'
import { everyRow } from '../faults/card-scan.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { cloneDatabase } from '../support/database.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Thing = { id: string; url: string }
type Redirect = { paykey: string; redirect_url: string }
type Shown = Order & { order: { line_items: { image: { url: string } | null }[] } }

const PUBLIC = 'https://api.shop.example'

/** All that an address can get into. Gives the replies as they were sent. */
async function live(app: TestApp, headers: Record<string, string>) {
  const { id: merchant_id, keys } = await app.merchant()
  const replies: string[] = []
  const call = async <T>(
    method: Method,
    path: string,
    body?: unknown,
    { key = keys.sandbox.secret, more = {} } = {},
  ) => {
    app.clock.advance(1)
    const answer = await app.call(method, path.startsWith('/') ? path : `/v1/${path}`, {
      key,
      headers: { ...headers, ...more },
      body,
    })
    expect([path, answer.status, answer.status < 400 ? '' : answer.text]).toEqual([path, answer.status, ''])
    replies.push(answer.text)
    return answer.body as T
  }
  const SHOPPER = { key: keys.sandbox.public }

  const picture = await call<Thing>('POST', 'assets', { filename: 'mug.png', contents: base64(png()) })
  const file = await call<Thing>('POST', 'assets', { filename: 'a.pdf', contents: base64(pdf()), private: true })
  const waiting = await call<Thing>('POST', 'assets', { filename: 'later.png', pending: true })
  await call('PUT', `assets/${picture.id}`, { description: 'A mug' })
  await call('DELETE', `assets/${waiting.id}`)
  const top = await call<Thing>('POST', 'categories', { slug: 'top', name: 'Top', assets: [picture.id] })
  const below = await call<Thing>('POST', 'categories', { slug: 'below', name: 'Below', parent_id: top.id })
  await call('PUT', `categories/${below.id}`, { name: 'Underneath', assets: [picture.id] })
  await call('DELETE', `categories/${top.id}`)
  await call('PUT', 'merchants', { logo: picture.id })
  await call('POST', 'gateways', { code: 'test_redirect', config: {} })
  const product = await call<Thing>('POST', 'products', {
    name: 'Thing',
    price: 10,
    assets: [picture.id],
    delivery: { physical: false, digital: { packages: [{ asset: file.id, name: 'A' }] } },
  })
  await call('PUT', `products/${product.id}`, { name: 'Thing of things' })

  const token = async () => {
    const { id: cart } = await call<Thing>('GET', 'carts', undefined, SHOPPER)
    await call('POST', `carts/${cart}`, { id: product.id }, SHOPPER)
    return call<Thing>('GET', `checkouts/${cart}?type=cart`, undefined, SHOPPER)
  }
  const customer = { email: 'ada@example.com' }
  const capture = <T = Shown>({ id }: Thing, payment: object, more: Record<string, string> = {}) =>
    call<T>('POST', `checkouts/${id}`, { customer, payment }, { ...SHOPPER, more })
  const card = (number: string) => ({ gateway: 'test_gateway', card: { number, cvc: '123' } })

  const bought = await token()
  const order = await capture(bought, card('4242 4242 4242 4242'), { 'idempotency-key': 'once' })
  const replayed = await capture(bought, card('4242 4242 4242 4242'), { 'idempotency-key': 'once' })
  const again = await capture(bought, card('4242 4242 4242 4242'))
  await call('GET', `checkouts/${bought.id}/receipt`, undefined, SHOPPER)
  await call('PUT', `orders/${order.id}`, { meta: { a: 1 } })
  await call('POST', `orders/${order.id}/receipt`)
  await call('POST', `orders/${order.id}/refund`, {})
  await call('POST', `orders/${order.id}/cancel`, {})

  const held = await capture(await token(), card('4000 0000 0000 0010'))
  await call('PUT', `orders/${held.id}/transactions/${held.transactions[0]?.id}`, { status: 'complete' })

  const elsewhere = await token()
  const redirect = await capture<Redirect>(elsewhere, { gateway: 'test_redirect' })
  const sentAgain = await capture<Redirect>(elsewhere, { gateway: 'test_redirect' })
  await call('GET', new URL(redirect.redirect_url).pathname)
  const unpaid = await capture<Redirect>(await token(), { gateway: 'test_redirect' })
  expect([redirect.paykey, sentAgain.redirect_url]).toEqual([sentAgain.paykey, redirect.redirect_url])
  await call('POST', `/test-gateway/${merchant_id}/${redirect.paykey}/approve`)
  const paid = await capture(elsewhere, { gateway: 'test_redirect' })

  await call('POST', 'customers/email-token', { ...customer, base_url: 'http://localhost:3000/' }, SHOPPER)
  return { merchant_id, keys, replies, order, replayed, again, paid, redirect, unpaid }
}

async function traces(app: Awaited<ReturnType<typeof open>>, text: string): Promise<string[]> {
  const found = new Set<string>()
  for await (const { table, row } of everyRow(app.connection)) if (row.includes(text)) found.add(table)
  return [...found].sort()
}

const waitingJobs = statement<{ count: number }>(
  'test.waiting_mails',
  `select count(*) from jobs
   where kind in ('orders.send_receipt', 'orders.send_mail', 'customers.login_mail') and failed_at is null`,
)

async function sendMails(app: TestApp) {
  const worker = app.startJobs()
  await expect
    .poll(
      async () => {
        worker.poke()
        return (await app.db.one(waitingJobs, {})).count
      },
      { timeout: 60_000 },
    )
    .toBe(0)
  await worker.stop()
}

const eventsOf = statement<{ name: string; text: string }>(
  'test.events_by_name',
  'select name, payload::text as text from events where merchant_id = :merchant_id order by created_at, name',
)

async function open(options: Partial<AppOptions> = {}) {
  const connection = await cloneDatabase()
  return Object.assign(await testApp({ connection, ...options }), { connection })
}

/** The names of those events whose payloads hold the text. */
const toldOf = async (app: TestApp, merchant_id: number, text: string) =>
  new Set(
    (await app.db.many(eventsOf, { merchant_id })).filter((event) => event.text.includes(text)).map(({ name }) => name),
  )

const TELLING = new Set([
  ...['assets.create', 'assets.delete', 'assets.update', 'categories.create', 'categories.delete', 'categories.update'],
  ...['orders.cancel', 'orders.create', 'orders.paid', 'orders.receipt.resend', 'orders.refund', 'orders.update'],
  ...['products.create', 'products.update'],
])

describe.each<[string, Partial<AppOptions>, Record<string, string>]>([
  ['a Host that nobody has vouched for', {}, { host: 'evil.example' }],
  ['one at another port than the one that is listed', { publicHosts: ['evil.example:8443'] }, { host: 'evil.example' }],
  ['one that a trusted proxy hands on', { trustProxy: ['loopback'] }, { 'x-forwarded-host': 'evil.example' }],
])('%s', (_what, options, headers) => {
  it('is in the replies, and in nothing that is kept', async () => {
    const app = await open(options)
    const shop = await live(app, headers)
    const origin = 'http://evil.example'
    const path = `/files/${shop.merchant_id}/`
    for (const { order } of [shop.order, shop.again, shop.paid])
      expect(order.line_items[0]?.image?.url).toMatch(new RegExp(`^${origin}${path}`))
    expect(shop.replayed).toEqual(shop.order)
    expect(shop.redirect.redirect_url).toBe(`${origin}/test-gateway/${shop.merchant_id}/${shop.redirect.paykey}`)
    expect(shop.replies.filter((text) => text.includes(origin)).length).toBeGreaterThan(20)
    expect(await traces(app, 'evil.example')).toEqual([])
    expect(await toldOf(app, shop.merchant_id, `"${path}`)).toEqual(TELLING)
    expect(await traces(app, '/fulfill/')).toContain('events')

    await sendMails(app)
    expect(await traces(app, 'evil.example')).toEqual([])
    const { data } = (await app.call('GET', '/v1/developer/outbox', { key: shop.keys.sandbox.secret })).body as {
      data: { kind: string; html: string }[]
    }
    expect(new Set(data.map(({ kind }) => kind))).toEqual(
      new Set(['login', 'receipt', 'new_order', 'refund', 'cancellation']),
    )
    for (const { html } of data) expect(html).not.toMatch(/<img|\/fulfill\/|\/dashboard|undefined/)
  })
})

describe.each<[string, Partial<AppOptions>, Record<string, string>, string]>([
  ['PUBLIC_URL', { publicUrl: PUBLIC, publicHosts: ['evil.example'] }, { host: 'evil.example' }, PUBLIC],
  ['this machine', {}, { host: 'LOCALHOST:4000' }, 'http://localhost:4000'],
  [
    'a host that PUBLIC_HOSTS names',
    { publicHosts: ['shop.example'] },
    { host: 'Shop.Example' },
    'http://shop.example',
  ],
  [
    'one of them that a trusted proxy hands on',
    { publicHosts: ['shop.example'], trustProxy: ['loopback'] },
    { host: 'evil.example', 'x-forwarded-host': 'other.example, shop.example' },
    'http://shop.example',
  ],
])('%s', (_what, options, headers, origin) => {
  it('begins addresses in replies, events and mails; orders keep none', async () => {
    const app = await open(options)
    const shop = await live(app, headers)
    expect(shop.order.order.line_items[0]?.image?.url).toMatch(new RegExp(`^${origin}/files/`))
    expect(shop.replayed).toEqual(shop.order)
    expect(shop.redirect.redirect_url).toMatch(new RegExp(`^${origin}/test-gateway/`))
    expect(await toldOf(app, shop.merchant_id, `"${origin}/files/`)).toEqual(TELLING)
    expect(await toldOf(app, shop.merchant_id, `"/files/`)).toEqual(new Set())
    expect(await traces(app, 'evil.example')).toEqual([])
    for (const table of ['orders', 'test_charges', 'carts', 'products', 'assets'])
      expect(await traces(app, origin)).not.toContain(table)
    await sendMails(app)
    expect(await traces(app, `${origin}/fulfill/`)).toContain('mails')
    expect(await traces(app, 'evil.example')).toEqual([])
  })
})

describe('the answer that an Idempotency-Key keeps', () => {
  it('is given again with our own addresses at the host of who asks, and no other letter changed', async () => {
    const app = await open()
    const { id, keys } = await app.merchant()
    const send = async (host: string) => {
      const headers = { host, 'idempotency-key': 'once' }
      const answer = await app.call('POST', '/v1/products', { key: keys.sandbox.secret, headers, body: OWN_TEXT })
      return { ...answer, body: answer.body as typeof OWN_TEXT & { permalink: string } }
    }
    // The merchant's own shop has a name that begins with ours, and he may write the address of one of our files.
    const OWN_TEXT = {
      name: 'Thing http://shop',
      price: 1,
      permalink: 'thing',
      description: `http://shop.example/terms http://shop/ http://shop http://shop/files/${id}/a http:\\/\\/shop\\/v1\\/`,
      thank_you_url: 'http://shop.example/thanks',
    }
    const first = await send('shop')
    const again = await send('other:8080')
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true'])
    const { name, description, thank_you_url } = OWN_TEXT
    const checkoutAt = (origin: string) => ({
      checkout: `${origin}/checkout/${id}/thing?checkout=true&sandbox=true`,
      display: `${origin}/checkout/${id}/thing?sandbox=true`,
    })
    expect(first.body).toMatchObject({ name, description, thank_you_url, checkout_url: checkoutAt('http://shop') })
    expect(again.body).toEqual({ ...first.body, checkout_url: checkoutAt('http://other:8080') })
    expect((await send('shop')).text).toBe(first.text)
  })
})
