// An order of which a part was given back: partially_refunded from 2022-07-21 on, before that paid; its refunds partial, before that full.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/api/orders/schema.ts'
import { openShop } from '../api/orders/support.ts'
import { testApp } from '../support/app.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const key = shop.keys.sandbox.secret
const SDK = { 'x-chec-agent': 'commerce.js/v2' }

const order = await shop.order()
const whole = await shop.order()
app.clock.advance(1)

describe('an order of which a part was given back', () => {
  it.each([
    ['2022-07-21', {}, 'partially_refunded', 'partial'],
    [undefined, {}, 'partially_refunded', 'partial'],
    [undefined, SDK, 'partially_refunded', 'partial'],
    ['2021-10-06', {}, 'paid', 'full'],
    ['2020-08-12', {}, 'paid', 'full'],
    ['2020-02-01', {}, 'paid', 'full'],
  ])(
    'at %s with %j is %s, its refund %s, where it is refunded, read and listed',
    async (version, headers, status, type) => {
      const told = { key, headers, ...(version === undefined ? {} : { version }) }
      app.clock.advance(1)
      const refunded = await app.call('POST', `/v1/orders/${order.id}/refund`, { ...told, body: { amount: 0.5 } })
      const read = await app.call('GET', `/v1/orders/${order.id}`, told)
      const list = await app.call('GET', `/v1/orders?query=${order.id}`, told)
      const [listed] = (list.body as { data: Order[] }).data
      for (const shown of [refunded.body, read.body, listed] as Order[]) {
        expect(shown.status_payment).toBe(status)
        expect(new Set(shown.refunds.map((refund) => refund.type))).toEqual(new Set([type]))
      }
    },
  )

  it('is refunded in every version once nothing is left', async () => {
    await shop.succeed(200, 'POST', `/${whole.id}/refund`)
    for (const version of ['2022-07-21', '2021-10-06', '2020-02-01']) {
      const read = (await app.call('GET', `/v1/orders/${whole.id}`, { key, version })).body as Order
      expect([read.status_payment, read.refunds[0]?.type]).toEqual(['refunded', 'full'])
    }
  })
})
