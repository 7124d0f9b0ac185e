// POST /v1/checkouts/{id} with another body while a payment waits for the shopper: one that is refused leaves the payment alone, and one
// that is tried takes its place, with all that it held.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { ADDRESS, CARD, CUSTOMER, digital, digitalBody, openCaptureShop } from './capture-support.ts'

type Token = { id: string; line_items: readonly { id: string }[] }
type Body = Record<string, unknown>

const app = await sharedApp()
const shop = await openCaptureShop(app)
const secret = shop.keys.sandbox.secret
await shop.taxZone({ country: 'US', region: 'CA', rates: [{ type: 'state', rate: 0.1 }] })

const WAITING_CARD = { ...CARD, card: { ...CARD.card, number: '4000000000003220' } }

const states = sql<{ state: string }>`
  select state from capture_attempts where merchant_id = :merchant_id and checkout_id = :checkout_id order by state`
const statesOf = async ({ id }: Token) =>
  (await app.db.many(states, { merchant_id: shop.id, checkout_id: id })).map(({ state }) => state)

/** The last unit, the last use of a code and all of a card, and a token to buy them with. */
async function lastOfAll() {
  const product = await shop.product({ ...digital, price: 100, inventory: { managed: true, available: 1 } })
  const discount = await shop.discount({ type: 'percentage', value: 10, limit: 1 })
  const card = await shop.giftCard({ value: 50 })
  const token: Token = await shop.token({ id: product.id })
  const codes = { discount_code: discount.code, giftcard_code: card.code }
  const left = async () => {
    const [{ inventory }, { used }, { balance }] = (await Promise.all(
      [`products/${product.id}`, `discounts/${discount.id}`, `giftcards/${card.id}`].map((path) =>
        shop.succeed(200, 'GET', path, undefined, secret),
      ),
    )) as [{ inventory: { available: number; held: number } }, { used: number }, { balance: { raw: number } }]
    return { available: inventory.available, held: inventory.held, used, balance: balance.raw }
  }
  return { product, discount, card, token, codes, left }
}

/** Captures with a card that asks for a confirmation; gives the body that confirms. */
async function wait(token: Token, body: Body): Promise<Body> {
  const answer = await shop.capture(token, { ...body, payment: WAITING_CARD })
  expect([answer.status, await statesOf(token)]).toEqual([402, ['waiting']])
  const { param } = (answer.body as { error: { param: string } }).error
  return digitalBody({ payment: { gateway: 'test_gateway', test_gateway: { payment_intent_id: param } } })
}

describe('a capture over one that waits for the shopper', () => {
  const HELD = { available: 0, held: 1, used: 1, balance: 0 }

  it.each<[string, number, (line: string) => Body]>([
    ['another total than is due', 409, () => ({ expected_total: 1 })],
    ['an amount that is none', 422, () => ({ expected_total: 'much' })],
    ['no address to write to', 422, () => ({ customer: {} })],
    ['a gateway that the shop has not', 422, () => ({ payment: { gateway: 'nowhere' } })],
    ['a code that does not exist', 422, () => ({ discount_code: 'NEVER' })],
    ['a region that does not exist', 422, () => ({ billing: { ...ADDRESS, county_state: 'Atlantis' } })],
    ['more than there is', 422, (line) => ({ line_items: { [line]: { quantity: 2 } } })],
  ])('is refused for %s, and the shopper can still confirm', async (_, status, more) => {
    const { token, codes, left } = await lastOfAll()
    const confirmation = await wait(token, digitalBody(codes))
    expect(await left()).toEqual(HELD)
    const refused = await shop.capture(token, digitalBody({ ...codes, ...more(token.line_items[0]?.id ?? '') }))
    expect([refused.status, refused.text]).toEqual([status, refused.text])
    expect([await statesOf(token), await left()]).toEqual([['waiting'], HELD])
    const order = await shop.order(token, confirmation)
    // 100 less a tenth, less the card.
    expect(order.transactions).toMatchObject([{ amount: { raw: 40 } }])
    expect([await statesOf(token), await left()]).toEqual([['done'], { ...HELD, held: 0 }])
  })

  it('has the last unit, the last use of the code and the credit that the other holds, and is told what is then due', async () => {
    const { token, codes, left } = await lastOfAll()
    const confirmation = await wait(token, digitalBody(codes))
    const told = await shop.capture(token, digitalBody({ ...codes, expected_total: 1 }))
    expect(told.body).toMatchObject({ live: { total_due: { raw: 40 }, giftcard: { credit: { raw: 50 } } } })
    const order = await shop.order(token, digitalBody({ ...codes, expected_total: 40 }))
    expect(order.transactions).toMatchObject([{ amount: { raw: 40 } }])
    expect([await statesOf(token), await left()]).toEqual([['done', 'released'], { ...HELD, held: 0 }])
    expect((await shop.capture(token, confirmation)).status).toBe(409)
  })

  it('has them also where they were applied to the token', async () => {
    const { token, discount, card, left } = await lastOfAll()
    for (const path of [`discount?code=${discount.code}`, `giftcard?code=${card.code}`])
      expect(await shop.succeed(200, 'GET', `checkouts/${token.id}/check/${path}`)).toMatchObject({ valid: true })
    await wait(token, digitalBody())
    const order = await shop.order(token, digitalBody({ expected_total: 40 }))
    expect([order.transactions[0]?.amount.raw, await left()]).toEqual([40, { ...HELD, held: 0 }])
  })

  it('gives back what it does not want', async () => {
    const { token, codes, left } = await lastOfAll()
    await wait(token, digitalBody(codes))
    const order = await shop.order(token, digitalBody())
    const expected = { available: 0, held: 0, used: 0, balance: 50 }
    expect([order.transactions[0]?.amount.raw, await left()]).toEqual([100, expected])
  })

  it('has the last unit of a variant, and no unit that a stranger holds', async () => {
    const soldOut = { ...digital, inventory: { managed: true, available: 0 } }
    const { product: shirt, small: options } = await shop.sized(soldOut)
    await shop.variant(shirt.id, { options, inventory: 1 })
    const [mine, strangers] = [await shop.token({ id: shirt.id, options }), await shop.token({ id: shirt.id, options })]
    await wait(mine, digitalBody())
    const errors = await shop.errors(strangers, digitalBody())
    expect(Object.keys(errors)).toEqual([`line_items.${strangers.line_items[0]?.id}.quantity`])
    expect(await statesOf(mine)).toEqual(['waiting'])
    await shop.order(mine, digitalBody())
    expect(await statesOf(mine)).toEqual(['done', 'released'])
  })

  it('makes one order, and one charge, of several with other bodies at once', async () => {
    const { token, codes, left } = await lastOfAll()
    await wait(token, digitalBody(codes))
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((firstname) =>
        shop.capture(token, digitalBody({ ...codes, customer: { ...CUSTOMER, firstname } })),
      ),
    )
    const made = answers.filter(({ status }) => status === 200)
    expect([
      made.length,
      answers.map(({ status }) => status).filter((status) => ![200, 409, 422].includes(status)),
    ]).toEqual([1, []])
    expect((await statesOf(token)).filter((state) => state !== 'released')).toEqual(['done'])
    expect(await left()).toEqual({ ...HELD, held: 0 })
  })
})
