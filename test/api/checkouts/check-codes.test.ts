// GET /v1/checkouts/{id}/check/discount and /check/giftcard: codes that a shopper enters.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { bodyOf, malformedField, price, replyOf, unixNow } from '../../support/shop.ts'
import { openCheckoutShop } from './support.ts'

// Each shopper has an address of its own, as guesses are counted by it.
const app = await sharedApp()
const shop = await openCheckoutShop(app)

let shoppers = 0
const newAddress = () => `203.0.113.${++shoppers}`
const check = (token: { id: string }, path: string, address = newAddress()) =>
  app.call('GET', `/v1/checkouts/${token.id}/check/${path}`, {
    key: shop.keys.sandbox.public,
    headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'http' },
  })
const token = async (amount = 40) => shop.token({ id: (await shop.product({ price: amount })).id })

const REFUSED = 'This code cannot be used: it is wrong, has expired or is used up.'
const REFUSED_CARD = 'This gift card cannot be used: its code is wrong, or nothing is left on it.'
const TOO_MANY = 'Too many codes were tried. Please try again in a minute.'

describe.each([
  ['discount', { type: 'fixed', value: 1 }, { amount_saved: price(0, '0.00') }, REFUSED],
  ['giftcard', { value: 1 }, { credit: 0 }, REFUSED_CARD],
] as const)('check/%s', (kind, draft, nothing, message) => {
  const make = (code: string, more: object = {}) =>
    (kind === 'discount' ? shop.discount : shop.giftCard)({ ...draft, code: `${kind}-${code}`, ...more })

  it('refuses unknown and expired codes with one sentence, and leaves the one that applies', async () => {
    await make('kept')
    await make('gone', { expires: unixNow(app) + 1_000 })
    const bought = await token()
    expect((await check(bought, `${kind}?code=${kind}-kept`)).body).toMatchObject({ valid: true })
    app.clock.advance(1_000)
    const [live, { updated }] = [await shop.live(bought), await shop.get(bought)]
    for (const code of [`${kind}-gone`, 'none'])
      expect((await check(bought, `${kind}?code=${code}`)).body).toEqual({ valid: false, message, live })
    expect(live.total_due).toEqual(price(39, '39.00'))
    expect([await shop.live(bought), (await shop.get(bought)).updated]).toEqual([live, updated])
  })

  it('takes the code away when an empty one is entered, which is no guess', async () => {
    await make('dropped')
    const bought = await token()
    const address = newAddress()
    for (let time = 0; time < 12; time++) {
      const answer = await check(bought, `${kind}?code=`, address)
      expect([answer.status, answer.body]).toEqual([200, { valid: true, code: null, ...nothing, live: bought.live }])
    }
    expect((await check(bought, `${kind}?code=${kind}-dropped`, address)).body).toMatchObject({ valid: true })
    await check(bought, `${kind}?code=`, address)
    expect(await shop.live(bought)).toEqual(bought.live)
  })
})

describe('check/discount', () => {
  it('applies a code whatever its case, and another in its place', async () => {
    await shop.discount({ type: 'percentage', value: 12.5, code: 'EIGHTH' })
    await shop.discount({ type: 'fixed', value: 7, code: 'SEVEN' })
    const bought = await token()
    const answer = await check(bought, 'discount?code=+eighth+')
    const live = await shop.live(bought)
    const eighth = { type: 'percentage', code: 'EIGHTH', value: 12.5, amount_saved: price(5, '5.00') }
    expect(bodyOf(200, answer)).toEqual({ valid: true, ...eighth, live })
    expect([live.discount[0]?.code, live.total_due]).toEqual(['EIGHTH', price(35, '35.00')])
    expect(answer.headers['cache-control']).toBe('no-store')
    await check(bought, 'discount?code=SEVEN')
    expect((await shop.live(bought)).discount).toMatchObject([{ code: 'SEVEN', amount_saved: price(7, '7.00') }])
  })

  it('refuses a code for products that are not bought in its own words, which is no guess, and leaves the one that applies', async () => {
    const [bought, other] = [await shop.product({ price: 8 }), await shop.product()]
    await shop.discount({ type: 'percentage', value: 50, code: 'OTHERS', product_ids: [other.id] })
    await shop.discount({ type: 'percentage', value: 50, code: 'THESE', product_ids: [other.id, bought.id] })
    const checkout = await shop.token({ id: bought.id })
    const address = newAddress()
    const half = { valid: true, amount_saved: price(4, '4.00') }
    expect((await check(checkout, 'discount?code=THESE', address)).body).toMatchObject(half)
    const live = await shop.live(checkout)
    const refused = { valid: false, message: 'This code is for other products.', live }
    for (let time = 0; time < 12; time++)
      expect(bodyOf(200, await check(checkout, 'discount?code=OTHERS', address))).toEqual(refused)
    expect(await shop.live(checkout)).toEqual(live)
  })
})

it('check/giftcard pays with a card whatever the case of its code, as far as there is something to pay', async () => {
  await shop.giftCard({ value: 15, code: 'CARD-15' })
  await shop.giftCard({ value: 100, code: 'CARD-100' })
  const bought = await token()
  const answer = await check(bought, 'giftcard?code=card-15')
  const live = await shop.live(bought)
  expect([answer.status, answer.body]).toEqual([200, { valid: true, code: 'CARD-15', credit: 15, live }])
  expect([live.total_with_tax, live.total_due]).toEqual([price(40, '40.00'), price(25, '25.00')])
  expect((await check(bought, 'giftcard?code=CARD-100')).body).toMatchObject({ valid: true, credit: 40 })
  expect((await shop.live(bought)).giftcard).toMatchObject({ code: 'CARD-100', balance: 60 })
})

it('guesses are refused after ten failures a minute in one checkout, right or wrong, of all codes together, and in no other at the same address', async () => {
  await shop.discount({ type: 'fixed', value: 1, code: 'RIGHT' })
  await shop.giftCard({ value: 1, code: 'CARD-RIGHT' })
  const [bought, other] = [await token(), await token()]
  const [address, elsewhere] = [newAddress(), newAddress()]
  for (let time = 0; time < 10; time++) {
    const kind = time % 2 === 0 ? 'discount' : 'giftcard'
    expect((await check(bought, `${kind}?code=wrong-${time}`, address)).body).toMatchObject({ valid: false })
  }
  for (const from of [address, elsewhere])
    for (const path of ['discount?code=RIGHT', 'discount?code=wrong', 'giftcard?code=CARD-RIGHT']) {
      const answer = await check(bought, path, from)
      const told = { type: 'too_many_requests', message: TOO_MANY, code: 'too_many_codes', params: { seconds: 60 } }
      const error = { ...told, errors: { code: [TOO_MANY] } }
      expect(bodyOf(429, answer)).toEqual({ error, status_code: 429 })
      expect(answer.headers['retry-after']).toBe('60')
    }
  expect(await shop.live(bought)).toEqual(bought.live)
  expect((await check(other, 'discount?code=RIGHT', address)).body).toMatchObject({ valid: true })
  app.clock.advance(60)
  expect((await check(bought, 'giftcard?code=CARD-RIGHT', address)).body).toMatchObject({ valid: true })
})

it.each(['discount', 'giftcard'])('check/%s takes a code of at most 255 characters', async (kind) => {
  const answer = check(await token(), `${kind}?code=${'x'.repeat(256)}`)
  expect(await replyOf(answer)).toEqual(malformedField('code', 'must be at most 255 characters long.'))
})
