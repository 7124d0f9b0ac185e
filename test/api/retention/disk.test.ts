// A disk that is nearly full: strangers save nothing more, and everything can still be read, sold down and deleted.

import { describe, expect, it } from 'vitest'
import { slices } from '../../../src/app.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { digital, digitalBody, openCaptureShop } from '../checkouts/capture-support.ts'

const connection = await cloneDatabase()
/** On the same database: the usual one, one whose disk is short, and one that can write nothing. */
const app = await testApp({ connection })
const short = await testApp({ connection, minFreeDiskMb: 100_000_000 })
const readOnly = await testApp({
  connection: { ...connection, options: '-c default_transaction_read_only=on' } as never,
})

const NO_ROOM = {
  error: {
    type: 'unavailable',
    message: 'The server is low on disk space and cannot save anything at the moment. Try again later.',
  },
  status_code: 503,
}

const shop = await openCaptureShop(app)
const { public: open, secret } = shop.keys.sandbox
const product = await shop.product(digital)
const cart = await shop.cart([{ id: product.id }])
const token = await shop.ofCart(cart.id)

/** The address of an endpoint, with things that exist. */
const addressOf = (path: string) =>
  path
    .replace('/v1/checkouts/:id?', `/v1/checkouts/${product.id}?`)
    .replace('/v1/checkouts/tokens/:id', `/v1/checkouts/tokens/${token.id}`)
    .replace('/v1/checkouts/:id/', `/v1/checkouts/${token.id}/`)
    .replace(':checkout_token_id', token.id)
    .replace(':cart_id', cart.id)
    .replace(':line_item_id', token.line_items[0]?.id ?? '')
    .replace(':country_code', 'US')
    .replace(':id', product.id)

const QUERIES: Record<string, string> = {
  'checkouts.create': '?type=product_id',
  'checkouts.check_quantity': '?amount=1',
  'checkouts.check_discount': '?code=NONE',
  'checkouts.check_giftcard': '?code=NONE',
  'checkouts.check_shipping': '?country=US',
  'checkouts.check_pay_what_you_want': '?customer_set_price=10',
  'checkouts.set_tax_zone': '?country=US',
  'checkouts.shipping_options': '?country=US',
}

/** Each new cart has an id and a time of its own. */
const comparable = (operation: string, body: unknown) =>
  operation === 'carts.create'
    ? { ...(body as object), id: '', created: 0, updated: 0, expires: 0, hosted_checkout_url: '' }
    : body

const endpoints = slices.flatMap((slice) => slice.endpoints).filter(({ access }) => access === 'public')
const reads = endpoints.filter(({ method, writes }) => method === 'GET' && !writes)
const writes = endpoints.filter(({ method, writes }) => method !== 'GET' || writes)

describe('below the mark', () => {
  it.each(writes)('a public key is refused: $operation', async ({ method, path, operation }) => {
    const url = addressOf(path) + (QUERIES[operation] ?? '')
    const answer = await short.call(method, url, { key: open, ...(method === 'GET' ? {} : { body: {} }) })
    expect([answer.status, answer.body, answer.headers['retry-after']]).toEqual([503, NO_ROOM, '60'])
  })

  it.each(reads)('a public key reads: $operation', async ({ path, operation }) => {
    const url = addressOf(path) + (QUERIES[operation] ?? '')
    const usual = await app.call('GET', url, { key: open })
    expect(usual.status).toBeLessThan(500)
    const answer = await short.call('GET', url, { key: open })
    expect([answer.status, comparable(operation, answer.body)]).toEqual([
      usual.status,
      comparable(operation, usual.body),
    ])
    // And it does nothing but read: an endpoint that saves must say so.
    const { status, body } = await readOnly.call('GET', url, { key: open })
    expect([status, comparable(operation, body)]).toEqual([usual.status, comparable(operation, usual.body)])
  })

  it('the secret key goes on: it sells, changes and deletes', async () => {
    const made = await short.call('GET', `/v1/checkouts/${product.id}?type=product_id`, { key: secret })
    expect(made.status).toBe(201)
    const { id } = made.body as { id: string }
    expect((await short.call('POST', `/v1/checkouts/${id}`, { key: secret, body: digitalBody() })).status).toBe(200)
    expect(
      (await short.call('PUT', `/v1/products/${product.id}`, { key: secret, body: { name: 'Less' } })).status,
    ).toBe(200)
    expect((await short.call('DELETE', `/v1/carts/${cart.id}`, { key: secret })).status).toBe(204)
  })

  it('no file is taken, with the request or at a signed address', async () => {
    const contents = Buffer.from('%PDF-1.4\n').toString('base64')
    const sent = await short.call('POST', '/v1/assets', { key: secret, body: { filename: 'a.pdf', contents } })
    expect([sent.status, sent.body]).toEqual([503, NO_ROOM])
    const url = await short.call('POST', '/v1/assets', {
      key: secret,
      body: { filename: 'a.pdf', url: 'https://files.example/a.pdf' },
    })
    expect([url.status, url.body]).toEqual([503, NO_ROOM])
    const pending = await app.call('POST', '/v1/assets', { key: secret, body: { filename: 'a.pdf', pending: true } })
    const { upload_url: address } = pending.body as { upload_url: string }
    const upload = await short.server.inject({ method: 'PUT', url: address, payload: '%PDF-1.4\n' })
    expect([upload.statusCode, upload.json()]).toEqual([503, NO_ROOM])
  })
})
