// X17 for the request log: no key, card, password, login token, client secret or signing secret stands in any row, wherever it was sent or
// answered.

import { describe, expect, it } from 'vitest'
import { cardTraces, sentCards } from '../../faults/card-scan.ts'
import { administer, cloneDatabase } from '../../support/database.ts'
import { CARD, digital, digitalBody, openCaptureShop } from '../checkouts/capture-support.ts'
import { loggingApp } from './logs-support.ts'

const SIGNING_KEY = `whsec_${'c2lnbmluZyBzZWNyZXQgb2YgYSB3ZWJob29r'.repeat(2)}`

const connection = await cloneDatabase()
const { app, openShop } = await loggingApp({ connection })
const shop = await openShop()
const { sandbox, live } = shop.keys

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJjaWQiOiJjc3Rtcl8xIn0.c2lnbmF0dXJl'
const STRIPE_KEY = `sk_test_${'51H0abcdefGHIJ'.repeat(3)}`

/** Every row of the log that names one of these. */
async function rowsWith(secrets: readonly string[]): Promise<string[]> {
  const { rows } = await administer(connection, 'select to_json(kept)::text as row from request_log kept')
  return secrets.flatMap((secret) =>
    rows.filter(({ row }) => row.includes(secret)).map(({ row }) => `${secret} in ${row}`),
  )
}

describe('no secret reaches the request log', () => {
  it('of the key that a request is sent with, or names anywhere', async () => {
    const named = [sandbox.secret, live.secret, JWT]
    const headers = { 'user-agent': `app ${live.secret} ${JWT}`, 'idempotency-key': `k ${live.secret}` }
    const escaped = live.secret.replaceAll('_', '%5F')
    const path = `/v1/products/${live.secret}?key=${sandbox.secret}&jwt=${JWT}&password=swordfish&other=${escaped}`
    const { requestId } = await shop.send('GET', path, { headers })
    const log = await shop.get(requestId)
    expect(log.url).toBe('/v1/products/sk_***?key=sk_test_***&jwt=***&password=***&other=sk_***')
    const posted = await shop.send('POST', '/v1/categories', {
      body: { slug: 'x', name: `${live.secret} ${JWT}`, meta: { password: 'swordfish', api_key: 'a1b2c3' } },
    })
    await shop.get(posted.requestId)
    expect(await rowsWith([...named, escaped, 'swordfish', 'a1b2c3'])).toEqual([])
  })

  it('of a card and of what confirms it, whether the capture succeeds, is declined or is refused, in the newest version and the oldest', async () => {
    const buyer = await openCaptureShop(app)
    const cards = sentCards()
    const ids: string[] = []
    const product = await buyer.product({ price: 10, ...digital })
    const tokens = []
    /** The field that confirms a payment. */
    const confirmations: string[] = []
    for (const [card, version] of [
      [{ ...CARD.card, number: '4242 4242 4242 4242', cvc: 987 }, undefined],
      [{ ...CARD.card, number: '4000000000000002', cvc: '6543' }, undefined],
      [{ ...CARD.card, number: 4242424242424242, cvc: 987 }, undefined],
      [{ ...CARD.card, number: 4000000000000002, cvc: 6543 }, '2020-02-01'],
      [{ ...CARD.card, number: 4242424242424242, cvc: { code: 987 } }, undefined],
      [{ ...CARD.card, number: '4242-4242-4242-4242', cvc: 876 }, '2020-02-01'],
      [{ ...CARD.card, number: '4000000000003220', cvc: 765 }, undefined],
    ] as const) {
      const cart = await buyer.cart([{ id: product.id, quantity: 1 }])
      const token = await buyer.ofCart(cart.id)
      tokens.push(token.id)
      const body = digitalBody({ payment: { gateway: 'test_gateway', card } })
      cards.see(body)
      const answer = await shop.send('POST', `/v1/checkouts/${token.id}`, {
        key: buyer.keys.sandbox.public,
        body,
        version,
      })
      ids.push(answer.requestId)
      confirmations.push(...[...answer.text.matchAll(/_secret_(\w+)/g)].map(([, secret = '']) => secret))
    }
    const statuses: number[] = []
    for (const id of ids) {
      const log = await shop.get(id, buyer.keys.sandbox.secret)
      statuses.push(log.status_code)
      expect(log.request).toMatchObject({ customer: { email: 'ada@example.com' }, payment: { card: '***' } })
      expect(log.url).toBe('/v1/checkouts/chkt_***')
      expect(log.token_id).toMatch(/^chkt_[0-9A-Za-z]{9}…[0-9A-Za-z]{4}$/)
    }
    expect(statuses).toEqual([200, 402, 200, 402, 422, 200, 402])
    expect(confirmations).toHaveLength(1)
    expect(await cardTraces(connection, cards)).toEqual([])
    expect(await rowsWith([...tokens, ...confirmations])).toEqual([])
  })

  it('of a gateway’s credentials, accepted or refused', async () => {
    const config = {
      publishable_key: 'pk_test_abc',
      secret_key: STRIPE_KEY,
      webhook_secret: SIGNING_KEY,
      other: 'plainly',
    }
    const made = await shop.send('POST', '/v1/gateways', { body: { code: 'stripe', config } })
    const wrong = await shop.send('POST', '/v1/gateways', { body: { code: 'nobody', config } })
    expect(wrong.status).toBe(422)
    for (const { requestId } of [made, wrong])
      expect((await shop.get(requestId)).request).toMatchObject({ config: '***' })
    expect(await rowsWith([STRIPE_KEY, SIGNING_KEY, 'plainly'])).toEqual([])
  })

  it('of logging in: the token that was issued, the one that was sent, and the session', async () => {
    await shop.send('POST', '/v1/customers', { body: { email: 'ada@example.com' } })
    const issued = await shop.send('POST', '/v1/customers/issue-token', { body: { email: 'ada@example.com' } })
    const { token } = issued.body as { token: string }
    const session = await shop.send('POST', '/v1/customers/exchange-token', { key: sandbox.public, body: { token } })
    const { jwt, customer_id: customerId } = session.body as { jwt: string; customer_id: string }
    const used = await shop.send('POST', '/v1/customers/exchange-token', { key: sandbox.public, body: { token } })
    expect([issued.status, session.status, used.status]).toEqual([200, 200, 401])
    const lost = await shop.send('GET', `/v1/login/${token}`)
    const own = await shop.send('GET', `/v1/customers/${customerId}`, { headers: { authorization: `Bearer ${jwt}` } })
    expect((await shop.get(issued.requestId)).response).toEqual({ token: '***' })
    expect((await shop.get(session.requestId)).response).toEqual({ customer_id: customerId, jwt: '***' })
    expect((await shop.get(used.requestId)).request).toEqual({ token: '***' })
    expect((await shop.get(lost.requestId)).url).toBe('/v1/login/***')
    expect(await shop.get(own.requestId)).toMatchObject({ key_used: null, key_id: null, status_code: 200 })
    expect(await rowsWith([token, jwt])).toEqual([])
  })

  it('of an address that we have signed', async () => {
    const { requestId, body } = await shop.send('POST', '/v1/assets', { body: { filename: 'a.pdf', pending: true } })
    const signature = /(?:sig|signature)=([\w-]+)/.exec(JSON.stringify(body))?.[1] ?? ''
    expect(signature.length).toBeGreaterThan(15)
    await shop.get(requestId)
    expect(await rowsWith([signature])).toEqual([])
  })

  it('of a gift card: made, changed, looked for, tried and spent, in the newest version and the oldest', async () => {
    const buyer = await openCaptureShop(app)
    const key = buyer.keys.sandbox.public
    const secret = { key: buyer.keys.sandbox.secret }
    const requests: string[] = []
    const send = async (...args: Parameters<typeof shop.send>) => {
      const answer = await shop.send(...args)
      requests.push(answer.requestId)
      return answer
    }
    const codes = ['PLUM-7431', 'PEAR-8852', 'FIGS-9963', 'NUTS-1174', 'LIME-2285', 'KIWI-3396', 'DATE-4407']
    const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = '', seventh = ''] = codes
    const made = await send('POST', '/v1/giftcards', { ...secret, body: { value: 90, code: first } })
    expect(made.status).toBe(201)
    const { id } = made.body as { id: string }
    expect((await send('POST', '/v1/giftcards', { ...secret, body: { value: 90, code: first } })).status).toBe(422)
    const changed = await send('PUT', `/v1/giftcards/${id}`, { ...secret, body: { code: second } })
    expect(changed).toMatchObject({ status: 200, body: { code: second } })
    for (const path of ['', '/export']) await send('GET', `/v1/giftcards${path}?query=${third}&limit=5`, secret)

    const product = await buyer.product({ price: 10, ...digital })
    for (const [giftCard, version] of [
      [{ giftcard_code: second }, undefined],
      [{ gift_card: second, discount_code: fifth }, '2020-02-01'],
      [{ gift_card: { code: second } }, undefined],
      [{ giftcard_code: seventh }, undefined],
    ] as const) {
      const token = await buyer.ofCart((await buyer.cart([{ id: product.id, quantity: 1 }])).id)
      const check = `/v1/checkouts/${token.id}/check`
      await send('GET', `${check}/giftcard?code=${second}`, { key })
      await send('GET', `${check}/giftcard?code=${second}`, { key, version: '2020-02-01' })
      await send('GET', `${check}/giftcard?other=1&code=${fourth.replace('-', '%2D')}`, { key })
      await send('GET', `${check}/discount?code=${fifth}`, { key })
      await send('GET', `${check}/giftcards?code=${sixth}`, { key })
      await send('POST', `${check}/giftcard?code=${sixth}`, { key, body: { code: sixth, giftcard: { code: sixth } } })
      const body = { ...digitalBody({ payment: { gateway: 'test_gateway', card: CARD.card } }), ...giftCard }
      await send('POST', `/v1/checkouts/${token.id}`, { key, body, version })
    }
    for (const requestId of requests) await shop.get(requestId, secret.key)
    expect(await rowsWith(codes)).toEqual([])
    expect(await rowsWith([fourth.replace('-', '%2D'), 'PLUM', 'NUTS'])).toEqual([])
  })

  it('of the signing key of a webhook that is made or rotated, and of what a buyer downloads', async () => {
    const hook = await shop.send('POST', '/v1/webhooks', {
      body: { url: 'https://shop.example/hook', subscribed_events: ['orders.create'] },
    })
    const { id: hookId, signing_key: first } = hook.body as { id: string; signing_key: string }
    const rotated = await shop.send('POST', `/v1/webhooks/${hookId}/rotate`, { body: {} })
    const { signing_key: second } = rotated.body as { signing_key: string }
    expect([first, second]).toEqual([expect.stringMatching(/^\S{20,}$/), expect.stringMatching(/^\S{20,}$/)])
    for (const { requestId } of [hook, rotated]) await shop.get(requestId)
    expect(await rowsWith([first, second])).toEqual([])

    const buyer = await openCaptureShop(app)
    const asset = await shop.send('POST', '/v1/assets', {
      key: buyer.keys.sandbox.secret,
      body: { filename: 'plans.pdf', contents: 'JVBERi0xLjQKJSVFT0YK' },
    })
    const { id: assetId } = asset.body as { id: string }
    const product = await buyer.product({
      price: 10,
      delivery: { physical: false, digital: { packages: [{ asset: assetId }] } },
    })
    const token = await buyer.ofCart((await buyer.cart([{ id: product.id, quantity: 1 }])).id)
    const answer = await shop.send('POST', `/v1/checkouts/${token.id}`, {
      key: buyer.keys.sandbox.public,
      body: digitalBody({ payment: { gateway: 'test_gateway', card: CARD.card } }),
    })
    const links = [...answer.text.matchAll(/(?:sig|signature)=([\w-]+)/g)].flatMap(([, signature = '']) => signature)
    expect([answer.status, links.length > 0], answer.text).toEqual([200, true])
    await shop.get(answer.requestId, buyer.keys.sandbox.secret)
    expect(await rowsWith(links)).toEqual([])
  })

  it('and the scan finds what is there', async () => {
    expect((await rowsWith(['ada@example.com'])).length).toBeGreaterThan(0)
  })
})
