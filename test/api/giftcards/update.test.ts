// PUT and DELETE /v1/giftcards/{id}: what is sent changes, and the ledger explains every balance, also of a card that is gone.

import { describe, expect, it } from 'vitest'
import { moveGiftCardBalance } from '../../../src/api/gift-cards/ledger-store.ts'
import { testApp } from '../../support/app.ts'
import { malformedField as malformed, price as usd } from '../../support/shop.ts'
import { balancesOf, entriesOf, openShop, TAKEN } from './support.ts'

const app = await testApp({ trustProxy: () => true, pool: { size: 8, waitMs: 90_000 } })
const shop = await openShop(app)

/** Takes from a card as a payment does. */
const reserve = async (id: string, amount: number, merchant_id = shop.id, is_sandbox = true) =>
  (await app.db.transaction((tx) =>
    moveGiftCardBalance(
      tx,
      { merchant_id, is_sandbox },
      { giftCardId: id, amount: -amount, reason: 'reserved', subjectId: 'atmpt_1' },
      app.clock.now(),
    ),
  )) !== null

describe('PUT /v1/giftcards/{id}', () => {
  it('sets the balance of the mode of the key, by an entry in the ledger', async () => {
    const { id } = await shop.create()
    expect((await shop.update(id, { balance: '20.50' })).balance).toEqual(usd(20.5, '20.50'))
    expect(await balancesOf(app.db, shop.id, id)).toEqual([2050, 5000])
    await shop.update(id, { balance: 0 }, shop.keys.live.secret)
    expect(await balancesOf(app.db, shop.id, id)).toEqual([2050, 0])
    const more = await shop.update(id, { balance: 80 })
    // A balance that stays writes no entry.
    await shop.update(id, { balance: 80, note: 'x' })
    expect([more.balance.raw, more.initial_value.raw]).toEqual([80, 50])
    expect(
      (await entriesOf(app.db, shop.id, id)).map((entry) => [entry.is_sandbox, entry.reason, entry.amount]),
    ).toEqual([
      [true, 'issued', 5000],
      [true, 'adjusted', -2950],
      [true, 'adjusted', 5950],
      [false, 'issued', 5000],
      [false, 'adjusted', -5000],
    ])
  })

  it.each([
    [{ balance: -1 }, 'balance', 'must not be negative.'],
    [{ balance: 'all' }, 'balance', 'must be a number or a decimal string such as 12.00, in USD.'],
  ])('refuses %j and changes nothing', async (body, field, rule) => {
    const { id } = await shop.create()
    expect(await shop.refused('PUT', `/${id}`, { note: 'never', ...body })).toEqual(malformed(field, rule))
  })

  it('refuses a code that another card has, and takes its own in other letters', async () => {
    await shop.create({ code: 'First-Card' })
    const { id } = await shop.create({ code: 'Second-Card' })
    expect(await shop.refused('PUT', `/${id}`, { code: 'FIRST-card', balance: 1 })).toEqual(TAKEN)
    expect((await shop.update(id, { code: 'SECOND-CARD' })).code).toBe('SECOND-CARD')
  })
})

describe('the ledger', () => {
  it('explains the balance when it is set and spent at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await shop.create()
      const [changed, isTaken] = await Promise.all([shop.update(id, { balance: 30 }), reserve(id, 1000)])
      expect([changed.balance.raw, isTaken]).toEqual([30, true])
      expect([2000, 3000]).toContain((await balancesOf(app.db, shop.id, id))[0])
    }
  })
})

describe('DELETE /v1/giftcards/{id}', () => {
  it('keeps the ledger of a card that has paid, which then adds up to nothing', async () => {
    const { id } = await shop.create()
    await reserve(id, 2000)
    await reserve(id, 5000, shop.id, false)
    await shop.remove(id)
    expect(
      (await entriesOf(app.db, shop.id, id)).map((entry) => [entry.is_sandbox, entry.reason, entry.amount]),
    ).toEqual([
      [true, 'issued', 5000],
      [true, 'reserved', -2000],
      [true, 'deleted', -3000],
      [false, 'issued', 5000],
      [false, 'reserved', -5000],
    ])
    // What a payment that failed would give back has nowhere to go.
    expect(await reserve(id, -2000)).toBe(false)
  })

  it('of two at once, with a payment between, succeeds once, and the ledger adds up to nothing', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await shop.create()
      const [one, , other] = await Promise.all([
        shop.call('DELETE', `/${id}`),
        reserve(id, 700),
        shop.call('DELETE', `/${id}`, undefined, shop.keys.live.secret),
      ])
      expect([one.status, other.status].sort()).toEqual([204, 404])
      const sums = { true: 0, false: 0 }
      for (const { is_sandbox, amount } of await entriesOf(app.db, shop.id, id)) sums[`${is_sandbox}`] += amount
      expect(sums).toEqual({ true: 0, false: 0 })
    }
  })
})
