// What a checkout asks of gift cards: which can pay, by its code or by its id, and how one that pays is shown.

import { describe, expect, it } from 'vitest'
import { tryGiftCardCode } from '../../../src/api/gift-cards/gift-card.ts'
import { type AppliedGiftCardRow, appliedGiftCardJson } from '../../../src/api/gift-cards/store.ts'
import { sharedApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { START } from '../../support/shop.ts'
import { openShop, UNKNOWN_ID } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const other = await openShop(app)

const byId = sql<{ card: AppliedGiftCardRow | null }>`
  select ${appliedGiftCardJson({
    merchant_id: ':merchant_id',
    is_sandbox: ':is_sandbox',
    now: ':now',
    giftCardId: ':id',
  })} as card`

const SUBJECT = { merchant_id: shop.id, is_sandbox: true }

/** The card by each of the ways there are; they must agree. */
async function look(card: { id: string; code: string }, more: Partial<typeof SUBJECT> = {}) {
  const caller = { ...SUBJECT, ...more }
  const { merchant_id, is_sandbox } = caller
  const now = app.clock.now()
  const ways = [
    await tryCode(caller, card.code, card.id),
    (await app.db.one(byId, { merchant_id, is_sandbox, now, id: card.id })).card,
  ]
  expect(ways[1]).toEqual(ways[0])
  return ways[0]
}

const tryCode = (caller: typeof SUBJECT, code: string, enteredIn: string, network = enteredIn) =>
  tryGiftCardCode(
    { db: app.db, clock: app.clock, caller, clientNetworks: [network] },
    { code, field: 'code', enteredIn },
  )

describe('a card that can pay', () => {
  it('is found with what is left on it in the mode that is asked for', async () => {
    const card = await shop.create()
    await shop.update(card.id, { balance: 12.5 })
    expect(await look(card)).toEqual({ id: card.id, code: card.code, balance: 1250 })
    expect(await look(card, { is_sandbox: false })).toEqual({ id: card.id, code: card.code, balance: 5000 })
  })

  it('is one until the second in which it expires', async () => {
    const soon = Math.floor(app.clock.now().getTime() / 1_000) + 10
    const card = await shop.create({ expires: soon })
    app.clock.advance(9)
    expect(await look(card)).toMatchObject({ id: card.id })
    app.clock.advance(1)
    expect(await look(card)).toBeNull()
  })

  it('is none that is spent in that mode, deleted, unknown or of another merchant', async () => {
    const spent = await shop.create()
    await shop.update(spent.id, { balance: 0 })
    expect([await look(spent), await look(spent, { is_sandbox: false })]).toEqual([
      null,
      { id: spent.id, code: spent.code, balance: 5000 },
    ])
    const deleted = await shop.create()
    await shop.remove(deleted.id)
    expect(await look(deleted)).toBeNull()
    expect(await look({ id: UNKNOWN_ID, code: 'NOTHING' })).toBeNull()
    expect(await look(await other.create())).toBeNull()
    expect(await look(await shop.create({ expires: START }))).toBeNull()
  })
})
