// Who may use /v1/orders: the secret key of the merchant and mode that an order belongs to, and nobody else.

import { expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { digital, NOT_FOUND, openShop, physical, UNKNOWN_ID } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const stranger = await openShop(app)
const order = await shop.order({ lines: [physical(), digital()] }, 'manual')
const item = order.fulfillment.physical.items[0]?.id ?? ''
const file = order.fulfillment.digital.downloads[0]?.packages[0]?.id ?? ''
const transaction = order.transactions[0]?.id ?? ''

const ENDPOINTS = [
  ['GET', '', undefined],
  ['PUT', '', { meta: { theirs: true } }],
  ['POST', '/refund', {}],
  ['POST', '/cancel', {}],
  ['PUT', `/transactions/${transaction}`, { status: 'complete' }],
  ['POST', '/receipt', undefined],
  ['GET', '/fulfillments', undefined],
  ['POST', '/fulfillments/physical/shipments', { items: [{ id: item, quantity: 1 }] }],
  ['PUT', `/fulfillments/physical/items/${item}`, { status: 'fulfilled' }],
  ['GET', '/fulfillments/digital/packages', undefined],
  ['GET', `/fulfillments/digital/packages/${file}`, undefined],
  ['PUT', `/fulfillments/digital/packages/${file}`, { is_access_revoked: true }],
] as const

const state = async () => [await shop.get(order.id), await shop.events(), await stranger.events()]

it.each(ENDPOINTS)(
  '%s /v1/orders/{id}%s is for the secret key of its merchant and mode',
  async (method, path, body) => {
    const before = await state()
    const forbidden = await shop.call(method, `/${order.id}${path}`, body, shop.keys.sandbox.public)
    expect([forbidden.status, forbidden.body]).toEqual([
      403,
      {
        error: { type: 'forbidden', message: 'A public key may not do this; use the secret key, from a server.' },
        status_code: 403,
      },
    ])
    expect((await app.call(method, `/v1/orders/${order.id}${path}`)).status).toBe(401)
    const unknown = await shop.call(method, `/${UNKNOWN_ID}${path}`, body)
    expect([unknown.status, unknown.body]).toEqual([404, NOT_FOUND()])
    const foreign = await stranger.call(method, `/${order.id}${path}`, body)
    const otherMode = await shop.call(method, `/${order.id}${path}`, body, shop.keys.live.secret)
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
    expect([otherMode.status, otherMode.text]).toEqual([404, unknown.text])
    expect(await state()).toEqual(before)
  },
)

it('the list of orders is for the secret key', async () => {
  expect((await shop.call('GET', '', undefined, shop.keys.sandbox.public)).status).toBe(403)
  expect((await stranger.call('GET', '')).body).toMatchObject({ data: [], meta: { pagination: { total: 0 } } })
})
