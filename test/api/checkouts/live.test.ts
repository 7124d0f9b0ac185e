// GET /v1/checkouts/{token}/live: totals that follow the catalogue and what has been chosen so far.

import { expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { price, unixNow } from '../../support/shop.ts'
import { amounts, openCheckoutShop } from './support.ts'

const app = await sharedApp()
const shop = await openCheckoutShop(app)
const secret = shop.keys.sandbox.secret

/** The sum without anything chosen. */
const plain = (sum: number) => {
  const sums = { subtotal: sum, total: sum, with_tax: sum, due: sum }
  return { ...sums, saved: 0, shipping: 0, adjusted: 0, tax: 0 }
}

it('the live totals show all that has been chosen, in the token and by themselves alike', async () => {
  const own = await openCheckoutShop(app)
  const [cup, book] = [await own.product({ name: 'Cup' }), await own.product({ name: 'Book', tax_exempt: true })]
  const zone = await own.zone({ countries: ['US', 'CA'] })
  const [state, city] = [
    { type: 'state', rate: '0.04' },
    { type: 'city', rate: 0.045 },
  ]
  await own.taxZone({ country: 'US', region: 'NY', rates: [state, city] })
  const code = await own.discount({ type: 'fixed', value: 4, code: 'FOUR' })
  const card = await own.giftCard({ value: 20, code: 'CARD' })
  const token = await own.token({ id: cup.id, quantity: 2 }, { id: book.id })
  const methodId = zone.methods[0]?.id ?? ''
  await own.choose.shipping(token, 'US', 'NY', methodId)
  await own.choose.tax(token, { country: 'US', region: 'NY', postal_code: '10001', ip_address: '203.0.113.7' })
  await own.choose.discount(token, code)
  await own.choose.giftCard(token, card)
  await own.set(token, {
    adjustments: [
      { description: 'Box', amount: 1.5 },
      { amount: -0.5, taxable: true },
    ],
  })

  // 20.00 + 10.00 - 4.00 - 0.50 are shared out as 17.00 and 8.50.
  const part = (type: string, rate: number, amount: number, formatted: string) => ({
    amount: price(amount, formatted),
    rate,
    rate_percentage: `${rate * 100}%`,
    type,
  })
  const parts = [part('state', 0.04, 0.68, '0.68'), part('city', 0.045, 0.77, '0.77')]
  const live = await own.call('GET', `checkouts/${token.id}/live`)
  expect(live.body).toMatchObject({
    line_items: [
      { tax: { taxable_amount: price(17, '17.00'), amount: price(1.45, '1.45'), breakdown: parts } },
      { tax: { is_taxable: false, taxable_amount: price(0, '0.00'), amount: price(0, '0.00'), breakdown: null } },
    ],
    shipping: { available_options: [{ id: methodId }], id: methodId, description: 'Post', price: price(5, '5.00') },
    discount: [{ code: 'FOUR', amount_saved: price(4, '4.00') }],
    giftcard: { id: card.id, code: 'CARD', balance: 0, credit: price(20, '20.00') },
    tax: {
      amount: price(1.45, '1.45'),
      breakdown: parts,
      zone: { country: 'US', region: 'NY', postal_zip_code: '10001', ip_address: '203.0.113.7' },
    },
    adjustments: {
      taxable: price(-0.5, '-0.50'),
      untaxable: price(1.5, '1.50'),
      total: price(1, '1.00'),
      breakdown: [
        { description: 'Box', amount: price(1.5, '1.50'), taxable: false },
        { description: null, amount: price(-0.5, '-0.50'), taxable: true },
      ],
    },
    subtotal: price(30, '30.00'),
    total: price(32, '32.00'),
    total_with_tax: price(33.45, '33.45'),
    total_due: price(13.45, '13.45'),
  })
  const whole = await own.call('GET', `checkouts/tokens/${token.id}`)
  expect(whole.text).toContain(`"live":${live.text}}`)
  expect(whole.body).toMatchObject({ total_due: price(13.45, '13.45'), shipping: { id: methodId } })
})

it('a discount counts as long as it can be used', async () => {
  const product = await shop.product()
  const token = await shop.token({ id: product.id })
  const code = await shop.discount({ type: 'percentage', value: 25, code: 'QUARTER' })
  await shop.choose.discount(token, code)
  const saved = { ...plain(10), saved: 2.5, total: 7.5, with_tax: 7.5, due: 7.5 }
  expect(amounts(await shop.live(token))).toEqual(saved)
  const expires = unixNow(app) + 10
  await shop.succeed(200, 'PUT', `discounts/${code.id}`, { expires }, secret)
  app.clock.advance(9)
  expect(amounts(await shop.live(token))).toEqual(saved)
  app.clock.advance(1)
  expect(amounts(await shop.live(token))).toEqual(plain(10))
  await shop.succeed(200, 'PUT', `discounts/${code.id}`, { expires: null }, secret)
  expect(amounts(await shop.live(token))).toEqual(saved)
  await shop.succeed(204, 'DELETE', `discounts/${code.id}`, undefined, secret)
  const live = await shop.live(token)
  expect([amounts(live), live.discount]).toEqual([plain(10), []])
})

it('a gift card pays what it can, and is shown with what will be left on it', async () => {
  const product = await shop.product()
  const token = await shop.token({ id: product.id })
  const card = await shop.giftCard({ value: 35 })
  await shop.choose.giftCard(token, card)
  const live = await shop.live(token)
  expect([amounts(live), live.giftcard]).toEqual([
    { ...plain(10), due: 0 },
    { id: card.id, code: card.code, balance: 25, credit: price(10, '10.00') },
  ])
  expect((await shop.get(token)).is.cart_free).toBe(true)
  await shop.succeed(200, 'PUT', `giftcards/${card.id}`, { balance: 4 }, secret)
  expect(amounts(await shop.live(token))).toEqual({ ...plain(10), due: 6 })
  await shop.succeed(200, 'PUT', `giftcards/${card.id}`, { balance: 0 }, secret)
  const spent = await shop.live(token)
  expect([amounts(spent), spent.giftcard]).toEqual([plain(10), []])
})
