// POST /v1/checkouts/{id} with `expected_total`: what was shown to the shopper is what is charged, or nothing is.

import { describe, expect, it } from 'vitest'
import type { Live } from '../../../src/api/checkouts/schema.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { errorBody } from '../../http/harness.ts'
import type { Answer } from '../../support/app.ts'
import { sharedApp } from '../../support/app.ts'
import { countRows } from '../../support/rows.ts'
import { bodyOf } from '../../support/shop.ts'
import { toldOf } from '../words.ts'
import { digital, digitalBody, openCaptureShop } from './capture-support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const secret = shop.keys.sandbox.secret
await shop.taxZone({ country: 'DE', rates: [{ type: 'VAT', rate: 0.19 }] })
const thing = await shop.product()
const file = await shop.product({ ...digital, price: 10, inventory: { available: 50 } })

const attempts = (token: { id: string }) =>
  countRows(app.db, 'capture_attempts', { merchant_id: shop.id, checkout_id: token.id })
const refusal = (due: string, live: unknown) => ({
  error: toldOf({
    type: 'conflict',
    message: `expected_total is not what is due: ${due} USD. Show the totals, and send that once the shopper agrees.`,
  }),
  status_code: 409,
  live,
})
const liveIn = (answer: Answer) => (answer.body as { live: Live }).live

describe('an expected total', () => {
  it.each([15, '15', '15.00', ' 15.0 ', null, '', ' '])('that is due, or none, as %j, is charged', async (sent) => {
    const order = await shop.order(await shop.token({ id: thing.id }), shop.body({ expected_total: sent }))
    expect(order.order_value.raw).toBe(15)
  })

  it.each([14.99, '15.01', 0])(
    'that is not due, as %j, is a 409 with the live totals; nothing is held',
    async (sent) => {
      const token = await shop.token({ id: file.id })
      const live = await shop.live(token)
      const answer = await shop.capture(token, digitalBody({ expected_total: sent }))
      expect([answer.status, answer.body]).toEqual([409, refusal('10.00', live)])
      expect(await attempts(token)).toBe(0)
      // The token can be captured all the same.
      const order = await shop.order(token, digitalBody({ expected_total: liveIn(answer).total_due.raw }))
      expect([order.order_value.raw, await attempts(token)]).toEqual([10, 1])
    },
  )

  it('is compared with what this very capture would charge: lines, codes, cards, amounts and tax of its body', async () => {
    const pwyw = await shop.product({ ...digital, price: 1, pay_what_you_want: true })
    const discount = await shop.discount({ type: 'percentage', value: 10, code: 'TENTH', limit: 1 })
    const card = await shop.giftCard({ value: 5, code: 'CARD' })
    const token = await shop.token({ id: file.id }, { id: pwyw.id })
    const [line] = token.line_items
    const body = digitalBody({
      line_items: { [line?.id ?? '']: { quantity: 2 } },
      discount_code: discount.code,
      giftcard_code: card.code,
      pay_what_you_want: 7,
      billing: { country: 'DE' },
    })
    // (2 × 10 + 7) less a tenth, with 19 %, less the card.
    const due = 23.92
    const answer = await shop.capture(token, { ...body, expected_total: (await shop.live(token)).total_due.raw })
    const live = liveIn(answer)
    expect([answer.status, live.total_due.raw]).toEqual([409, due])
    expect(live).toMatchObject({
      line_items: [{ quantity: 2 }, { quantity: 1 }],
      discount: [{ code: 'TENTH' }],
      giftcard: { code: 'CARD', credit: { raw: 5 } },
      pay_what_you_want: { customer_set_price: { raw: 7 } },
      tax: { zone: { country: 'DE' } },
    })
    expect([
      await shop.succeed(200, 'GET', `discounts/${discount.id}`, undefined, secret),
      await shop.succeed(200, 'GET', `giftcards/${card.id}`, undefined, secret),
      await shop.succeed(200, 'GET', `products/${file.id}`, undefined, secret),
    ]).toMatchObject([{ used: 0 }, { balance: { raw: 5 } }, { inventory: { held: 0 } }])
    const order = await shop.order(token, { ...body, expected_total: due })
    expect(order.transactions).toMatchObject([{ amount: { raw: due } }])
  })

  it('is zero where nothing is due', async () => {
    const free = await shop.product({ ...digital, price: 0 })
    const answer = await shop.capture(await shop.token({ id: free.id }), digitalBody({ expected_total: 1 }))
    expect([answer.status, liveIn(answer).total_due.raw]).toEqual([409, 0])
    await shop.order(await shop.token({ id: free.id }), digitalBody({ expected_total: '0.00' }))
  })

  it('is asked for last: what else is wrong may change what is due', async () => {
    const token = await shop.token({ id: thing.id })
    const missing = { 'shipping.country': ['shipping.country is required.'] }
    expect(await shop.errors(token, digitalBody({ expected_total: 1 }))).toMatchObject(missing)
  })

  it('belongs to the capture: sent again it gives the order, and another is another capture', async () => {
    const token = await shop.token({ id: file.id })
    const body = digitalBody({ expected_total: 10 })
    const order = await shop.order(token, body)
    // What it would cost now is asked of nobody any more.
    await shop.call('PUT', `products/${file.id}`, { price: 11 }, secret)
    expect((await shop.order(token, body)).id).toBe(order.id)
    const message = 'There is an order for this checkout token already, and it was captured with another body.'
    const other = await shop.capture(token, { ...body, expected_total: 11 })
    expect(bodyOf(409, other)).toEqual(errorBody(409, 'conflict', message))
    await shop.call('PUT', `products/${file.id}`, { price: 10 }, secret)
  })

  it('that is not due does not use up an Idempotency-Key: nothing was done, and the price may come back', async () => {
    const token = await shop.token({ id: file.id })
    const headers = { 'idempotency-key': 'expected' }
    const send = (expected_total: number) => {
      const body = digitalBody({ expected_total })
      return app.call('POST', `/v1/checkouts/${token.id}`, { key: shop.keys.sandbox.public, headers, body })
    }
    expect([(await send(9)).status, (await send(8)).status]).toEqual([409, 409])
    await shop.call('PUT', `products/${file.id}`, { price: 9 }, secret)
    const made = await send(9)
    expect([made.status, made.headers['idempotency-replayed']]).toEqual([200, undefined])
    const again = await send(9)
    expect([(again.body as Order).id, again.headers['idempotency-replayed']]).toEqual([(made.body as Order).id, 'true'])
    await shop.call('PUT', `products/${file.id}`, { price: 10 }, secret)
  })

  it('that is not due is answered with live as each version knows it', async () => {
    const token = await shop.token({ id: file.id })
    const headers = { 'service-version': '2020-07-01' }
    const key = shop.keys.sandbox.public
    const live = (await app.call('GET', `/v1/checkouts/${token.id}/live`, { key, headers })).body
    const body = digitalBody({ expected_total: 1 })
    const answer = await app.call('POST', `/v1/checkouts/${token.id}`, { key, headers, body })
    expect(bodyOf(409, answer)).toEqual(refusal('10.00', live))
    expect(live).toMatchObject({ future_charges: [] })
    expect(await shop.live(token)).not.toHaveProperty('future_charges')
  })
})
