// GET /v1/checkouts/{id}/check/pay_what_you_want and /check/is_free.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { bodyOf, malformed, price } from '../../support/shop.ts'
import { besideStatement, openCheckoutShop } from './support.ts'

const app = await sharedApp()
const shop = await openCheckoutShop(app)
const gift = await shop.product({ price: 10, pay_what_you_want: true })
const plain = await shop.product({ price: 4 })
const set = (token: { id: string }, amount: string) =>
  shop.call('GET', `checkouts/${token.id}/check/pay_what_you_want?customer_set_price=${amount}`)

describe('check/pay_what_you_want', () => {
  it.each(['25.00', '20', '1000000000'])('sets %s, which is no less than the catalogue asks', async (amount) => {
    const token = await shop.token({ id: gift.id, quantity: 2 }, { id: plain.id })
    const answer = await set(token, amount)
    const live = await shop.live(token)
    const shown = { raw: Number(amount) }
    expect(bodyOf(200, answer)).toEqual({ valid: true, customer_set_price: expect.objectContaining(shown), live })
    expect(live.pay_what_you_want).toMatchObject({ enabled: true, minimum: { raw: 20 }, customer_set_price: shown })
    expect([live.subtotal.raw, answer.headers['cache-control']]).toEqual([Number(amount) + 4, 'no-store'])
  })

  it('refuses less with the minimum, and saves nothing', async () => {
    const token = await shop.token({ id: gift.id, quantity: 2 })
    await set(token, '30')
    const before = await shop.get(token)
    app.clock.advance(1)
    expect(bodyOf(200, await set(token, '19.99'))).toEqual({
      valid: false,
      minimum: price(20, '20.00'),
      customer_set_price: price(19.99, '19.99'),
      message: 'Please pay $20.00 or more.',
      live: before.live,
    })
    expect(await shop.get(token)).toEqual(before)
  })

  it('refuses more than can be paid, and any amount where nothing is pay what you want', async () => {
    const token = await shop.token({ id: gift.id })
    expect((await set(token, '1000000000.01')).body).toEqual({
      valid: false,
      minimum: price(10, '10.00'),
      customer_set_price: price(1_000_000_000.01, '1,000,000,000.01'),
      message: 'This is more than you can pay here.',
      live: token.live,
    })
    const other = await shop.token({ id: plain.id })
    expect((await set(other, '5')).body).toEqual({
      valid: false,
      minimum: null,
      customer_set_price: price(5, '5.00'),
      message: 'Nothing in this order has a price that you choose.',
      live: other.live,
    })
  })

  it('tells when the amount is no longer enough for what was saved in the meantime', async () => {
    const token = await shop.token({ id: gift.id })
    const path = `checkouts/${token.id}/check/${token.products[0]?.id}/quantity?amount=2`
    // The line grows after the amount was judged, and before it is saved.
    besideStatement(app, 'after', 'checkouts.find', () => shop.succeed(200, 'GET', path))
    const { body } = await set(token, '11')
    const live = await shop.live(token)
    expect(body).toMatchObject({ valid: false, minimum: price(20, '20.00'), live })
    expect(live.pay_what_you_want.customer_set_price).toBeNull()
  })

  it('takes no amount that is badly formed', async () => {
    const token = await shop.token({ id: gift.id })
    const rule = 'customer_set_price must be a number or a decimal string such as 12.00, in USD.'
    for (const [amount, sentence] of [
      ['ten', rule],
      ['', rule],
      ['1,000', rule],
      ['-1', 'customer_set_price must not be negative.'],
      ['10.001', 'customer_set_price must have at most 2 decimals, as USD has.'],
    ] as const) {
      const answer = await set(token, amount)
      expect([amount, answer.status, answer.body]).toEqual([amount, 422, malformed({ customer_set_price: [sentence] })])
    }
  })
})

it('check/is_free tells whether anything is left to pay', async () => {
  const token = await shop.token({ id: plain.id })
  const ask = () => shop.call('GET', `checkouts/${token.id}/check/is_free`)
  const answer = await ask()
  expect(bodyOf(200, answer)).toEqual({ is_free: false, live: token.live })
  expect(answer.headers['cache-control']).toBe('no-store')
  await shop.giftCard({ value: 4, code: 'ALL-OF-IT' })
  await shop.succeed(200, 'GET', `checkouts/${token.id}/check/giftcard?code=ALL-OF-IT`)
  expect((await ask()).body).toEqual({ is_free: true, live: await shop.live(token) })
})
