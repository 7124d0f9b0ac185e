// POST /v1/giftcards: a card with a value in both modes, under a code of its own.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { atOnce, malformedField as malformed } from '../../support/shop.ts'
import { balancesOf, entriesOf, openShop, shown, stateOf, TAKEN } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

const create = (body: unknown, key?: string) => shop.refused('POST', '', body, key)

describe('POST /v1/giftcards', () => {
  it('makes a card from a value alone, with a code of 60 random bits that reads well', async () => {
    expect(await shop.create()).toEqual(shown())
    const codes = new Set((await atOnce(20, () => shop.create())).map(({ code }) => code))
    expect(codes.size).toBe(20)
  })

  it('gives both modes the whole value, each with an entry in the ledger', async () => {
    const { id } = await shop.create({ value: 12.5 })
    expect(await balancesOf(app.db, shop.id, id)).toEqual([1250, 1250])
    const issued = { amount: 1250, reason: 'issued', subject_id: null }
    expect(await entriesOf(app.db, shop.id, id)).toEqual([
      { is_sandbox: true, ...issued },
      { is_sandbox: false, ...issued },
    ])
  })

  it('gives the sandbox only its value with a sandbox key: no live credit is made by one', async () => {
    const card = await shop.create({ value: 12.5 }, shop.keys.sandbox.secret)
    expect(card.balance.raw).toBe(12.5)
    expect(await balancesOf(app.db, shop.id, card.id)).toEqual([1250, 0])
    expect(await entriesOf(app.db, shop.id, card.id)).toEqual([
      { is_sandbox: true, amount: 1250, reason: 'issued', subject_id: null },
    ])
    expect((await shop.get(card.id, shop.keys.live.secret)).balance.raw).toBe(0)
  })

  it('reads and shows amounts in the currency of the merchant', async () => {
    const japan = await openShop(app, { currency: 'JPY' })
    expect((await japan.create({ value: 1200 })).balance).toEqual({
      raw: 1200,
      formatted: '1,200',
      formatted_with_symbol: '¥1,200',
      formatted_with_code: '1,200 JPY',
    })
    expect(await japan.refused('POST', '', { value: 12.5 })).toEqual(
      malformed('value', 'must be a whole number, as JPY has no decimals.'),
    )
  })

  it.each([
    ['a value of nothing', { value: 0 }, 'value', 'must be more than zero.'],
    ['a negative value', { value: -5 }, 'value', 'must not be negative.'],
    ['more decimals than the currency has', { value: 1.005 }, 'value', 'must have at most 2 decimals, as USD has.'],
    ['a value that is too large', { value: 1e10 + 1 }, 'value', 'must be at most 10,000,000,000.00 USD.'],
    [
      'a code that ends with a blank',
      { value: 5, code: 'ABC ' },
      'code',
      'must consist of printable ASCII characters, without a blank at its beginning or end, as in SUMMER-10.',
    ],
  ])('refuses %s', async (_, body, field, rule) => {
    expect(await create(body)).toEqual(malformed(field, rule))
  })

  it('gives one of two at once the code, and the other a refusal that leaves no row', async () => {
    const own = await openShop(app)
    for (let round = 0; round < 5; round++) {
      const code = `ROUND-${round}`
      const answers = await Promise.all(
        [code, code.toLowerCase()].map((each) => own.call('POST', '', { value: 5, code: each }, own.keys.live.secret)),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
      expect(answers.find(({ status }) => status === 422)?.body).toEqual(TAKEN[1])
    }
    // One card, two balances, two entries and one event for each round.
    expect(await stateOf(app.db, own.id)).toHaveLength(5 * 6)
  })
})
