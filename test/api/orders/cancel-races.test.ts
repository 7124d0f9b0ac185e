// @sampled: npm run proof tries more rounds.
// A cancel beside whatever else is done to the order in the same moment: what was shipped is not refunded, and what is refunded and
// cancelled was not shipped.

import { afterAll, describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { testApp } from '../../support/app.ts'
import { size } from '../../support/proof.ts'
import { openShop } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
afterAll(async () => expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([]))

const ROUNDS = size(8, 60)

const cancel = (order: Order) => shop.call('POST', `/${order.id}/cancel`, { refund: true })

type Ask = () => Promise<{ status: number }>

/** The statuses of both, which are sent at once; each of them is the first in half of the rounds. */
async function together(round: number, one: Ask, other: Ask): Promise<[number, number]> {
  const first = round % 2 === 0 ? one : other
  const begun = first()
  const second = first === one ? other() : one()
  const [early, late] = [(await begun).status, (await second).status]
  return first === one ? [early, late] : [late, early]
}

describe('cancelling with a refund', () => {
  it('beside a shipment ends either shipped and paid, or cancelled, refunded and not shipped', async () => {
    const ends: Record<string, number> = {}
    for (let round = 0; round < ROUNDS; round++) {
      const order = await shop.order()
      const [cancelled, shipped] = await together(
        round,
        () => cancel(order),
        () => shop.ship(order),
      )
      const after = await shop.get(order.id)
      const sent = after.fulfillment.physical.items[0]?.quantity_fulfilled
      const end = `${cancelled} ${shipped}: ${after.status}, ${after.status_payment}, ${sent} shipped`
      ends[end] = (ends[end] ?? 0) + 1
    }
    const allowed = [
      '422 201: open, paid, 1 shipped',
      '200 409: cancelled, refunded, 0 shipped',
      '200 422: cancelled, refunded, 0 shipped',
    ]
    expect(Object.keys(ends).filter((end) => !allowed.includes(end))).toEqual([])
    expect(Object.values(ends).reduce((sum, times) => sum + times, 0)).toBe(ROUNDS)
  })
  it('beside a refund gives the money back once, and who was told that it is cancelled finds it so', async () => {
    for (let round = 0; round < ROUNDS / 2; round++) {
      const order = await shop.order()
      const [cancelled, refunded] = await together(
        round,
        () => cancel(order),
        () => shop.call('POST', `/${order.id}/refund`),
      )
      const after = await shop.get(order.id)
      expect([after.status_payment, after.refunds.length]).toEqual(['refunded', 1])
      expect([cancelled, after.status]).toEqual(cancelled === 200 ? [200, 'cancelled'] : [409, 'open'])
      expect([200, 409, 422]).toContain(refunded)
    }
  })

  it('beside the rest of the payment leaves nothing paid that is not given back', async () => {
    for (let round = 0; round < ROUNDS / 2; round++) {
      const order = await shop.order({}, 'manual')
      expect((await shop.complete(order, { amount: 5 })).status).toBe(200)
      const rest = (await shop.get(order.id)).transactions.find(({ status }) => status === 'pending')?.id
      const [cancelled, completed] = await together(
        round,
        () => cancel(order),
        () => shop.complete(order, {}, rest),
      )
      const after = await shop.get(order.id)
      expect([cancelled, after.status, after.status_payment, after.order.total_paid.raw]).toEqual([
        200,
        'cancelled',
        'refunded',
        0,
      ])
      const back = after.refunds.reduce((sum, { amount }) => sum + amount.raw, 0)
      expect([completed, back]).toEqual(completed === 200 ? [200, 20] : [expect.toBeOneOf([409, 422]), 5])
    }
  })
})
