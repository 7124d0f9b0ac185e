// What the sweep of forgotten carts counts: what a shop has made since, and everything only where that may be too much.

import { describe, expect, it } from 'vitest'
import { forgottenCartsSweep } from '../../../src/api/retention/quotas.ts'
import { testApp } from '../../support/app.ts'
import { changeRows, countRows, sql } from '../../support/rows.ts'
import { roundTripsOf } from '../../support/sent.ts'
import { openCaptureShop } from '../checkouts/capture-support.ts'

const app = await testApp()
const TEN_MINUTES = 600
const DAY = 86_400
const MOST = 40

const makeCarts = sql`
  insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at, made_at, is_deleted)
  select :merchant_id::integer, 'cart_' || :name || n, false, :touched_at, :touched_at, :now::timestamptz + interval '30 days', :now,
    :is_deleted
  from generate_series(1, :count::integer) n`
const makeTokens = sql`
  insert into checkouts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at)
  select :merchant_id::integer, 'chkt_' || :name || n, false, :touched_at, :touched_at, :now::timestamptz + interval '7 days'
  from generate_series(1, :count::integer) n`

async function openHoldingShop() {
  const { id } = await openCaptureShop(app)
  let made = 0
  const values = (count: number) => {
    made++
    const now = app.clock.now()
    return { merchant_id: id, name: `${made}_`, count, now, touched_at: new Date(now.getTime() - 8 * DAY * 1_000) }
  }
  return {
    /** Carts that nobody has touched for long, and that yet were made just now. */
    carts: (count: number, isDeleted = false) => app.db.run(makeCarts, { ...values(count), is_deleted: isDeleted }),
    tokens: (count: number) => app.db.run(makeTokens, values(count)),
    remove: () => changeRows(app.db, 'delete from carts', { merchant_id: id }),
    held: async () => ({
      carts: await countRows(app.db, 'carts', { merchant_id: id }),
      checkouts: await countRows(app.db, 'checkouts', { merchant_id: id }),
    }),
    /** How often a run counts all that the shop holds. */
    async sweep(most = MOST): Promise<number> {
      const sweep = forgottenCartsSweep(most)
      const { signal } = new AbortController()
      const trips = await roundTripsOf(() => sweep.run({ db: app.db, clock: app.clock, signal }))
      const sent = trips.flatMap(({ statements }) => statements)
      return sent.filter(({ name, values }) => name === 'quotas.count_carts' && values?.includes(id)).length
    },
  }
}

describe('what a shop holds', () => {
  it('is counted once, and then again when it may have become too much', async () => {
    const shop = await openHoldingShop()
    await shop.carts(10)
    expect(await shop.sweep()).toBe(1)
    for (let run = 0; run < 3; run++) {
      app.clock.advance(TEN_MINUTES / 2)
      await shop.carts(5)
      await shop.tokens(5)
      app.clock.advance(TEN_MINUTES / 2)
      expect(await shop.sweep()).toBe(0)
    }
    expect(await shop.held()).toEqual({ carts: 25, checkouts: 15 })
    // In the slice of time that has been counted already.
    await shop.carts(MOST - 25 + 1)
    expect([await shop.sweep(), await shop.held()]).toEqual([1, { carts: 0, checkouts: 15 }])
  })

  it('is counted again when tokens, or carts that were deleted, may have become too many', async () => {
    const [ofTokens, ofDeleted] = [await openHoldingShop(), await openHoldingShop()]
    for (const shop of [ofTokens, ofDeleted]) {
      await shop.carts(1)
      await shop.tokens(1)
      expect(await shop.sweep()).toBe(1)
    }
    app.clock.advance(TEN_MINUTES)
    await ofTokens.tokens(MOST + 5)
    await ofDeleted.carts(MOST + 5, true)
    expect([await ofTokens.sweep(), await ofTokens.held()]).toEqual([1, { carts: 1, checkouts: 0 }])
    // The run went through both; of what was deleted only what is too much goes.
    expect(await ofDeleted.held()).toEqual({ carts: MOST + 1, checkouts: 1 })
  })

  it('is counted anew where what was there has gone meanwhile, and from then on by that', async () => {
    const shop = await openHoldingShop()
    await shop.carts(35)
    expect(await shop.sweep()).toBe(1)
    await shop.remove()
    app.clock.advance(TEN_MINUTES)
    await shop.carts(10)
    expect([await shop.sweep(), await shop.held()]).toEqual([1, { carts: 10, checkouts: 0 }])
    app.clock.advance(TEN_MINUTES)
    await shop.carts(10)
    expect(await shop.sweep()).toBe(0)
  })

  it('is counted anew after a day in which nobody looked, and where the shop may hold less than before', async () => {
    const shop = await openHoldingShop()
    await shop.carts(10)
    expect(await shop.sweep()).toBe(1)
    app.clock.advance(DAY)
    await shop.carts(1)
    expect(await shop.sweep()).toBe(1)
    app.clock.advance(TEN_MINUTES)
    await shop.carts(1)
    expect([await shop.sweep(), await shop.sweep(8)]).toEqual([0, 1])
    expect((await shop.held()).carts).toBe(0)
  })
})
