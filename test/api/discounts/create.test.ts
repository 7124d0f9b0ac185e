// POST /v1/discounts: what a discount may be, and what is said of one that may not.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { malformedField as malformed, notValidField as notValid, START } from '../../support/shop.ts'
import { openShop, PERCENTAGE_RULE, shown, TAKEN } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const other = await openShop(app)

const refused = (body: Record<string, unknown>) =>
  shop.refused('POST', 'discounts', { type: 'percentage', value: 10, ...body })

describe('POST /v1/discounts', () => {
  it('needs a type and a value only, and makes a code that people can read and nobody guesses', async () => {
    const made = [await shop.create(), await shop.create({ unknown: 'field', id: 'mine', used: 7 })]
    // Twelve characters of 5 bits each are 60 bits.
    const code = expect.stringMatching(/^[2-9A-HJ-NP-Z]{4}(?:-[2-9A-HJ-NP-Z]{4}){2}$/)
    expect(made).toEqual([shown({ code }), shown({ code })])
    expect(made[0]?.code).not.toBe(made[1]?.code)
  })

  it.each([
    ['percentage', 100, 100],
    ['percentage', 0.0001, 0.0001],
    ['percentage', '12.3456', 12.3456],
    ['percentage', 0.07, 0.07],
    ['fixed', 0.01, 0.01],
    ['fixed', '10000000000.00', 10_000_000_000],
  ])('takes a %s of %j as it stands', async (type, value, kept) => {
    const { id } = await shop.create({ type, value })
    expect(await shop.get(id)).toMatchObject({ type, value: kept })
  })

  it.each([0, -1, 100.0001, '100.5', 12.34567, '1e1', '12,5', '', 1e-7])(
    'refuses a percentage of %j',
    async (value) => {
      expect(await refused({ value })).toEqual(malformed('value', PERCENTAGE_RULE))
    },
  )

  it.each([
    [0, 'must be more than 0.'],
    ['-1', 'must not be negative.'],
    [0.005, 'must have at most 2 decimals, as USD has.'],
    ['10000000000.01', 'must be at most 10,000,000,000.00 USD.'],
    ['ten', 'must be a number or a decimal string such as 12.00, in USD.'],
  ])('refuses a fixed amount of %j', async (value, rule) => {
    expect(await refused({ type: 'fixed', value })).toEqual(malformed('value', rule))
  })

  it("reads a fixed amount in the merchant's own currency", async () => {
    const yen = await openShop(app, { currency: 'JPY' })
    expect(await yen.create({ type: 'fixed', value: 500 })).toMatchObject({ value: 500 })
    expect(await yen.refused('POST', 'discounts', { type: 'fixed', value: '500.5' })).toEqual(
      malformed('value', 'must be a whole number, as JPY has no decimals.'),
    )
  })

  it.each([' LEFT', 'RIGHT ', '\tTAB', 'NEW\nLINE', 'ÉTÉ', '夏'])('refuses the code %j', async (code) => {
    const rule = 'must consist of printable ASCII characters, without a blank at its beginning or end, as in SUMMER-10.'
    expect(await refused({ code })).toEqual(malformed('code', rule))
  })

  it('refuses to be over before it begins', async () => {
    const rule = 'must be a Unix timestamp in the future, in seconds.'
    for (const expires of [0, START - 1, START]) expect(await refused({ expires })).toEqual(notValid('expires', rule))
    expect(await shop.create({ expires: START + 1 })).toMatchObject({ expires: START + 1 })
  })

  it("refuses products that the merchant does not have, another's among them", async () => {
    const [own, foreign] = [await shop.product('Own'), await other.product('Foreign')]
    const rule = 'is not the id of a product.'
    expect(await refused({ product_ids: [own, foreign] })).toEqual(notValid('product_ids.1', rule))
    expect(await refused({ product_ids: ['prod_1', own] })).toEqual(notValid('product_ids.0', rule))
    expect(await refused({ product_ids: [own, own] })).toEqual(notValid('product_ids.1', 'is listed twice.'))
  })

  it('refuses a code that is taken, in upper or lower case, but for another merchant', async () => {
    await shop.create({ code: 'Winter' })
    for (const code of ['Winter', 'WINTER', 'winter']) expect(await refused({ code })).toEqual(TAKEN)
    await other.create({ code: 'WINTER' })
  })

  it('gives a code to one of two that ask at the same moment', async () => {
    const ask = (code: string) => shop.call('POST', 'discounts', { type: 'percentage', value: 10, code })
    const answers = await Promise.all(['Race', 'RACE', 'race', 'rAcE'].map(ask))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
    for (const { status, body } of answers) if (status === 422) expect([status, body]).toEqual(TAKEN)
  })
})
