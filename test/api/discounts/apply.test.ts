// A code that a shopper enters: which can be used, what is said of the others, and how often one may try.

import { describe, expect, it } from 'vitest'
import { discountInput } from '../../../src/api/discounts/applied-store.ts'
import { tryDiscountCode } from '../../../src/api/discounts/apply.ts'
import { codeSubjects } from '../../../src/api/discounts/code.ts'
import { viewAppliedDiscount } from '../../../src/api/discounts/view.ts'
import { ApiError } from '../../../src/lib/errors.ts'
import { testApp } from '../../support/app.ts'
import { openShop, START, use } from './support.ts'

const app = await testApp({ trustProxy: () => true, pool: { size: 4 } })
const shop = await openShop(app)
const other = await openShop(app)

let address = 0
/** A client that has tried nothing yet. */
const newClient = () => ({ enteredIn: `cart_${++address}`, clientAddress: `203.0.113.${address}` })

/** A shopper, with the public key. */
const PUBLIC = { merchantId: shop.id, isSandbox: true, isSecret: false }

const enter = (code: string, client = newClient(), caller = PUBLIC) =>
  tryDiscountCode(app.db, app.clock, caller, { code, ...client })

/** What becomes of a try: the code, null, or the status and when to come back. */
const outcome = (code: string, client = newClient(), caller = PUBLIC) =>
  enter(code, client, caller).then(
    (found) => found?.code ?? null,
    (error) => (error instanceof ApiError ? [error.status, error.headers['retry-after']] : Promise.reject(error)),
  )

describe('a code', () => {
  it('is found in any case, with blanks around it', async () => {
    const mug = await shop.product('Mug')
    const { id } = await shop.create({ code: 'Mug-Days', type: 'fixed', value: 2.5, product_ids: [mug] })
    const row = { id, code: 'Mug-Days', type: 'fixed', value: 250, product_ids: [mug] } as const
    for (const code of ['Mug-Days', 'MUG-DAYS', ' mug-days\n']) expect(await enter(code)).toEqual(row)
    expect(discountInput({ ...row, product_ids: [mug] })).toEqual({ type: 'fixed', value: 250, productIds: [mug] })
  })

  it('is shown with what it saves', async () => {
    const applied = { id: 'code_1', code: 'TENTH', type: 'percentage', value: 125_000, product_ids: [] } as const
    const amount = { raw: 1.25, formatted: '1.25', formatted_with_symbol: '$1.25', formatted_with_code: '1.25 USD' }
    expect(viewAppliedDiscount({ ...applied, product_ids: [] }, 125, 'USD')).toEqual({
      type: 'percentage',
      code: 'TENTH',
      value: 12.5,
      amount_saved: amount,
      product_ids: [],
    })
    expect(viewAppliedDiscount({ ...applied, type: 'fixed', value: 500, product_ids: [] }, 125, 'USD').value).toBe(5)
  })

  it('is used up in one mode and not in the other', async () => {
    const { id } = await shop.create({ code: 'TWICE', limit: 2 })
    await use(app.db, shop.id, id, true, 1)
    await use(app.db, shop.id, id, false, 2)
    expect(await enter('TWICE')).toMatchObject({ id })
    expect(await enter('TWICE', newClient(), { ...PUBLIC, isSandbox: false })).toBeNull()
    await use(app.db, shop.id, id, true, 2)
    expect(await enter('TWICE')).toBeNull()
  })

  it('cannot be used from the second on in which it expires', async () => {
    await shop.create({ code: 'SHORT', expires: START + 10 })
    app.clock.advance(9)
    expect(await enter('SHORT')).toMatchObject({ code: 'SHORT' })
    app.clock.advance(1)
    expect(await enter('SHORT')).toBeNull()
  })

  it('of another merchant is not found', async () => {
    await other.create({ code: 'THEIRS' })
    expect(await enter('THEIRS')).toBeNull()
    expect(await enter('')).toBeNull()
  })
})

describe('guessing codes', () => {
  it('ends after ten failures in a minute, for right codes too, in the cart and from the address', async () => {
    await shop.create({ code: 'RIGHT' })
    const client = newClient()
    for (let failures = 0; failures < 10; failures++) expect(await outcome(`WRONG-${failures}`, client)).toBeNull()
    app.clock.advance(20.5)
    const refused = [429, '40']
    expect(await outcome('WRONG', client)).toEqual(refused)
    expect(await outcome('RIGHT', client)).toEqual(refused)
    expect(await outcome('RIGHT', { ...newClient(), clientAddress: client.clientAddress })).toEqual(refused)
    expect(await outcome('RIGHT', { ...newClient(), enteredIn: client.enteredIn })).toEqual(refused)
    expect(await outcome('RIGHT')).toBe('RIGHT')

    app.clock.advance(39.5)
    expect(await outcome('RIGHT', client)).toBe('RIGHT')
    for (let failures = 0; failures < 10; failures++) expect(await outcome('WRONG', client)).toBeNull()
    expect(await outcome('RIGHT', client)).toEqual([429, '60'])
  })

  it('counts failures alone', async () => {
    await shop.create({ code: 'OFTEN' })
    const client = newClient()
    for (let tries = 0; tries < 15; tries++) expect(await outcome('OFTEN', client)).toBe('OFTEN')
    expect(await outcome('WRONG', client)).toBeNull()
  })

  it('hears of ten failures when thirty come at the same moment', async () => {
    const client = newClient()
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, index) => outcome(`WRONG-${index}`, client)))
    expect(outcomes.filter((each) => each === null)).toHaveLength(10)
    expect(outcomes.filter((each) => each !== null)).toEqual(Array.from({ length: 20 }, () => [429, '60']))
  })

  it('finds no right code behind a crowd of wrong ones sent at the same moment', async () => {
    await shop.create({ code: 'HIDDEN' })
    const client = newClient()
    const crowd = [...Array.from({ length: 60 }, (_, index) => `WRONG-${index}`), 'HIDDEN']
    expect((await Promise.all(crowd.map((code) => outcome(code, client)))).at(-1)).toEqual([429, '60'])
  })

  it('with the secret key counts in the cart alone: a server speaks for many, and one of them must not block the others', async () => {
    await shop.create({ code: 'SERVED' })
    const server = { ...PUBLIC, isSecret: true }
    const client = newClient()
    for (let failures = 0; failures < 10; failures++) expect(await outcome('WRONG', client, server)).toBeNull()
    expect(await outcome('SERVED', client, server)).toEqual([429, '60'])
    const shopper = { ...newClient(), clientAddress: client.clientAddress }
    expect(await outcome('SERVED', shopper, server)).toBe('SERVED')
    expect(await outcome('SERVED', shopper)).toBe('SERVED')
    // The cart is the same, whoever speaks for it.
    expect(await outcome('SERVED', { ...newClient(), enteredIn: client.enteredIn })).toEqual([429, '60'])
  })

  it('in one mode is not counted in the other', async () => {
    await shop.create({ code: 'BOTH' })
    const client = newClient()
    for (let failures = 0; failures < 11; failures++) await outcome('WRONG', client)
    expect(await outcome('BOTH', client)).toEqual([429, '60'])
    expect(await outcome('BOTH', client, { ...PUBLIC, isSandbox: false })).toBe('BOTH')
  })

  it('names its subjects by mode, place and network, and cuts ids that nobody can have', () => {
    expect(codeSubjects(PUBLIC, 'cart_1', '2001:db8::1')).toEqual([
      'code sandbox cart_1',
      'code sandbox 2001:db8:0:0::/64',
    ])
    expect(codeSubjects({ isSandbox: false, isSecret: true }, 'カ'.repeat(1_000), '192.0.2.1')).toEqual([
      `code live ${'カ'.repeat(64)}`,
    ])
  })

  it("at one merchant's is not counted at another's", async () => {
    await other.create({ code: 'RIGHT' })
    const client = newClient()
    for (let failures = 0; failures < 11; failures++) await outcome('WRONG', client)
    expect(await outcome('RIGHT', client)).toMatchObject([429, '60'])
    expect(await enter('RIGHT', client, { ...PUBLIC, merchantId: other.id })).toMatchObject({ code: 'RIGHT' })
  })
})
