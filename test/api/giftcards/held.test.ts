// What captures under way hold of a gift card: shown beside its balance, which stays as it is until they have ended.

import { describe, expect, it } from 'vitest'
import type { GiftCard } from '../../../src/api/gift-cards/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { lockRows } from '../../support/rows.ts'
import { eventsOf, replyOf, price as usd } from '../../support/shop.ts'
import { CARD, CUSTOMER, openCaptureShop } from '../checkouts/capture-support.ts'
import { countWaitingLocks } from '../waiting-locks.ts'
import { balancesOf, stateOf } from './support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const { sandbox, live } = shop.keys
const paidBy = (number: string) => ({ ...CARD, card: { ...CARD.card, number } })
const VERIFY = '4000 0000 0000 3220'
const DECLINED = '4000 0000 0000 0002'
const GOOD = '4242 4242 4242 4242'

const issue = (value: number) => shop.succeed<GiftCard>(201, 'POST', 'giftcards', { value }, live.secret)
const get = (id: string, key = sandbox.secret) => shop.succeed<GiftCard>(200, 'GET', `giftcards/${id}`, undefined, key)
const put = (id: string, body: unknown, key = sandbox.secret) => shop.call('PUT', `giftcards/${id}`, body, key)
const figures = ({ balance, held }: GiftCard) => [balance.raw, held.raw]

/** A token of something at 10.00, and how to capture it with the card. */
async function purchase({ code }: GiftCard) {
  const { id } = await shop.product({ price: 10, delivery: { physical: false } })
  const token = await shop.token({ id, quantity: 1 })
  return (number: string) => shop.capture(token, { customer: CUSTOMER, giftcard_code: code, payment: paidBy(number) })
}

/** A capture that waits for its shopper, and holds all of the card. */
async function hold(card: GiftCard) {
  const capture = await purchase(card)
  expect((await capture(VERIFY)).status).toBe(402)
  return {
    release: async () => expect((await capture(DECLINED)).status).toBe(402),
    sell: async () => expect((await capture(GOOD)).status).toBe(200),
  }
}

const refusal = (left: string, held: string) => {
  const sentence = `balance cannot be changed from ${left} USD while ${held} USD are held by captures in progress; failed captures return it to the card. Try again once held is zero.`
  return [422, { error: { type: 'not_valid', message: sentence, errors: { balance: [sentence] } }, status_code: 422 }]
}

describe('the credit that captures under way hold', () => {
  it('is shown beside the balance in its own mode, by every read and in events', async () => {
    const card = await issue(6)
    expect(card.held).toEqual(usd(0, '0.00'))
    const held = await hold(card)
    expect(await get(card.id)).toEqual({ ...card, balance: usd(0, '0.00'), held: usd(6, '6.00') })
    expect(figures(await get(card.id, live.secret))).toEqual([6, 0])
    const { data } = await shop.succeed<{ data: GiftCard[] }>(200, 'GET', 'giftcards', undefined, sandbox.secret)
    expect(data.find(({ id }) => id === card.id)?.held.raw).toBe(6)
    const renamed = await put(card.id, { note: 'for Jo' })
    expect([renamed.status, figures(renamed.body as GiftCard)]).toEqual([200, [0, 6]])
    expect((await eventsOf(app.db, shop.id)).at(-1)).toMatchObject({ name: 'giftcards.update', payload: renamed.body })
    await held.sell()
    expect(figures(await get(card.id))).toEqual([0, 0])
  })

  it('keeps the balance of its mode from being changed, so that it cannot double', async () => {
    const card = await issue(6)
    const held = await hold(card)
    const before = await stateOf(app.db, shop.id)
    expect(await replyOf(put(card.id, { balance: 6, note: 'again' }))).toEqual(refusal('0.00', '6.00'))
    expect(await stateOf(app.db, shop.id)).toEqual(before)
    // What is there already is no change.
    expect((await put(card.id, { balance: 0, note: 'same' })).status).toBe(200)
    // In the other mode nothing is held.
    const other = await put(card.id, { balance: 9 }, live.secret)
    expect([other.status, figures(other.body as GiftCard)]).toEqual([200, [9, 0]])
    await held.release()
    expect(figures(await get(card.id))).toEqual([6, 0])
    expect((await put(card.id, { balance: 8 })).status).toBe(200)
    expect(await balancesOf(app.db, shop.id, card.id)).toEqual([800, 900])
  })

  it('is told by the event of a card that is deleted', async () => {
    const card = await issue(6)
    await hold(card)
    expect((await shop.call('DELETE', `giftcards/${card.id}`, undefined, sandbox.secret)).status).toBe(204)
    expect((await eventsOf(app.db, shop.id)).at(-1)).toMatchObject({
      name: 'giftcards.delete',
      payload: { id: card.id, balance: { raw: 0 }, held: { raw: 6 } },
    })
  })

  it('is known to a change that has waited for the capture to take it', async () => {
    const card = await issue(6)
    const capture = await purchase(card)
    const blocked = await app.db.transaction(async (tx) => {
      const where = { merchant_id: shop.id, gift_card_id: card.id, is_sandbox: true }
      await lockRows(tx, 'gift_card_balances', where)
      // Both wait for the row, the capture first: what it will hold is not there yet when the change begins.
      const captured = capture(VERIFY)
      await expect.poll(waiting).toBe(1)
      const changed = put(card.id, { balance: 6 })
      await expect.poll(waiting).toBe(2)
      return { captured, changed }
    })
    const [captured, changed] = await Promise.all([blocked.captured, blocked.changed])
    expect(captured.status).toBe(402)
    expect([changed.status, changed.body]).toEqual(refusal('0.00', '6.00'))
    expect(figures(await get(card.id))).toEqual([0, 6])
  })

  const waiting = () => countWaitingLocks(app.db)
})
